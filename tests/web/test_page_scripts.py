"""The modules of the page's scripts: how they import each other, and what they export."""

import re
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

from damier.web.app import STATIC

SCRIPTS = {
    path: re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    for path in sorted(STATIC.rglob("*.js"))
}


def test_imports_have_no_cycle() -> None:
    """`import()` does not count: it runs when both modules are complete."""
    imports = {
        path: {(path.parent / name).resolve() for name in re.findall(r" from '(\.[^']+)';", text)}
        for path, text in SCRIPTS.items()
    }
    assert sum(map(len, imports.values())) > 300
    assert all(named <= SCRIPTS.keys() for named in imports.values())
    TopologicalSorter(imports).prepare()  # raises CycleError


def test_an_export_name_has_one_meaning() -> None:
    exports = defaultdict(list)
    for path, text in SCRIPTS.items():
        for name in re.findall(
            r"^export (?:async )?(?:class|const|function|let) (\w+)", text, re.M
        ):
            exports[name].append(path.relative_to(STATIC).as_posix())
    assert len(exports) > 200
    assert {name: files for name, files in exports.items() if len(files) > 1} == {}


# Names under which the page's modules hold games, tables and their parts.
OBJECTS = (
    "animation|board|copy|engine|game|hints|input|kid|mode|model|move|moveInput|moveList|"
    "names|node|panel|parent|premoves|promptBox|review|root|solver|study|table|tip|tree"
)
ASSIGNMENT = re.compile(
    rf"(?<![\w.])((?:this\.)?(?:\w+[.?]+)*(?:{OBJECTS}))\.(\w+)(?: [-+*|&?]{{0,2}}=(?!=)|\+\+|--)"
)


def test_fields_are_changed_by_methods_of_their_object_only() -> None:
    sources = {path: text for path, text in SCRIPTS.items() if path.parent.name != "share"}
    fields = {name for text in sources.values() for name in re.findall(r"this\.(\w+) =(?!=)", text)}
    assert {"tree", "current", "children", "resigned", "marks"} <= fields
    found = [
        f"{path.relative_to(STATIC)}: {match[0]}"
        for path, text in sources.items()
        for match in ASSIGNMENT.finditer(text)
        if match[2] in fields and match[1] != "this.animation"  # a record of the table itself
    ]
    assert found == []
    assert ASSIGNMENT.search("    this.table.tree.current = node;")
    assert ASSIGNMENT.search("  moveInput.origin = null;")
    assert not ASSIGNMENT.search("  this.tree = tree;")


def test_classes_are_composed() -> None:
    """The only base classes are the platform's."""
    bases = {
        base for text in SCRIPTS.values() for base in re.findall(r"class \w+ extends (\w+)", text)
    }
    assert bases <= {"Error", "EventTarget"}
    casts = [
        path.name
        for path, text in _raw_scripts().items()
        if re.search(r"unknown\} \*/ \(null", text)
    ]
    assert casts == []


def _raw_scripts() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in SCRIPTS}
