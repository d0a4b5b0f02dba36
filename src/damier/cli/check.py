"""`damier check`: check a game, and list what it defines, leaves to defaults and should define."""

import argparse
from collections.abc import Callable, Iterator
from functools import partial

from damier import jit, rulebook
from damier.cli.common import game_name
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES, Folder
from damier.games.dynamic_checks import DynamicChecker
from damier.games.folder_checks import line_of_key
from damier.games.kernel_checks import compilation_error, compiler_location, is_compiler_error
from damier.games.run_time_errors import located_errors
from damier.games.static_checks import CONTRACT_NAMES, is_defined
from damier.i18n import LANGUAGES, texts, translate
from damier.learning import lessons
from damier.learning.puzzles.collection import puzzles
from damier.position import load_rules
from damier.search.searcher import evaluation_of

_GAMES, _STEPS = 20, 60  # random games of each preset, and steps of each

# Files of a folder, and whether a complete game should have them.
FILES = {
    **{f"texts.{language}.json": True for language in LANGUAGES},
    **{f"page.{language}.md": True for language in LANGUAGES},
    "look.json": True,
    "lessons.json": True,
    "puzzles.jsonl": False,
    "evaluation.py": False,
    "weights.json": False,
    "levels.py": False,
    "numbering.py": False,
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", metavar=translate("cli.game"), help=translate("cli.check.game"))


def run(args: argparse.Namespace) -> int:
    """Run all checks and print the lists; return 1 if something is wrong."""
    folder = GAMES[game_name(args.game)]  # loading checks the rules and the files
    # More games than at load time, and longer ones.
    checker = DynamicChecker(folder.module, try_swap=True, games=_GAMES, steps=_STEPS)
    checker.run()
    problems = list(_later_problems(folder))
    for problem in problems:
        print(translate("cli.error", message=problem))
    defined = sorted(name for name in CONTRACT_NAMES if is_defined(folder.module, name))
    missing = sorted(CONTRACT_NAMES - set(defined))
    files = [name for name in FILES if _exists(folder, name)]
    others = [*missing, *(name for name in FILES if name not in files)]
    print(translate("cli.check.defined", names=", ".join([*defined, *files])))
    print(translate("cli.check.defaulted", names=", ".join(others)))
    recommended = list(_recommendations(folder, checker, files))
    if recommended:
        print(translate("cli.check.recommended"))
    for line in recommended:
        print(f"- {line}")
    failed = bool(problems or folder.warnings)
    print(translate("cli.check.failed" if failed else "cli.check.passed"))
    return 1 if failed else 0


def _exists(folder: Folder, name: str) -> bool:
    return not folder.is_single_file and (folder.directory / name).is_file()


def _later_problems(folder: Folder) -> Iterator[DamierError]:
    """Yield the errors that otherwise appear on first use: of compiling, pages and data."""
    parts: list[Callable[[], object]] = [lambda: _compile(folder)]
    for language in LANGUAGES:
        if folder.page(language) is not None:
            parts.append(partial(rulebook.read, folder.name, language))
    if folder.lessons is not None:
        parts.append(lambda: lessons.read(folder.name))
    if _exists(folder, "look.json"):
        parts.append(lambda: _play_examples(folder))
    parts.append(lambda: puzzles(folder.name))
    for part in parts:
        try:
            with located_errors():
                part()
        except DamierError as error:
            yield error


def _compile(folder: Folder) -> None:
    """Compile the rules, which compares them with the plain ones, and the evaluation."""
    if not jit.enabled():
        return
    jit.link(folder.module)
    if folder.part("evaluation") is None:
        return
    words = load_rules(folder.name).start().words
    numbers = *folder.weights.weights.values(), *evaluation_of(folder).tables()
    try:
        module = evaluation_of(folder, compiled=True)
        module.evaluate(*words, jit.runtime_of(module).array(numbers))
    except Exception as error:
        if not is_compiler_error(error):
            raise
        path = folder.directory / "evaluation.py"
        where = compiler_location(error, folder.directory.resolve()) or f"{path}:1"
        raise compilation_error(error, where, path.name) from error


def _play_examples(folder: Folder) -> None:
    """Play the moves of `look.json`: on the small board, and to the position of the aim."""
    path, look = folder.directory / "look.json", folder.look
    aim = look.get("aim") or {}
    for name in ("miniature", "aim"):
        try:
            rules = load_rules(folder.name, **(aim.get("options", {}) if name == "aim" else {}))
            begin = rules.position(aim["start"]) if name == "aim" and aim else rules.start()
            game = Game(begin)
            for move in aim.get("turns", []) if name == "aim" else look.get("miniature", []):
                game = game.play(move)
        except DamierError as error:
            where = f"{path}:{line_of_key(path, name)}"
            raise DamierError("game-look", where=where, name=name, problem=error) from error


def _recommendations(folder: Folder, checker: DynamicChecker, files: list[str]) -> Iterator[str]:
    """Yield what would improve a game, as sentences."""
    if folder.is_single_file:
        yield translate("cli.check.folder")
    else:
        for name, recommended in FILES.items():
            if recommended and name not in files:
                yield translate("cli.check.file", name=name)
    module = folder.rules
    final = (1 << module.GROUPS) - 1
    if not module.MIDTURN and final != module.FINAL:  # every move has one step
        yield translate("cli.check.final", value=bin(final))
    if checker.captures and not module.CAPTURES:
        yield translate("cli.check.constant", name="CAPTURES = True")
    if not module.COLOUR_SWAP and checker.swapped is None:
        yield translate("cli.check.constant", name="COLOUR_SWAP = True")
    limited = is_defined(folder.module, "pawns")
    if "place" in checker.kinds and limited and module.hands(*checker.seen[0][0]) is None:
        yield translate("cli.check.hands")
    if is_defined(folder.module, "promoted") and not module.REPETITION_BITS:
        yield translate("cli.check.repetition")
    for language in LANGUAGES:
        file = f"texts.{language}.json"
        if file in files:
            known = folder.texts(language).keys() | texts(language).keys()
            for key in sorted(checker.noted.keys() - known):
                yield translate("cli.check.text", file=file, key=key)
