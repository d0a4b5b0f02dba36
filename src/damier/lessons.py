"""Lessons: a game learnt by doing it, step by step, as the game's own folder tells it.

`lessons.json` has the steps as structure, `lessons.LANGUAGE.json` their words. A step is a position
and something to do in it:

    {"steps": [
      {"key": "line",
       "position": "...../.b.b./...../.b.b./www.w w",
       "goal": {"win": true},
       "show": "e1-d1",
       "wrong": {"away": {"to": ["e2"]}},
       "refused": {"corner": ["a1>b2"]}}]}

The goal is what a turn must do, all of it if it names several things (see `Goal`). `show` is the
turn that the hint points at; without it, the first that meets the goal. `wrong` names kinds of
turns that miss the goal, each by what such a turn does, and `refused` what a player may try in
vain, from cell to cell, or `>cell` for a placement: each of these has an answer of its own. `then`
is a list of what follows once the goal is met: the `reply` of the opponent, and again goal, show,
wrong and refused. A step with `against` is a game to be won against that level.

The words of a step begin with its key: `line.title`, `line.do` (what to do, in a sentence or two),
`line.done` (what is said once it is done), `line.wrong` (what is said of any other turn; may be
left out), `line.wrong.NAME` for each name above, `line.then.1` for what to do after the first
reply, `line.lost` and `line.drawn` after a game that was not won. Reading lessons checks all of
it, so that they cannot teach what the rules do not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from damier.errors import DamierError
from damier.games import GAMES
from damier.games.levels import LEVELS
from damier.history import Game
from damier.lang import LANGUAGES, say_of
from damier.position import Position, Turn, game

_STEP = {"key", "position", "against", "then"}
_STAGE = {"goal", "show", "wrong", "refused"}


@dataclass(frozen=True)
class Goal:
    """What a turn must do: all that is named.

    `any`: nothing in particular. `turn`: be one of these. `kind`: have a step of this kind.
    `to`: bring an own pawn to one of these cells. `takes`: capture at least so many pawns.
    `sends`: send an enemy pawn to one of these cells. `win`: win the game at once. `holds`: leave
    the opponent no turn that wins at once. `safe`: leave him none that captures.
    """

    any: bool = False
    turn: tuple[str, ...] = ()
    kind: str = ""
    to: tuple[str, ...] = ()
    takes: int = 0
    sends: tuple[str, ...] = ()
    win: bool = False
    holds: bool = False
    safe: bool = False

    def met_by(self, turn: Turn, side: str) -> bool:
        """Tell whether a legal turn of a side does it."""
        steps, after = turn.described, turn.after
        result = after.result()
        if self.turn and turn.text not in self.turn:
            return False
        if self.kind and all(step.kind != self.kind for step in steps):
            return False
        own = [s.target for s in steps if s.kind in ("place", "move", "swap", "drop")]
        if self.to and not (own and own[-1] in self.to):
            return False
        if sum(len(step.takes) for step in steps) < self.takes:
            return False
        if self.sends and not _sent(turn) & set(self.sends):
            return False
        won = None if result is None else result.winner == side
        if (self.win and not won) or (self.holds and won is False):
            return False
        if self.safe and any(
            step.takes for reply in _replies(turn, side) for step in reply.described
        ):
            return False
        return not self.holds or all(_harmless(reply, after.side) for reply in _replies(turn, side))


def _sent(turn: Turn) -> set[str]:
    """Return the cells on which a turn has put enemy pawns."""
    found = {step.target for step in turn.described if step.kind == "put"}
    found |= {step.origin for step in turn.described if step.kind == "swap"}
    found |= {to for step in turn.described for _, to in step.puts}
    return {cell for cell in found if cell is not None}


def _replies(turn: Turn, side: str) -> Iterator[Turn]:
    after = turn.after
    if not after.over and after.side != side:
        yield from after.iter_turns()


def _harmless(reply: Turn, side: str) -> bool:
    result = reply.after.result()
    return result is None or result.winner != side


@dataclass(frozen=True)
class Stage:
    """One turn to find: where, and what is said of which turns.

    `reply` is the opponent's turn that has led here, `shown` the turn that a hint points at.
    `wrong` and `refused` have the names of the words that answer them.
    """

    position: Position
    goal: Goal
    shown: Turn
    wrong: Mapping[str, Goal]
    refused: Mapping[tuple[str | None, str], str]
    reply: str | None = None

    def is_right(self, turn: Turn) -> bool:
        """Tell whether a legal turn does what is asked."""
        return self.goal.met_by(turn, self.position.side)

    @property
    def right(self) -> list[Turn]:
        """All legal turns that do what is asked."""
        return [turn for turn in self.position.iter_turns() if self.is_right(turn)]

    def wrong_name(self, turn: Turn) -> str | None:
        """Return the name of the mistake that a turn is, if it has one."""
        side = self.position.side
        return next((name for name, like in self.wrong.items() if like.met_by(turn, side)), None)


@dataclass(frozen=True)
class Step:
    """Something to do: a turn, several with what is replied to them, or a game to be won."""

    key: str
    stages: tuple[Stage, ...]
    against: int | None = None  # the level of the opponent

    @property
    def position(self) -> Position:
        """Where it begins."""
        return self.stages[0].position


@dataclass(frozen=True)
class Verdict:
    """Whether a turn does what is asked, and the key of what is said of it.

    `reply` is what the opponent plays, where the step goes on.
    """

    met: bool
    said: str
    reply: str | None = None


@dataclass(frozen=True)
class Lessons:
    """A game's lessons, with their words in each language that they are in."""

    game: str
    steps: tuple[Step, ...]
    words: Mapping[str, Mapping[str, str]]

    def said(self, key: str, language: str) -> str:
        """Return words in a language; in the one that there is, if there are none in that."""
        return next(
            self.words[one].get(key, "") for one in (language, *LANGUAGES) if one in self.words
        )

    def judge(self, step: int, stage: int, text: str) -> Verdict:
        """Say whether a turn does what a stage of a step asks for."""
        if not 0 <= step < len(self.steps) or not 0 <= stage < len(self.steps[step].stages):
            raise DamierError("no-lesson", game=say_of(self.game, "name"), step=step + 1)
        found = self.steps[step]
        here = found.stages[stage]
        turn = here.position.turn(text)
        if not here.is_right(turn):
            name = here.wrong_name(turn)
            return Verdict(False, f"{found.key}.wrong" + (f".{name}" if name else ""))
        if stage + 1 == len(found.stages):
            return Verdict(True, f"{found.key}.done")
        return Verdict(True, f"{found.key}.then.{stage + 1}", found.stages[stage + 1].reply)


