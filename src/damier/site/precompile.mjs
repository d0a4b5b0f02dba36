// Compiles Python files with Pyodide, whose Python version differs from that of the site builder.
// `node precompile.mjs PYODIDE FOLDER OPTIMISE < names` writes NAME.pyc beside each NAME.py.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [home, folder, optimise] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(home, 'pyodide.mjs')).href);
const python = await loadPyodide({ indexURL: home });
const compiled = python.runPython(`
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash

def compiled(name, source, optimise):
    """Return the content of an unchecked hash-based .pyc file."""
    code = compile(source.to_bytes(), name, "exec", dont_inherit=True, optimize=optimise)
    return _code_to_hash_pyc(code, source_hash(source.to_bytes()), False)

compiled
`);
for (const name of readFileSync(0, 'utf-8').split('\n').filter(Boolean)) {
  const bytecode = compiled(name, new Uint8Array(readFileSync(join(folder, name))), Number(optimise));
  writeFileSync(join(folder, name.replace(/\.py$/, '.pyc')), bytecode.toJs());
  bytecode.destroy();
}
