"""Benchmark of the static site in headless Chromium, compared with native code, in one run.

    python bench/site.py [GAME …] [--store]

For each game a first visit and a return visit open it and move at once, with files from this
machine. The figures are the first paint, the first move of the computer at the default level, the
bytes transferred until then, and the memory of the tab after a search of the best level.

Then the named positions of bench/positions.json are searched with a fixed number of nodes, as
native code here and as WebAssembly in a worker, alternately; and the first position with the time
of level 8. The best of three counts. With `--store` a line is added to bench/results/site.jsonl.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Worker

import visit
from damier.games.levels import TOP_LEVEL
from measure import POSITIONS, measure_depth, measure_search, store

HERE = Path(__file__).parent
TRIES = 3
SECONDS = TOP_LEVEL.seconds or 0.0  # search time of level 8
# Targets for each game: upper limits, and lower limits.
MAX_FIGURES = {
    "first_paint": 1.0,
    "first_answer": 8.0,
    "later_answer": 3.0,
    "compressed_bytes": 7_000_000,
    "compressed_page_bytes": 200_000,
    "memory_bytes": 300_000_000,
    "depth_behind_native": 1,
}
MIN_FIGURES = {"ratio": 0.6}
# Loads Python with the benchmarks into a worker of the page.
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
from damier.jit.wasm_runtime import BrowserInstance, WasmBackend
loaded = WasmBackend(BrowserInstance)
jit.use_backend(loaded)
for module in modules:
    loaded.add(bytes(module))
`);
    self.measured = (code) => JSON.parse(python.runPython(code));
}"""


def load_benchmarks(worker: Worker, place: str) -> Worker:
    """Load the benchmarks into a worker and return it."""
    files = {name: (HERE / name).read_text("utf-8") for name in ("measure.py", "positions.json")}
    worker.evaluate(BEGIN, [place, files])
    return worker


def call_in_worker(worker: Worker, call: str) -> Any:
    """Return the result of a function of `measure` in a worker."""
    code = f"import time, measure\njson.dumps(measure.{call})"
    return worker.evaluate("(code) => self.measured(code)", code)


def compare(worker: Worker, name: str) -> dict[str, Any]:
    """Return speed and depth of the search of a game, native and in the browser."""
    native, in_browser = [], []
    for _ in range(TRIES):
        nodes, seconds = measure_search(name, time.perf_counter)
        native.append(nodes / seconds)
        nodes, seconds = call_in_worker(worker, f"measure_search({name!r}, time.perf_counter)")
        in_browser.append(nodes / seconds)
    depths = (
        measure_depth(name, SECONDS),
        call_in_worker(worker, f"measure_depth({name!r}, {SECONDS})"),
    )
    return {
        "native_nodes_a_second": round(max(native)),
        "browser_nodes_a_second": round(max(in_browser)),
        "ratio": round(max(in_browser) / max(native), 2),
        "native_depth": depths[0],
        "browser_depth": depths[1],
        "depth_behind_native": depths[0] - depths[1],
    }


def missed_targets(figures: dict[str, Any]) -> list[str]:
    """Return the names of the figures that miss their targets."""
    above = [key for key, most in MAX_FIGURES.items() if figures[key] > most]
    return above + [key for key, least in MIN_FIGURES.items() if figures[key] < least]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=list(POSITIONS))
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args()
    results: dict[str, Any] = {}
    with visit.serve_site() as (folder, address), visit.chromium() as browser:
        for name in args.games:
            results[name] = visit.visits(browser, folder, address, name)
        page, _ = visit.visit(browser.new_context(), address, args.games[0])
        (contents,) = folder.glob("*/engine")
        place = f"{address}{contents.relative_to(folder).as_posix()}/"
        worker = load_benchmarks(page.workers[0], place)
        for name in args.games:
            results[name] |= compare(worker, name)
    for name, figures in results.items():
        print(f"{name}: {json.dumps(figures)}")
        for key in missed_targets(figures):
            print(f"  {key} misses {MAX_FIGURES.get(key, MIN_FIGURES.get(key))}")
    if args.store:
        store("site", results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
