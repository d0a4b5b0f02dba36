// node tests/support/in_pyodide.mjs QUESTION: the facts of tests/support/game_facts.py about some games, from Python as
// a browser runs it, with their kernels in WebAssembly beside it. QUESTION is JSON: games or paths,
// and the files with their modules. Prints the facts by game.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const asked = JSON.parse(process.argv[2]);
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const python = await loadPyodide();

/** Have a folder of this machine at a place of its own. */
function mount(folder, place) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, place);
}

mount(root, "/damier");
const found = {};
for (const [named, file] of Object.entries(asked)) {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const folder = `/modules/${name}`;
  mount(dirname(file), folder);
  python.globals.set("named", named.replace(root, "/damier"));
  python.globals.set("file", `${folder}/${name}`);
  found[named] = await python.runPythonAsync(`
import os, sys
sys.path[:0] = [path for path in ("/damier/src", "/damier") if path not in sys.path]
os.environ |= {"DAMIER_CACHE_DIR": "/tmp/cache", "DAMIER_DATA_DIR": "/tmp/data"}
from damier.jit.wasm_runtime import BrowserInstance
from tests.support.game_facts import module_answers
module_answers(named, file, BrowserInstance)
`);
}
process.stdout.write(JSON.stringify(found));