def count(name: str) -> int:
    """Return how many steps a game's lessons have, unread: 0 for a game that has none."""
    raw = GAMES[name].lessons
    steps = raw.get("steps") if raw else None
    return len(steps) if isinstance(steps, list) else 0


@cache
def read(name: str) -> Lessons:
    """Return a game's lessons, everything in them checked, or raise DamierError."""
    rules = game(name)
    raw = rules.folder.lessons
    if raw is None:
        raise DamierError("no-lessons", game=say_of(rules.name, "name"))
    words = {one: w for one in LANGUAGES if (w := rules.folder.lesson_words(one)) is not None}
    return parse(rules.name, raw, words)


def parse(name: str, raw: Mapping[str, Any], words: Mapping[str, Mapping[str, str]]) -> Lessons:
    """Return the lessons that some structure and words say, everything in them checked."""
    where = str(GAMES[name].directory / "lessons.json")
    if set(raw) != {"steps"} or not isinstance(raw["steps"], list) or not raw["steps"]:
        raise DamierError("lesson-field", where=where, name="steps")
    steps = tuple(_Reader(name, where, one).step() for one in raw["steps"])
    keys = [step.key for step in steps]
    for key in keys:
        if keys.count(key) > 1:
            raise DamierError("lesson-field", where=f"{where}: {key}", name="key")
    _check_words(GAMES[name].directory, steps, words)
    return Lessons(name, steps, words)


def _check_words(
    folder: Any, steps: tuple[Step, ...], words: Mapping[str, Mapping[str, str]]
) -> None:
    needed = {key for step in steps for key in _keys_of(step)}
    allowed = needed | {f"{step.key}.wrong" for step in steps}
    if not words:
        raise DamierError("lesson-words", where=folder, names=f"lessons.{LANGUAGES[0]}.json")
    for language, found in words.items():
        where = folder / f"lessons.{language}.json"
        bad = [key for key, text in found.items() if not isinstance(text, str) or not text.strip()]
        missing = sorted((needed - found.keys()) | set(bad))
        if missing:
            raise DamierError("lesson-words", where=where, names=", ".join(missing))
        unused = sorted(found.keys() - allowed)
        if unused:
            raise DamierError("lesson-unused", where=where, names=", ".join(unused))


def _keys_of(step: Step) -> Iterator[str]:
    """Yield the keys of the words that a step needs."""
    yield from (f"{step.key}.{part}" for part in ("title", "do", "done"))
    yield from (f"{step.key}.then.{n}" for n in range(1, len(step.stages)))
    if step.against is not None:
        yield from (f"{step.key}.{part}" for part in ("lost", "drawn"))
    for stage in step.stages:
        yield from (f"{step.key}.wrong.{n}" for n in (*stage.wrong, *stage.refused.values()))


