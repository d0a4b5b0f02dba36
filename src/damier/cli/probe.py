"""`damier probe`: what a position is worth, and each of its turns, from a table."""

import argparse
import json

from damier import solve
from damier.cli.common import add_position, add_rules, position_of
from damier.errors import DamierError
from damier.history import Game
from damier.lang import say
from damier.solve import Value, best_line, probe_turns


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    add_position(parser)
    parser.add_argument(
        "--turns", "-t", nargs="+", default=[], metavar=say("cli.text"), help=say("solve.turns")
    )
    parser.add_argument("--json", action="store_true", help=say("solve.json"))


def run(args: argparse.Namespace) -> int:
    """Print the value of the position, of its turns, and the best line."""
    game = Game(position_of(args)).play(*args.turns)
    turns = probe_turns(game)
    value = solve.value(game, turns)
    if value is None:
        raise DamierError("no-value", game=game.rules.name)
    line = [turn.text for turn in best_line(game)]
    if args.json:
        print(
            json.dumps(
                {
                    "game": game.rules.name,
                    "options": dict(game.rules.changed),
                    "position": str(game.position),
                    **_json(value),
                    "turns": [{"turn": turn.text, **_json(v)} for turn, v in turns],
                    "line": line,
                }
            )
        )
        return 0
    print(sentence(value))
    width = max((len(turn.text) for turn, _ in turns), default=0)
    for turn, v in turns:
        print(f"  {turn.text:{width}}  {short(v)}")
    if line:
        print(say("solve.line", line=" ".join(line)))
    return 0


def _json(value: Value) -> dict[str, object]:
    return {"outcome": value.outcome, "distance": value.distance, "to": value.to}


def sentence(value: Value) -> str:
    """Return what a value means, as a sentence about the side to move."""
    if value.distance is None:
        return say(f"solve.{value.outcome}.ever" if value.outcome != "draw" else "solve.draw")
    return say(f"solve.{value.outcome}.{value.to}", count=value.distance)


def short(value: Value) -> str:
    """Return a value in a word and a number."""
    word = say(f"solve.word.{value.outcome}")
    return word if value.distance is None else f"{word} {value.distance}"
