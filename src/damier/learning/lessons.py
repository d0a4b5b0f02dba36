"""Lessons: interactive steps that teach a game, read from the game's folder.

`lessons.json` has the steps, `lessons.LANGUAGE.json` their texts. A step is a position and a task:

    {"steps": [
      {"key": "line",
       "position": "...../.b.b./...../.b.b./www.w w",
       "goal": {"win": true},
       "show": "e1-d1",
       "wrong": {"away": {"to": ["e2"]}},
       "refused": {"corner": ["a1>b2"]}}]}

`goal` has the conditions that a move must meet, all of them (see `LessonGoal`). `show` is the move
of the hint; the default is the first move that meets the goal. `wrong` describes frequent mistakes:
a move that misses the goal but meets the conditions of a name here is answered with the text of
that name. `refused` does the same for illegal attempts, written `from>to`, or `>to` for a
placement. `then` is a list of further stages, each with the `reply` of the opponent and a new goal,
show, wrong and refused. A step with `against` is a game to win against that level.

The keys of a step's texts begin with its key: `line.title`, `line.do` (the task in one or two
sentences), `line.done` (after success), `line.wrong` (about any other move; optional),
`line.wrong.NAME` for each name above, `line.then.1` (the task after the first reply), and after a
game that was not won `line.lost` and, if the rules know draws, `line.drawn`. Lessons are checked
against the rules when they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES
from damier.games.levels import LEVELS
from damier.i18n import LANGUAGES, translate_for_game
from damier.position import Move, Position, load_rules

_STEP = {"key", "position", "against", "then"}
_STAGE = {"goal", "show", "wrong", "refused"}


@dataclass(frozen=True)
class LessonGoal:
    """Conditions that a move must meet, all of them.

    `any`: no condition. `turn`: be one of these moves. `kind`: have a step of this kind.
    `to`: bring an own pawn to one of these cells. `takes`: capture at least so many pawns.
    `sends`: send an enemy pawn to one of these cells. `win`: win the game at once. `holds`: leave
    the opponent no move that wins at once. `safe`: leave the opponent no capture.
    """

    any: bool = False
    turn: tuple[str, ...] = ()  # the name in lessons.json
    kind: str = ""
    to: tuple[str, ...] = ()
    takes: int = 0
    sends: tuple[str, ...] = ()
    win: bool = False
    holds: bool = False
    safe: bool = False

    def met_by(self, move: Move, side: str) -> bool:
        """Return whether a legal move of a side meets all conditions."""
        steps, after = move.described, move.after
        result = after.result()
        if self.turn and move.text not in self.turn:
            return False
        if self.kind and all(step.kind != self.kind for step in steps):
            return False
        own = [s.target for s in steps if s.kind in ("place", "move", "swap", "drop")]
        if self.to and not (own and own[-1] in self.to):
            return False
        if sum(len(step.takes) for step in steps) < self.takes:
            return False
        if self.sends and not _sent_cells(move) & set(self.sends):
            return False
        won = None if result is None else result.winner == side
        if (self.win and not won) or (self.holds and won is False):
            return False
        if self.safe and any(
            step.takes for reply in _replies(move, side) for step in reply.described
        ):
            return False
        return not self.holds or all(_harmless(reply, after.side) for reply in _replies(move, side))


def _sent_cells(move: Move) -> set[str]:
    """Return the cells on which a move puts enemy pawns."""
    cells = {step.target for step in move.described if step.kind == "put"}
    cells |= {step.origin for step in move.described if step.kind == "swap"}
    cells |= {to for step in move.described for _, to in step.puts}
    return {cell for cell in cells if cell is not None}


def _replies(move: Move, side: str) -> Iterator[Move]:
    after = move.after
    if not after.over and after.side != side:
        yield from after.iter_legal_moves()


def _harmless(reply: Move, side: str) -> bool:
    result = reply.after.result()
    return result is None or result.winner != side


@dataclass(frozen=True)
class LessonStage:
    """One move to find: the position, the goal and the texts for wrong and illegal moves.

    `reply` is the opponent's move that led here, `shown` the move of the hint. `wrong` and
    `refused` contain the names of the texts for mistakes and illegal attempts.
    """

    position: Position
    goal: LessonGoal
    shown: Move
    wrong: Mapping[str, LessonGoal]
    refused: Mapping[tuple[str | None, str], str]
    reply: str | None = None

    def is_right(self, move: Move) -> bool:
        """Return whether a legal move meets the goal."""
        return self.goal.met_by(move, self.position.side)

    @property
    def right(self) -> list[Move]:
        """All legal moves that meet the goal."""
        return [move for move in self.position.iter_legal_moves() if self.is_right(move)]

    def wrong_name(self, move: Move) -> str | None:
        """Return the name of the mistake that a move makes, or None."""
        side = self.position.side
        return next((name for name, goal in self.wrong.items() if goal.met_by(move, side)), None)


@dataclass(frozen=True)
class LessonStep:
    """Task of a lesson: one move, several moves with replies, or a game to win."""

    key: str
    stages: tuple[LessonStage, ...]
    against: int | None = None  # the level of the opponent

    @property
    def position(self) -> Position:
        """The position of the first stage."""
        return self.stages[0].position


@dataclass(frozen=True)
class LessonVerdict:
    """Whether a move meets the goal, and the key of the text about it.

    `reply` is the opponent's move if the step continues.
    """

    met: bool
    said: str
    reply: str | None = None


@dataclass(frozen=True)
class Lessons:
    """Lessons of a game, with their texts by language."""

    game: str
    steps: tuple[LessonStep, ...]
    words: Mapping[str, Mapping[str, str]]

    def said(self, key: str, language: str) -> str:
        """Return a text in a language, or in another one if there is no such translation."""
        return next(
            self.words[name].get(key, "") for name in (language, *LANGUAGES) if name in self.words
        )

    def judge(self, step: int, stage: int, text: str) -> LessonVerdict:
        """Return whether a move meets the goal of a stage; raise DamierError if it is illegal."""
        if not 0 <= step < len(self.steps) or not 0 <= stage < len(self.steps[step].stages):
            raise DamierError(
                "no-lesson", game=translate_for_game(self.game, "name"), step=step + 1
            )
        lesson_step = self.steps[step]
        lesson_stage = lesson_step.stages[stage]
        move = lesson_stage.position.parse_move(text)
        if not lesson_stage.is_right(move):
            name = lesson_stage.wrong_name(move)
            return LessonVerdict(False, f"{lesson_step.key}.wrong" + (f".{name}" if name else ""))
        if stage + 1 == len(lesson_step.stages):
            return LessonVerdict(True, f"{lesson_step.key}.done")
        return LessonVerdict(
            True, f"{lesson_step.key}.then.{stage + 1}", lesson_step.stages[stage + 1].reply
        )


def count(name: str) -> int:
    """Return the number of steps of a game's lessons, without checking them."""
    raw = GAMES[name].lessons
    steps = raw.get("steps") if raw else None
    return len(steps) if isinstance(steps, list) else 0


