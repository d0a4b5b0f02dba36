"""Engine protocol of `damier engine`: the server; see docs/protocol.md.

The client, by which other programs play (`cmd:…`), is in `damier.search.external`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from damier import __version__, jit
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES
from damier.games.constants import whole_number
from damier.position import Move, load_rules, read_options
from damier.search.alphabeta import MAX_DEPTH
from damier.search.analysis import CHANCE, LINE_LENGTH, judgement
from damier.search.engine import Engine, engine_for
from damier.search.levels import EnginePlayer
from damier.search.limits import Limits, SearchStats, Stop
from damier.search.root import SearchResult
from damier.search.tablebase import endings_of, ranked_moves
from damier.search.warmup import begin_warming, ready
from damier.solve.tables.lines import line_of

if TYPE_CHECKING:
    from damier.solve.tables import Value

# Names of the limits of `go`.
GO_LIMITS = ("nodes", "movetime", "depth")
# Options of `setoption` with their defaults: report all moves; use tables; play for a win, as the
# player `engine:` does.
OPTIONS = {"multipv": False, "tables": True, "contempt": False}


class EngineServer:
    """Server of the engine protocol; it calls `say_line` for each line, from several threads."""

    def __init__(self, say_line: Callable[[str], None]) -> None:
        self._say = say_line
        self._game: Game | None = None
        self._stop: Stop | None = None
        self._thread: threading.Thread | None = None
        self._engine: Engine | None = None
        self._options = dict(OPTIONS)
        self._infinite = False
        self._searching = False

    def serve(self, lines: Iterable[str]) -> None:
        """Answer lines until `quit` or the end of the input."""
        for line in lines:
            if not self.answer(line):
                return
        # At the end of the input only an infinite search is stopped.
        if self._infinite and self._stop is not None:
            self._stop.set()
        self._join()

    def answer(self, line: str) -> bool:
        """Answer a line; return False after `quit`."""
        words = line.split()
        if not words:
            return True
        name, arguments = words[0], words[1:]
        if name == "quit":
            self._end()
            return False
        commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._hello,
            "isready": lambda _: self._say("readyok"),
            "newgame": self._new_game,
            "setoption": self._set_option,
            "position": self._position,
            "go": self._go,
            "stop": lambda _: self._end(),
        }
        try:
            if name not in commands:
                raise DamierError("protocol-command", name=name, commands=", ".join(commands))
            commands[name](arguments)
        except Exception as error:  # a failed command must not end the server
            self._say(_error_line(error))
        return True

    def _hello(self, _: list[str]) -> None:
        self._say(f"id name damier {__version__}")
        for name, default in OPTIONS.items():
            self._say(f"option name {name} type check default {str(default).lower()}")
        for name, folder in GAMES.items():
            self._say(f"game {name} presets {' '.join(folder.rules.PRESETS)}")
        self._say("uciok")

    def _set_option(self, words: list[str]) -> None:
        named = len(words) == 4 and words[:3:2] == ["name", "value"]
        if not named or words[1] not in OPTIONS or words[3] not in ("true", "false"):
            names = ", ".join(OPTIONS)
            raise DamierError("protocol-option", text=" ".join(words), names=names)
        self._options[words[1]] = words[3] == "true"

    def _new_game(self, _: list[str]) -> None:
        self._end()
        self._engine = None

    def _position(self, words: list[str]) -> None:
        if self._searching:
            raise DamierError("protocol-searching")
        self._game = read_position(words)
        begin_warming(self._game.rules)

    def _go(self, words: list[str]) -> None:
        if self._searching:
            raise DamierError("protocol-searching")
        limits = read_go(words)
        if self._game is None:
            raise DamierError("protocol-no-position")
        if self._game.over:
            raise DamierError("over")
        self._infinite = limits == Limits()
        self._stop = Stop()
        self._searching = True
        self._thread = threading.Thread(
            target=self._search, args=(self._game, limits, self._stop), daemon=True
        )
        self._thread.start()

    def _search(self, played: Game, limits: Limits, stop: Stop) -> None:
        try:
            ranked = ranked_moves(played) if self._options["tables"] else None
            if ranked is not None:
                best = self._by_table(played, ranked, limits, stop)
            else:
                best = self._by_search(played, limits, stop)
            if self._infinite:
                stop.wait()
            answer = f"bestturn {best}"
        except Exception as error:  # the client waits for a line
            answer = _error_line(error)
        self._searching = False  # before the line is sent: the next command may follow at once
        self._say(answer)

    def _by_table(
        self, played: Game, ranked: list[tuple[Move, Value]], limits: Limits, stop: Stop
    ) -> str:
        """Report the table values of the moves, best first; return the text of the best move."""
        best = EnginePlayer(limits, tables=True, seed=0).choose(played, stop).text
        ranked.sort(key=lambda pair: pair[0].text != best)
        for number, (move, value) in enumerate(
            ranked if self._options["multipv"] else ranked[:1], 1
        ):
            parts = self._info(number, SearchStats())
            parts += ["chance", f"{CHANCE[value.outcome]:.3f}"]
            parts += ["bound", "true"] if value.bound else ["outcome", value.outcome]
            if value.distance is not None and value.to == "end":
                parts += ["distance", value.distance]
            parts += ["line", *(move.text for move in line_of(played, move, value, LINE_LENGTH))]
            self._say(" ".join(str(part) for part in parts))
        return best

    def _by_search(self, played: Game, limits: Limits, stop: Stop) -> str:
        """Search with a report after each depth; return the text of the best move."""
        if jit.enabled() and not ready(played.rules):
            self._say("info preparing")
        endings = endings_of(played.rules) if self._options["tables"] else None
        engine = engine_for(self._engine, played.rules, limits, endings=endings, stop=stop)
        self._engine = engine

        def report(result: SearchResult) -> None:
            for number, root in enumerate(
                result.moves if self._options["multipv"] else result.moves[:1], 1
            ):
                chance, outcome, distance = judgement(played.rules, root)
                parts = self._info(number, result.search_stats)
                parts += ["chance", f"{chance:.3f}"]
                if outcome is not None:
                    parts += ["outcome", outcome]
                if distance is not None:
                    parts += ["distance", distance]
                parts += ["line", *engine.line(root, played)]
                self._say(" ".join(str(part) for part in parts))

        result = engine.think(
            played,
            limits,
            multipv=self._options["multipv"],
            fresh=limits.repeatable,
            contempt=self._options["contempt"],
            stop=stop,
            report=report,
        )
        if result.hasty:
            self._say("info hasty")
        return result.best.text(played)

    def _info(self, number: int, stats: SearchStats) -> list[object]:
        """Return the first words of an `info` line."""
        parts: list[object] = ["info", "depth", stats.depth]
        if self._options["multipv"]:
            parts += ["multipv", number]
        return [*parts, "nodes", stats.nodes, "time", round(stats.seconds * 1000)]

    def _end(self) -> None:
        if self._stop is not None:
            self._stop.set()
        self._join()

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()


def _error_line(error: Exception) -> str:
    """Return the `error` line; unexpected errors include the name of their class."""
    text = str(error) if isinstance(error, DamierError) else f"{type(error).__name__}: {error}"
    return " ".join(f"error {text}".split())


def read_position(words: list[str]) -> Game:
    """Return the game that `position GAME [options k=v…] [start|TEXT] [turns …]` describes."""
    if not words:
        raise DamierError("protocol-position")
    name, rest = words[0], words[1:]
    moves: list[str] = []
    if "turns" in rest:
        index = rest.index("turns")
        rest, moves = rest[:index], rest[index + 1 :]
    preset, options = None, dict[str, str]()
    if rest and rest[0] == "options":
        chosen = list(takewhile(lambda word: "=" in word and "/" not in word, rest[1:]))
        rest = rest[1 + len(chosen) :]
        options = read_options(chosen)
        preset = options.pop("preset", None)
    rules = load_rules(name, preset, **options)
    if not rest or rest == ["start"]:
        start = rules.start()
    else:
        start = rules.position(" ".join(rest))
    return Game(start).play(*moves)


def read_go(words: list[str]) -> Limits:
    """Return the limits of a `go` command; raise DamierError if they are invalid."""
    if words in ([], ["infinite"]):
        return Limits()
    limits: dict[str, int] = {}
    if len(words) % 2:
        raise DamierError("protocol-go", text=" ".join(words))
    for key, text in zip(words[::2], words[1::2], strict=True):
        number = whole_number(text)
        if key not in GO_LIMITS or key in limits or not number:
            raise DamierError("protocol-go", text=" ".join(words))
        limits[key] = number
    return Limits(
        depth=min(limits.get("depth", MAX_DEPTH), MAX_DEPTH),
        nodes=limits.get("nodes"),
        seconds=limits["movetime"] / 1000 if "movetime" in limits else None,
    )
