"""The line protocol of `damier engine`, both ends: docs/protocol.md describes it.

Programs speak it to the engine, and the arena speaks it to other programs (`cmd:…`).
"""

from __future__ import annotations

import queue
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import takewhile
from time import monotonic
from typing import TYPE_CHECKING

from damier import __version__, jit
from damier.errors import DamierError
from damier.games import GAMES
from damier.games.terms import whole_number
from damier.history import Game
from damier.lang import say
from damier.position import Turn, game, read_options
from damier.search.alphabeta import MAX_DEPTH
from damier.search.analysis import CHANCE, LINE, judgement
from damier.search.engine import Engine, engine_for
from damier.search.known import endings_of, ranked_turns
from damier.search.levels import EnginePlayer
from damier.search.limits import Limits, Looked, Stop
from damier.search.root import SearchResult
from damier.search.warmup import begin_warming, ready
from damier.solve.tables.lines import line_of

if TYPE_CHECKING:
    from damier.solve.tables import Value

# The names of the limits of `go`, and what they are divided by to be ours.
GO_LIMITS = ("nodes", "movetime", "depth")
# What `setoption` sets, and what it is before: values of all turns; tables, where they are there;
# play for a win, as `engine:` does.
OPTIONS = {"multipv": False, "tables": True, "contempt": False}


class Server:
    """Answers lines; `say_line` is where its answers go, from more than one thread."""

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
        """Answer every line until `quit` or the end."""
        for line in lines:
            if not self.answer(line):
                return
        # The input is over: a search that will end by itself may do so.
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
        except Exception as error:  # whatever happens, the program goes on
            self._say(_refused(error))
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
            ranked = ranked_turns(played) if self._options["tables"] else None
            if ranked is not None:
                best = self._by_table(played, ranked, limits, stop)
            else:
                best = self._by_search(played, limits, stop)
            if self._infinite:
                stop.wait()
            answer = f"bestturn {best}"
        except Exception as error:  # the reader waits for an answer
            answer = _refused(error)
        self._searching = False  # before the answer: the next line may follow at once
        self._say(answer)

    def _by_table(
        self, played: Game, ranked: list[tuple[Turn, Value]], limits: Limits, stop: Stop
    ) -> str:
        """Say what a table knows of the turns; return the best one's text, which comes first."""
        best = EnginePlayer(limits, tables=True, seed=0).choose(played, stop).text
        ranked.sort(key=lambda pair: pair[0].text != best)
        for number, (turn, value) in enumerate(
            ranked if self._options["multipv"] else ranked[:1], 1
        ):
            parts = self._info(number, Looked())
            parts += ["chance", f"{CHANCE[value.outcome]:.3f}", "outcome", value.outcome]
            if value.distance is not None and value.to == "end":
                parts += ["distance", value.distance]
            parts += ["line", *(turn.text for turn in line_of(played, turn, value, LINE))]
            self._say(" ".join(str(part) for part in parts))
        return best

    def _by_search(self, played: Game, limits: Limits, stop: Stop) -> str:
        """Search, say after each depth what was found, and return the best turn's text."""
        if jit.enabled() and not ready(played.rules):
            self._say("info preparing")
        endings = endings_of(played.rules) if self._options["tables"] else None
        engine = engine_for(self._engine, played.rules, limits, endings=endings, stop=stop)
        self._engine = engine

        def report(result: SearchResult) -> None:
            for number, root in enumerate(
                result.turns if self._options["multipv"] else result.turns[:1], 1
            ):
                chance, outcome, distance = judgement(played.rules, root)
                parts = self._info(number, result.looked)
                parts += ["chance", f"{chance:.3f}"]
                if outcome is not None:
                    parts += ["outcome", outcome]
                if distance is not None:
                    parts += ["distance", distance]
                parts += ["line", *engine.line(root, played)]
                self._say(" ".join(str(part) for part in parts))

        result = engine.think(
            played, limits, multipv=self._options["multipv"], fresh=limits.repeatable,
            contempt=self._options["contempt"], stop=stop, report=report,
        )  # fmt: skip
        if result.hasty:
            self._say("info hasty")
        return result.best.text(played)

    def _info(self, number: int, looked: Looked) -> list[object]:
        """Return how a line about a turn begins."""
        parts: list[object] = ["info", "depth", looked.depth]
        if self._options["multipv"]:
            parts += ["multipv", number]
        return [*parts, "nodes", looked.nodes, "time", round(looked.seconds * 1000)]

    def _end(self) -> None:
        if self._stop is not None:
            self._stop.set()
        self._join()

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()