@cache
def read(name: str) -> Lessons:
    """Return a game's lessons; raise DamierError if they are missing or wrong."""
    rules = load_rules(name)
    raw = rules.folder.lessons
    if raw is None:
        raise DamierError("no-lessons", game=translate_for_game(rules.name, "name"))
    words = {
        language: texts
        for language in LANGUAGES
        if (texts := rules.folder.lesson_words(language)) is not None
    }
    return parse(rules.name, raw, words)


def parse(name: str, raw: Mapping[str, Any], words: Mapping[str, Mapping[str, str]]) -> Lessons:
    """Return the lessons of a JSON structure and its texts; raise DamierError if wrong."""
    where = str(GAMES[name].directory / "lessons.json")
    if set(raw) != {"steps"} or not isinstance(raw["steps"], list) or not raw["steps"]:
        raise DamierError("lesson-field", where=where, name="steps")
    steps = tuple(_Reader(name, where, step).step() for step in raw["steps"])
    keys = [step.key for step in steps]
    for key in keys:
        if keys.count(key) > 1:
            raise DamierError("lesson-field", where=f"{where}: {key}", name="key")
    _check_words(GAMES[name].directory, steps, words)
    return Lessons(name, steps, words)


def _check_words(
    folder: Any, steps: tuple[LessonStep, ...], words: Mapping[str, Mapping[str, str]]
) -> None:
    needed = {key for step in steps for key in _keys_of(step)}
    allowed = needed | {f"{step.key}.wrong" for step in steps}
    if not words:
        raise DamierError("lesson-words", where=folder, names=f"lessons.{LANGUAGES[0]}.json")
    for language, texts in words.items():
        where = folder / f"lessons.{language}.json"
        invalid = [
            key for key, text in texts.items() if not isinstance(text, str) or not text.strip()
        ]
        missing = sorted((needed - texts.keys()) | set(invalid))
        if missing:
            raise DamierError("lesson-words", where=where, names=", ".join(missing))
        unused = sorted(texts.keys() - allowed)
        if unused:
            raise DamierError("lesson-unused", where=where, names=", ".join(unused))


def _keys_of(step: LessonStep) -> Iterator[str]:
    """Yield the keys of the texts that a step needs."""
    yield from (f"{step.key}.{part}" for part in ("title", "do", "done"))
    yield from (f"{step.key}.then.{n}" for n in range(1, len(step.stages)))
    if step.against is not None:
        yield f"{step.key}.lost"
        if not Game(step.position).superko:  # the rules know no draw
            yield f"{step.key}.drawn"
    for stage in step.stages:
        yield from (f"{step.key}.wrong.{n}" for n in (*stage.wrong, *stage.refused.values()))


