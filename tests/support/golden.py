"""Golden playthroughs: one game of random moves for each game and preset, as text with boards.

`python -m tests.support.golden` writes them again. A change in them is a change in the rules or the
drawings: review it line by line.
"""

from pathlib import Path

import damier
from damier import GAMES, Game, i18n

FOLDER = Path(__file__).parents[1] / "data" / "golden"
PLAYTHROUGHS = [(name, preset) for name, folder in GAMES.items() for preset in folder.rules.PRESETS]
# Seeds with which random play soon comes to an end: found by trying the first few hundred.
SEEDS = {
    ("fraha", "leaflet"): 27,
    ("chefa", "leaflet"): 46,
    ("chefa", "fair"): 52,
    ("badia", "leaflet"): 109,
    ("seega", "leaflet"): 21,
    ("fanorona", "malagasy"): 262,
    ("fanorona", "international"): 60,
}
MAX_MOVES = 60


def next_random(seed: int) -> int:
    """Return the next state of a linear congruential generator, independent of damier's."""
    return (seed * 6364136223846793005 + 1442695040888963407) & ((1 << 63) - 1)


def path(name: str, preset: str) -> Path:
    """Return the file of a playthrough."""
    return FOLDER / f"{name}-{preset}.txt"


def playthrough(name: str, preset: str) -> str:
    """Return a playthrough as text."""
    game, seed = Game(damier.load_rules(name, preset)), SEEDS[name, preset]
    lines = [f"{name}, preset {preset}: " + _options(game), ""]
    while True:
        moves = game.legal_moves()
        lines += [game.position.draw(), str(game.position)]
        lines.append(f"{len(moves)} turns: {' '.join(move.text for move in moves)}"[:300])
        if not moves or game.ply >= MAX_MOVES:
            break
        # By the first step and then among its moves, so that one displacement that can be
        # followed in a hundred ways does not outweigh the others.
        seed = next_random(seed)
        first = sorted({move.steps[0] for move in moves})
        ways = [t for t in moves if t.steps[0] == first[(seed >> 31) % len(first)]]
        seed = next_random(seed)
        move = ways[(seed >> 31) % len(ways)]
        game = game.play(move)
        lines += ["", f"{game.ply}. {move.text}"]
    result = game.result()
    lines += ["", result.sentence() if result else "The game goes on.", ""]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n"))


def _options(game: Game) -> str:
    return " ".join(f"{name}={value}" for name, value in game.rules.options.items())


if __name__ == "__main__":
    i18n.set_language("en")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for one in PLAYTHROUGHS:
        path(*one).write_text(playthrough(*one), "utf-8")
