"""`damier probe`: print the value of a position and of its moves from a table."""

import argparse
import json
import sys
from collections.abc import Iterable

from damier import solve
from damier.cli.common import add_position, add_rules, position_of, rules_of
from damier.errors import DamierError
from damier.gameplay import Game
from damier.i18n import translate
from damier.position import Move
from damier.solve import Value, best_line, probe_moves
from damier.solve.tables import other_tables


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)
    parser.add_argument(
        "--moves",
        "--turns",
        "-t",
        nargs="+",
        default=[],
        metavar=translate("cli.text"),
        help=translate("solve.turns"),
    )
    parser.add_argument("--json", action="store_true", help=translate("solve.json"))
    parser.add_argument("--stdin", action="store_true", help=translate("solve.stdin"))


def run(args: argparse.Namespace) -> int:
    """Print the value of the position, the values of its moves, and the best line."""
    if args.stdin:
        return _answer_lines(args, sys.stdin)
    game = Game(position_of(args)).play(*args.moves)
    value, moves, line = _probe(game)
    if args.json:
        print(json.dumps(_as_json(game, value, moves, line)))
        return 0
    print(sentence(value))
    width = max((len(move.text) for move, _ in moves), default=0)
    for move, v in moves:
        print(f"  {move.text:{width}}  {short(v)}")
    if line:
        print(translate("solve.line", line=" ".join(line)))
    return 0


def _answer_lines(args: argparse.Namespace, lines: Iterable[str]) -> int:
    """Print a line of JSON for each position, or its error; return 1 if there was an error."""
    rules, status = rules_of(args), 0
    for text in map(str.strip, lines):
        if not text:
            continue
        answer: dict[str, object]
        try:
            game = Game(rules.position(text))
            answer = _as_json(game, *_probe(game))
        except DamierError as error:
            answer, status = {"position": text, "error": str(error)}, 1
        print(json.dumps(answer), flush=True)
    return status


Probed = tuple[Value, list[tuple[Move, Value]], list[str]]


def _probe(game: Game) -> Probed:
    """Return the value of a position, the values of its moves, and the best line."""
    moves = probe_moves(game)
    value = solve.value(game, moves)
    if value is None:
        others = other_tables(game.rules)
        if others and solve.find(game.rules) is None:
            raise DamierError("no-table-of-rules", game=game.rules.name, path=others[-1])
        raise DamierError("no-value", game=game.rules.name)
    return value, moves, [move.text for move in best_line(game)]


def _as_json(
    game: Game, value: Value, moves: list[tuple[Move, Value]], line: list[str]
) -> dict[str, object]:
    """Return the JSON object of a probed position."""
    return {
        "game": game.rules.name,
        "options": dict(game.rules.changed),
        "position": str(game.position),
        **_json(value),
        "turns": [{"turn": move.text, **_json(v)} for move, v in moves],
        "line": line,
    }


def _json(value: Value) -> dict[str, object]:
    return {
        "outcome": value.outcome,
        "distance": value.distance,
        "to": value.to,
        "bound": value.bound,
    }


def sentence(value: Value) -> str:
    """Return a sentence that explains a value from the view of the side to move."""
    if value.bound:
        return translate("solve.bound")
    if value.distance is None:
        return translate(f"solve.{value.outcome}.ever" if value.outcome != "draw" else "solve.draw")
    return translate(f"solve.{value.outcome}.{value.to}", count=value.distance)


def short(value: Value) -> str:
    """Return a value as its outcome and, if known, its distance."""
    outcome = translate(f"solve.word.{'bound' if value.bound else value.outcome}")
    return outcome if value.distance is None else f"{outcome} {value.distance}"
