"""How fast the site is in headless Chromium, beside this machine's own code, in one run.

    python bench/site.py [GAME …] [--store]

Of each game, a newcomer and one who comes back open it and move at once, files from this machine:
how soon the page shows, how soon the computer answers at the page's first level, what is
transferred until then, and the memory of the tab after the best level has thought.

Then the search looks at the named positions of bench/positions.json, each time at so many nodes, as
machine code here and as WebAssembly in a worker there, by turns; and thinks as long as level 8 does
about the first position. The best of three counts: others use the machine too. With `--store` a
line is added to bench/results/site.jsonl.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Worker

import visit
from damier.games.levels import TOP
from measure import POSITIONS, reached, searched, store

HERE = Path(__file__).parent
TRIES = 3
SECONDS = TOP.seconds or 0.0  # that level 8 thinks
# What is to be reached, for each game: the greatest, or the least.
MOST = {
    "first_paint": 1.0, "first_answer": 8.0, "later_answer": 3.0, "compressed_bytes": 7_000_000,
    "compressed_page_bytes": 200_000, "memory_bytes": 300_000_000, "depth_behind_native": 1,
}  # fmt: skip
LEAST = {"ratio": 0.6}
# Python in a worker of the page, beside the page's own, with the benchmarks in it.
BEGIN = """async ([place, files]) => {
    const { loadPyodide } = await import(place + 'pyodide.mjs');
    const bytes = async (name) => (await fetch(place + name)).arrayBuffer();
    const contents = await (await fetch(place + 'contents.json')).json();
    const python = await loadPyodide({
        indexURL: place, stdLibURL: place + 'python.zip', packageBaseUrl: place,
        lockFileContents: { info: contents.lock, packages: {} },
        env: { HOME: '/damier', DAMIER_DATA_DIR: '/damier/data' },
    });
    python.unpackArchive(await bytes('damier.zip'), 'zip', { extractDir: '/damier' });
    for (const [name, text] of Object.entries(files)) python.FS.writeFile(`/damier/${name}`, text);
    python.globals.set('modules', python.toPy([]));
    for (const { kernels } of Object.values(contents.games))
        python.globals.get('modules').append(new Uint8Array(await bytes(kernels)));
    python.runPython(`
import json, sys
sys.path.insert(0, "/damier")
from damier import jit
from damier.jit.wasm import InBrowser, Modules
loaded = Modules(InBrowser)
jit.use(loaded)
for module in modules:
    loaded.add(bytes(module))
`);
    self.measured = (code) => JSON.parse(python.runPython(code));
}"""


def begun(worker: Worker, place: str) -> Worker:
    """Have the benchmarks in a worker."""
    files = {name: (HERE / name).read_text("utf-8") for name in ("measure.py", "positions.json")}
    worker.evaluate(BEGIN, [place, files])
    return worker


def there(worker: Worker, call: str) -> Any:
    """Return what a function of `measure` gives in a worker."""
    code = f"import time, measure\njson.dumps(measure.{call})"
    return worker.evaluate("(code) => self.measured(code)", code)


def compared(worker: Worker, name: str) -> dict[str, Any]:
    """Return how fast a game is searched here and there, and how deep."""
    here, in_browser = [], []
    for _ in range(TRIES):
        nodes, seconds = searched(name, time.perf_counter)
        here.append(nodes / seconds)
        nodes, seconds = there(worker, f"searched({name!r}, time.perf_counter)")
        in_browser.append(nodes / seconds)
    deep = reached(name, SECONDS), there(worker, f"reached({name!r}, {SECONDS})")
    return {
        "native_nodes_a_second": round(max(here)),
        "browser_nodes_a_second": round(max(in_browser)),
        "ratio": round(max(in_browser) / max(here), 2),
        "native_depth": deep[0],
        "browser_depth": deep[1],
        "depth_behind_native": deep[0] - deep[1],
    }


def missed(figures: dict[str, Any]) -> list[str]:
    """Return the figures that are not what they should be."""
    far = [key for key, most in MOST.items() if figures[key] > most]
    return far + [key for key, least in LEAST.items() if figures[key] < least]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=list(POSITIONS))
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args()
    found: dict[str, Any] = {}
    with visit.served() as (folder, address), visit.chromium() as browser:
        for name in args.games:
            found[name] = visit.visits(browser, folder, address, name)
        page, _ = visit.visit(browser.new_context(), address, args.games[0])
        (contents,) = folder.glob("*/engine")
        place = f"{address}{contents.relative_to(folder).as_posix()}/"
        worker = begun(page.workers[0], place)
        for name in args.games:
            found[name] |= compared(worker, name)
    for name, figures in found.items():
        print(f"{name}: {json.dumps(figures)}")
        for key in missed(figures):
            print(f"  {key} misses {MOST.get(key, LEAST.get(key))}")
    if args.store:
        store("site", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
