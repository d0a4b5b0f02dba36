"""The rules to test: every game with every preset and every value of every option."""

import random
from collections.abc import Iterator

import damier
from damier import GAMES, Game, Rules

# A number stands for all numbers; boards of every shape, not all of every size.
_NUMBERS = ("0", "3")
_BOARDS = ("3x3", "3x5", "5x3", "5x5", "7x9", "9x7", "3x21", "21x3", "11x5")


def _all() -> Iterator[tuple[str, Rules]]:
    for name, folder in GAMES.items():
        file = folder.rules
        for preset in file.PRESETS:
            yield f"{name} {preset}", damier.game(name, preset)
        for option in file.OPTIONS:
            for value in option.values or _NUMBERS:
                if value == option.default or (option.name == "board" and value not in _BOARDS):
                    continue
                yield f"{name} {option.name}={value}", damier.game(name, **{option.name: value})
        # All second values together: options must not trip over each other.
        others = {o.name: o.values[1] for o in file.OPTIONS if o.values and o.name != "board"}
        if len(others) > 1:
            yield f"{name} all others", damier.game(name, **others)


RULESETS = dict(_all())


def random_game(rules: Rules, seed: int, most: int = 80) -> Game:
    """Return a game of random turns. Turns that begin alike count as one, so that a hundred
    teleportations of one displacement do not outweigh the others."""
    chance = random.Random(seed)
    game = Game(rules)
    while game.ply < most and (turns := game.turns()):
        begin = chance.choice(sorted({turn.steps[0] for turn in turns}))
        game = game.play(chance.choice([turn for turn in turns if turn.steps[0] == begin]))
    return game