class _Reader:
    """Reads a step, so that an error can say which one it is in."""

    def __init__(self, name: str, where: str, raw: Any) -> None:
        self.rules, self.raw, self.where = game(name), raw, where
        known = raw.get("key") if isinstance(raw, dict) else None
        if not isinstance(known, str) or not re.fullmatch("[a-z][a-z0-9-]*", known):
            raise self.error("lesson-field", name="key")
        self.key = known
        self.where = f"{where}: {known}"

    def error(self, key: str, **details: object) -> DamierError:
        return DamierError(key, where=self.where, **details)

    def field(self, raw: Mapping[str, Any], name: str, kind: type, otherwise: Any = None) -> Any:
        found = raw.get(name, otherwise)
        if found is not otherwise and (not isinstance(found, kind) or isinstance(found, bool)):
            raise self.error("lesson-field", name=name)
        return found

    def step(self) -> Step:
        raw = self.raw
        self.know(raw, _STEP | _STAGE)
        text = self.field(raw, "position", str)
        position = self.rules.start() if text is None else self.position(text)
        against = self.field(raw, "against", int)
        if against is not None and against not in LEVELS:
            raise self.error("lesson-field", name="against")
        if against is not None and raw.get("goal", {"win": True}) != {"win": True}:
            raise self.error("lesson-field", name="goal")
        if against is not None:
            return Step(self.key, (self.game_stage(position),), against)
        stages = [self.stage(position, raw)]
        for one in self.field(raw, "then", list, []):
            if not isinstance(one, dict):
                raise self.error("lesson-field", name="then")
            self.know(one, _STAGE | {"reply"})
            stages.append(self.next_stage(stages[-1], one))
        return Step(self.key, tuple(stages))

    def know(self, raw: Mapping[str, Any], names: set[str]) -> None:
        for name in raw:
            if name not in names:
                raise self.error("lesson-field", name=name)

    def position(self, text: str) -> Position:
        try:
            found = self.rules.position(text)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error
        if found.over:
            raise self.error("lesson-says", problem=DamierError("over"))
        return found

    def game_stage(self, position: Position) -> Stage:
        """Return the only stage of a game: any turn will do, and the end decides."""
        return Stage(position, Goal(any=True), next(position.iter_turns()), {}, {})

    def next_stage(self, before: Stage, raw: Mapping[str, Any]) -> Stage:
        """Return what follows a reply. Only one turn may lead there, or the reply might not fit."""
        if len(before.right) > 1:
            raise self.error("lesson-several")
        reply = self.field(raw, "reply", str)
        if reply is None:
            raise self.error("lesson-field", name="reply")
        after = before.shown.after.play(self.turn(before.shown.after, reply))
        if after.over:
            raise self.error("lesson-says", problem=DamierError("over"))
        return self.stage(after, raw, reply)

    def turn(self, position: Position, text: str) -> Turn:
        try:
            return position.turn(text)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error

    def stage(self, position: Position, raw: Mapping[str, Any], reply: str | None = None) -> Stage:
        goal = self.goal(position, raw.get("goal"))
        shown = self.field(raw, "show", str)
        turns = list(position.iter_turns())
        right = [turn for turn in turns if goal.met_by(turn, position.side)]
        if not right:
            raise self.error("lesson-no-way")
        show = right[0] if shown is None else self.turn(position, shown)
        if show not in right:
            raise self.error("lesson-show", turn=shown)
        wrong = {
            name: self.goal(position, like)
            for name, like in self.field(raw, "wrong", dict, {}).items()
        }
        for name, like in wrong.items():
            if not any(like.met_by(turn, position.side) for turn in turns if turn not in right):
                raise self.error("lesson-not-wrong", name=name)
        refused = dict(self.refused(position, self.field(raw, "refused", dict, {})))
        return Stage(position, goal, show, wrong, refused, reply)

    def goal(self, position: Position, raw: Any) -> Goal:
        """Return what a turn is to do, each part of the right kind."""
        if not isinstance(raw, dict) or not raw:
            raise self.error("lesson-field", name="goal")
        said: dict[str, Any] = {}
        for name, value in raw.items():
            usual = Goal.__dataclass_fields__.get(name)
            if usual is None or type(value) is not _JSON[type(usual.default)]:
                raise self.error("lesson-field", name=name)
            said[name] = tuple(value) if isinstance(value, list) else value
        try:
            for cell in (*said.get("to", ()), *said.get("sends", ())):
                position.cell(cell)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error
        for text in said.get("turn", ()):
            self.turn(position, text)
        return Goal(**said)

    def refused(
        self, position: Position, raw: Mapping[str, Any]
    ) -> Iterator[tuple[tuple[str | None, str], str]]:
        """Yield what is tried in vain, with the name of the words that say why."""
        for name, tries in raw.items():
            for one in tries if isinstance(tries, list) else [None]:
                if not isinstance(one, str) or ">" not in one:
                    raise self.error("lesson-field", name=name)
                origin, _, target = one.partition(">")
                try:
                    reason = Game(position).why_not(target, origin or None, ())
                except DamierError as error:
                    raise self.error("lesson-says", problem=error) from error
                if reason is None:
                    raise self.error("lesson-allowed", tried=one)
                yield (origin or None, target), name


# What JSON has for each type of a goal's parts.
_JSON = {bool: bool, str: str, int: int, tuple: list}
