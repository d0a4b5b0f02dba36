"""Golden playthroughs: one game of random turns for each game and preset, as text with boards.

`python tests/golden.py` writes them anew; a change in them is a change in the rules or drawings,
to be read line by line.
"""

from pathlib import Path

import damier
from damier import GAMES, Game, lang

FOLDER = Path(__file__).parent / "data" / "golden"
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
MOST_TURNS = 60


def next_random(seed: int) -> int:
    """Return the next state of a linear congruence: these games must not change with damier's."""
    return (seed * 6364136223846793005 + 1442695040888963407) & ((1 << 63) - 1)


def path(name: str, preset: str) -> Path:
    """Return the file of a playthrough."""
    return FOLDER / f"{name}-{preset}.txt"


def playthrough(name: str, preset: str) -> str:
    """Return a playthrough as text."""
    game, seed = Game(damier.game(name, preset)), SEEDS[name, preset]
    lines = [f"{name}, preset {preset}: " + _options(game), ""]
    while True:
        turns = game.turns()
        lines += [game.position.draw(), str(game.position)]
        lines.append(f"{len(turns)} turns: {' '.join(turn.text for turn in turns)}"[:300])
        if not turns or game.ply >= MOST_TURNS:
            break
        # By the first step and then among its turns, so that one displacement that can be
        # followed in a hundred ways does not outweigh the others.
        seed = next_random(seed)
        first = sorted({turn.steps[0] for turn in turns})
        ways = [t for t in turns if t.steps[0] == first[(seed >> 31) % len(first)]]
        seed = next_random(seed)
        turn = ways[(seed >> 31) % len(ways)]
        game = game.play(turn)
        lines += ["", f"{game.ply}. {turn.text}"]
    result = game.result()
    lines += ["", result.sentence() if result else "The game goes on.", ""]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n"))


def _options(game: Game) -> str:
    return " ".join(f"{name}={value}" for name, value in game.rules.options.items())


if __name__ == "__main__":
    lang.use("en")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for one in PLAYTHROUGHS:
        path(*one).write_text(playthrough(*one), "utf-8")