class _Reader:
    """Parser of one step, whose errors name the step."""

    def __init__(self, name: str, where: str, raw: Any) -> None:
        self.rules, self.raw, self.where = load_rules(name), raw, where
        key = raw.get("key") if isinstance(raw, dict) else None
        if not isinstance(key, str) or not re.fullmatch("[a-z][a-z0-9-]*", key):
            raise self.error("lesson-field", name="key")
        self.key = key
        self.where = f"{where}: {key}"

    def error(self, key: str, **details: object) -> DamierError:
        return DamierError(key, where=self.where, **details)

    def field(self, raw: Mapping[str, Any], name: str, kind: type, otherwise: Any = None) -> Any:
        value = raw.get(name, otherwise)
        if value is not otherwise and (not isinstance(value, kind) or isinstance(value, bool)):
            raise self.error("lesson-field", name=name)
        return value

    def step(self) -> LessonStep:
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
            return LessonStep(self.key, (self.game_stage(position),), against)
        stages = [self.stage(position, raw)]
        for stage in self.field(raw, "then", list, []):
            if not isinstance(stage, dict):
                raise self.error("lesson-field", name="then")
            self.know(stage, _STAGE | {"reply"})
            stages.append(self.next_stage(stages[-1], stage))
        return LessonStep(self.key, tuple(stages))

    def know(self, raw: Mapping[str, Any], names: set[str]) -> None:
        """Raise DamierError if an object has a field that is not one of these names."""
        for name in raw:
            if name not in names:
                raise self.error("lesson-field", name=name)

    def position(self, text: str) -> Position:
        try:
            position = self.rules.position(text)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error
        if position.over:
            raise self.error("lesson-says", problem=DamierError("over"))
        return position

    def game_stage(self, position: Position) -> LessonStage:
        """Return the only stage of a game to win, which accepts every legal move."""
        return LessonStage(
            position, LessonGoal(any=True), next(position.iter_legal_moves()), {}, {}
        )

    def next_stage(self, before: LessonStage, raw: Mapping[str, Any]) -> LessonStage:
        """Return the stage after a reply; a single move must meet the goal of the stage before."""
        if len(before.right) > 1:
            raise self.error("lesson-several")
        reply = self.field(raw, "reply", str)
        if reply is None:
            raise self.error("lesson-field", name="reply")
        after = before.shown.after.play(self.move(before.shown.after, reply))
        if after.over:
            raise self.error("lesson-says", problem=DamierError("over"))
        return self.stage(after, raw, reply)

    def move(self, position: Position, text: str) -> Move:
        try:
            return position.parse_move(text)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error

    def stage(
        self, position: Position, raw: Mapping[str, Any], reply: str | None = None
    ) -> LessonStage:
        goal = self.goal(position, raw.get("goal"))
        shown = self.field(raw, "show", str)
        moves = list(position.iter_legal_moves())
        right = [move for move in moves if goal.met_by(move, position.side)]
        if not right:
            raise self.error("lesson-no-way")
        show = right[0] if shown is None else self.move(position, shown)
        if show not in right:
            raise self.error("lesson-show", turn=shown)
        wrong = {
            name: self.goal(position, conditions)
            for name, conditions in self.field(raw, "wrong", dict, {}).items()
        }
        for name, mistake in wrong.items():
            if not any(mistake.met_by(move, position.side) for move in moves if move not in right):
                raise self.error("lesson-not-wrong", name=name)
        refused = dict(self.illegal_attempts(position, self.field(raw, "refused", dict, {})))
        return LessonStage(position, goal, show, wrong, refused, reply)

    def goal(self, position: Position, raw: Any) -> LessonGoal:
        """Return the goal of a JSON object; raise DamierError if a field is wrong."""
        if not isinstance(raw, dict) or not raw:
            raise self.error("lesson-field", name="goal")
        fields: dict[str, Any] = {}
        for name, value in raw.items():
            goal_field = LessonGoal.__dataclass_fields__.get(name)
            if goal_field is None or type(value) is not _JSON[type(goal_field.default)]:
                raise self.error("lesson-field", name=name)
            fields[name] = tuple(value) if isinstance(value, list) else value
        try:
            for cell in (*fields.get("to", ()), *fields.get("sends", ())):
                position.cell(cell)
        except DamierError as error:
            raise self.error("lesson-says", problem=error) from error
        for text in fields.get("turn", ()):
            self.move(position, text)
        return LessonGoal(**fields)

    def illegal_attempts(
        self, position: Position, raw: Mapping[str, Any]
    ) -> Iterator[tuple[tuple[str | None, str], str]]:
        """Yield the illegal attempts, each with the name of its text."""
        for name, attempts in raw.items():
            for attempt in attempts if isinstance(attempts, list) else [None]:
                if not isinstance(attempt, str) or ">" not in attempt:
                    raise self.error("lesson-field", name=name)
                origin, _, target = attempt.partition(">")
                try:
                    reason = Game(position).why_not(target, origin or None, ())
                except DamierError as error:
                    raise self.error("lesson-says", problem=error) from error
                if reason is None:
                    raise self.error("lesson-allowed", tried=attempt)
                yield (origin or None, target), name


# JSON types by the Python types of a goal's fields.
_JSON = {bool: bool, str: str, int: int, tuple: list}
