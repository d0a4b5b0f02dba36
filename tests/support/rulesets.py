"""Rules to test: every game with every preset and every value of every option."""

import random
from collections.abc import Iterator

import damier
from damier import GAMES, Game, Position, Rules

# A number stands for all numbers; boards of every shape, not all of every size.
_NUMBERS = ("0", "3")
_BOARDS = ("3x3", "3x5", "5x3", "5x5", "7x9", "9x7", "3x21", "21x3", "11x5")


def _all() -> Iterator[tuple[str, Rules]]:
    for name, folder in GAMES.items():
        module = folder.rules
        for preset in module.PRESETS:
            yield f"{name} {preset}", damier.load_rules(name, preset)
        for option in module.OPTIONS:
            for value in option.values or _NUMBERS:
                if value == option.default or (option.name == "board" and value not in _BOARDS):
                    continue
                yield (
                    f"{name} {option.name}={value}",
                    damier.load_rules(name, **{option.name: value}),
                )
        # All second values together: options must not trip over each other.
        others = {o.name: o.values[1] for o in module.OPTIONS if o.values and o.name != "board"}
        if len(others) > 1:
            yield f"{name} all others", damier.load_rules(name, **others)


RULESETS = dict(_all())


def random_game(rules: Rules, seed: int, max_moves: int = 80) -> Game:
    """Return a game of random moves.

    The first step is drawn first, so that a hundred teleportations after one displacement do not
    outweigh the other moves.
    """
    rng = random.Random(seed)
    game = Game(rules)
    while game.ply < max_moves and (moves := game.legal_moves()):
        begin = rng.choice(sorted({move.steps[0] for move in moves}))
        game = game.play(rng.choice([move for move in moves if move.steps[0] == begin]))
    return game


def reachable(rules: Rules) -> Iterator[Position]:
    """Yield every position that play can reach."""
    seen, waiting = {rules.start()}, [rules.start()]
    while waiting:
        position = waiting.pop()
        yield position
        new = position.children() - seen
        seen |= new
        waiting += new
