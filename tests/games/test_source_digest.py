"""Digest of a game's sources: comments and docstrings do not change it, code does."""

import ast

import pytest

from damier.games.source_digest import digest_of

SOURCE = '''"""A game."""

LIMIT = 3  # pawns


def start(r):
    """Return the start."""
    return (0, 0, r)
'''


def digest(*sources: str) -> str:
    return digest_of(ast.parse(source) for source in sources)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# pawns", "# pawns of a side"),
        ("  # pawns", ""),
        ('"""A game."""', '"""A small game.\n\nFor two.\n"""'),
        ('    """Return the start."""\n', ""),
        ("(0, 0, r)", "0, 0, r"),
        ("\n\n\n", "\n"),
        ("\n", "\r\n"),
    ],
)
def test_how_a_source_is_written_does_not_change_its_digest(old: str, new: str) -> None:
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) == digest(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("LIMIT = 3", 'LIMIT = "3"'),
        ("LIMIT = 3", "LIMITS = 3"),
        ("LIMIT = 3", 'LIMIT = "A game."'),
        ("LIMIT = 3", "LIMIT = None"),
        ("(0, 0, r)", "(0, r, 0)"),
        ("(0, 0, r)", "(0, (0, r))"),
        ("(0, 0, r)", "[0, 0, r]"),
        ("return (0, 0, r)", "return\n    (0, 0, r)"),
        ("def start(r):", "@kernel\ndef start(r):"),
    ],
)
def test_other_code_has_another_digest(old: str, new: str) -> None:
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) != digest(SOURCE)


def test_two_files_have_another_digest_than_both_in_one() -> None:
    assert digest("a = 1", "b = 2") != digest("a = 1\nb = 2")


def test_the_digest_is_the_same_in_all_versions_of_python() -> None:
    """A table built in one version of Python is used in another, such as that of a browser."""
    source = """
def text(x: int, /, *more, key=None, **rest) -> str:
    match x:
        case 0 | 1: return f"{x!r:>{key}}{x=}"
    with open(x) as a, a as b: pass
    return [y for y in more if (z := y) is not ...][1:] if x else 'joined' "text"
"""
    assert digest(source) == "b09097a2bc42ae8c"


def test_a_long_expression_does_not_exhaust_the_stack() -> None:
    assert digest("x = " + " + ".join(["1"] * 2000)) != digest("x = " + " + ".join(["1"] * 1999))