def _refused(error: Exception) -> str:
    """Return the line that says what is wrong: a fault of damier's with its name."""
    text = str(error) if isinstance(error, DamierError) else f"{type(error).__name__}: {error}"
    return " ".join(f"error {text}".split())


def read_position(words: list[str]) -> Game:
    """Return the game that `position GAME [options k=v…] [start|TEXT] [turns …]` describes."""
    if not words:
        raise DamierError("protocol-position")
    name, rest = words[0], words[1:]
    turns: list[str] = []
    if "turns" in rest:
        at = rest.index("turns")
        rest, turns = rest[:at], rest[at + 1 :]
    preset, options = None, dict[str, str]()
    if rest and rest[0] == "options":
        chosen = list(takewhile(lambda word: "=" in word and "/" not in word, rest[1:]))
        rest = rest[1 + len(chosen) :]
        options = read_options(chosen)
        preset = options.pop("preset", None)
    rules = game(name, preset, **options)
    if not rest or rest == ["start"]:
        start = rules.start()
    else:
        start = rules.position(" ".join(rest))
    return Game(start).play(*turns)


def read_go(words: list[str]) -> Limits:
    """Return the limits of a `go`."""
    if words in ([], ["infinite"]):
        return Limits()
    found: dict[str, int] = {}
    if len(words) % 2:
        raise DamierError("protocol-go", text=" ".join(words))
    for key, text in zip(words[::2], words[1::2], strict=True):
        number = whole_number(text)
        if key not in GO_LIMITS or key in found or not number:
            raise DamierError("protocol-go", text=" ".join(words))
        found[key] = number
    return Limits(
        depth=min(found.get("depth", MAX_DEPTH), MAX_DEPTH),
        nodes=found.get("nodes"),
        seconds=found["movetime"] / 1000 if "movetime" in found else None,
    )


def read_info(line: str) -> Looked | None:
    """Return what an `info depth …` line says of how much was looked at; None for other lines."""
    words = line.split()
    if words[:2] != ["info", "depth"]:
        return None
    words = words[: words.index("line")] if "line" in words else words
    told = dict(zip(words[1::2], words[2::2], strict=False))
    depth, nodes, milliseconds = (
        whole_number(told.get(name, "")) or 0 for name in ("depth", "nodes", "time")
    )
    return Looked(depth, nodes, milliseconds / 1000)


class CommandPlayer:
    """Another program that speaks the protocol. Started at its first turn, ended by `close`."""

    # How long the program may take to start, and to answer beyond its time, in seconds.
    PATIENCE = 60.0

    def __init__(self, command: list[str], go: str) -> None:
        self.looked = Looked()
        self._command = command
        self._go = go
        self._patience = self.PATIENCE + (read_go(go.split()).seconds or 0)
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def choose(self, game: Game, stop: Stop | None = None) -> Turn:
        """Return the turn that the program answers; refuse it if it is not legal."""
        if self._process is None:
            self._start()
        options = " ".join(f"{k}={v}" for k, v in game.rules.options.items())
        turns = f" turns {game.text}" if game.ply else ""
        self._tell(f"position {game.rules.name} options {options} {game.start}{turns}")
        self._tell(f"go {self._go}")
        self.looked = Looked()
        _, _, turn = self._expect("bestturn").partition(" ")
        return game.turn(turn)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", bufsize=1,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._tell("uci")
        self._expect("uciok")

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _tell(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _expect(self, word: str) -> str:
        """Return the next line that begins with a word."""
        until = monotonic() + self._patience
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - monotonic()))
            except queue.Empty:
                line = None
            if line is None or line.startswith("error"):
                raise DamierError("protocol-program", text=line or say("protocol.silence"))
            if line.split(" ")[0] == word:
                return line
            self.looked = read_info(line) or self.looked

    def close(self) -> None:
        """End the program."""
        if self._process is None:
            return
        with suppress(OSError):
            self._tell("quit")
        process, self._process = self._process, None
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._reader is not None:
            self._reader.join()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


def command_player(argument: str, seed: int | None) -> CommandPlayer:
    """Return the player that `cmd:[nodes=N|movetime=MS|depth=D] PROGRAM …` names."""
    try:
        words = shlex.split(argument)
    except ValueError:
        words = []
    limits = []
    while words and words[0].partition("=")[0] in GO_LIMITS and "=" in words[0]:
        limits += words.pop(0).split("=", 1)
    if not words:
        raise DamierError("protocol-cmd", argument=argument)
    if shutil.which(words[0]) is None:
        raise DamierError("protocol-missing", name=words[0])
    return CommandPlayer(words, " ".join(limits) or "movetime 1000")
