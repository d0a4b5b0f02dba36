"""Explanations of moves in words: what the line after a move does, and how far that is proved.

    explain(game, "a3-a2").sentences

An explanation is a list of facts, each a motif with its details, derived from the structured steps
of the line, the results of its positions, threats, and the values of the analysis. Texts are
looked up as `explain.MOTIF`; a game may word a motif in its own way in its `texts.*.json`, and find
motifs of its own in its `motifs.py` (see `games.contract.Motifs`). A win or loss is called forced
only if a table or the search has proved it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from damier.gameplay import Game
from damier.i18n import has_text, translate_for_game
from damier.position import Move, Result
from damier.search.analysis import MoveValue, analyse
from damier.search.limits import Stop
from damier.search.threats import (
    Threat,
    capture_threat,
    captured_cells,
    largest_capture,
    may_capture,
    may_win,
    winning_threats,
)

MAX_SENTENCES = 4  # before the one that says what is only estimated
DECISIVE = 2  # moves: the opponent's reply ends the game
CHAIN = 2  # capturing steps of one move


@dataclass(frozen=True)
class Fact:
    """A motif and its details: moves and cells as text, counts as numbers."""

    motif: str
    details: Mapping[str, object] = field(default_factory=dict)

    def sentence(self, game: str) -> str:
        """Return the fact in words in the language in use, in the game's own words if it has some.

        Cells are listed; a reason of a result and a nested fact are put into words.
        """
        details = dict(self.details)
        for name, value in details.items():
            if isinstance(value, Fact):
                details[name] = value.sentence(game)
            elif isinstance(value, tuple):
                details[name] = ", ".join(value)
        if "reason" in details:
            winner = None if self.motif == "end.draws" else "w"  # texts name no side
            key = Result(winner, str(details["reason"]), game).reason_key
            own = f"explain.{key}"
            details["reason"] = translate_for_game(game, own if has_text(game, own) else key)
        return translate_for_game(game, f"explain.{self.motif}", **details)


@dataclass(frozen=True)
class Explanation:
    """Facts about a move, the line that they describe, and whether its value is proved."""

    game: str
    move: str
    facts: tuple[Fact, ...]
    line: tuple[str, ...]
    proved: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """The facts as sentences in the language in use."""
        return tuple(fact.sentence(self.game) for fact in self.facts)


def explain(
    game: Game,
    move: str,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: Stop | None = None,
) -> Explanation:
    """Explain a legal move of a game; without a limit the analysis takes one second.

    A good move is explained by what it achieves, a worse one by what refutes it.
    """
    played = game.parse_move(move)
    moves = analyse(game, seconds=seconds, nodes=nodes, stop=stop).moves
    value = next(one for one in moves if one.move.words == played.words)
    after = game.play(value.move)
    if len(value.line) == 1 and not after.over:
        reply = analyse(after, seconds=seconds, nodes=nodes, lines=1, stop=stop).moves[0]
        value = replace(value, line=(*value.line, *reply.line))
    value = replace(value, line=_until_the_end(game, value.line))
    found = list(islice(_FactFinder(game, value, moves).facts(), MAX_SENTENCES))
    proved = value.outcome is not None
    if not proved:
        judged = found and found[-1].motif.startswith(("similar", "prefers"))  # says who estimates
        found.append(Fact("estimate-of-search" if judged else "estimate"))
    return Explanation(game.rules.name, value.move.text, tuple(found), value.line, proved)


def _until_the_end(game: Game, line: Sequence[str]) -> tuple[str, ...]:
    """Return a line up to the move that ends the game, perhaps by its history."""
    played: list[str] = []
    for text in line:
        if game.over:
            break
        game = game.play(text)
        played.append(text)
    return tuple(played)


class _FactFinder:
    """Facts about one move of a game, given the values of all legal moves, best first."""

    def __init__(self, game: Game, value: MoveValue, moves: Sequence[MoveValue]) -> None:
        self.game, self.value, self.moves = game, value, moves
        self.best = moves[0]
        self.side = game.position.side
        self.after = game.play(value.move)
        self.line = self._line()

    def _line(self) -> list[tuple[Game, Move]]:
        """Return the moves of the line after the move, each with the game before it."""
        found, game = [], self.after
        for text in self.value.line[1:]:
            move = game.parse_move(text)
            found.append((game, move))
            game = game.play(move)
        return found

    @property
    def reply(self) -> tuple[Game, Move] | None:
        """The opponent's reply in the line with the game before it; None if there is none."""
        return self.line[0] if self.line and self.after.position.side != self.side else None

    @property
    def answer(self) -> tuple[Game, Move] | None:
        """The mover's answer to the reply with the game before it; None if there is none."""
        known = self.reply is not None and len(self.line) > 1
        return self.line[1] if known and self.line[1][0].position.side == self.side else None

    @cached_property
    def threats(self) -> list[Threat]:
        """The wins that the opponent threatened before the move."""
        return winning_threats(self.game)

    def facts(self) -> Iterator[Fact]:
        """Yield the facts, the most important first."""
        result = self.after.result()
        if result is not None:
            yield self.end(result)
            return
        value, best = self.value, self.best
        worse = value.fault not in (None, "missed") or value.outcome == "loss"
        worse = worse or (best.outcome == "win" and value.outcome != "win")
        yield from self.refutation() if worse else self.merits()
        yield from self.own_motifs()
        compared = list(self.comparison())
        said = any(fact.motif.startswith("keeps.draw") for fact in compared)
        yield from () if said else self.outcome()
        yield from compared

    def end(self, result: Result) -> Fact:
        """Return the fact that the move ends the game."""
        kind = {None: "draws", self.side: "wins"}.get(result.winner, "loses")
        return Fact(f"end.{kind}", {"move": self.value.move.text, "reason": result.reason})

    def own_motifs(self) -> Iterator[Fact]:
        """Yield the motifs that the game finds."""
        module = self.game.rules.folder.part("motifs")
        if module is not None:
            for motif, details in module.motifs(self.game.position, self.value.move):
                yield Fact(motif, details)

    def refutation(self) -> Iterator[Fact]:
        """Yield what the opponent's reply does to a move."""
        if self.reply is None:
            return
        yield from self.reply_facts(*self.reply)
        if self.answer is not None:
            game, answer = self.answer
            back = captured_cells(answer) if captured_cells(self.reply[1]) else ()
            if back:
                yield _about("takes-back", back, move=answer.text)
            elif is_forced(game):
                yield Fact("forced", {"move": answer.text})

    def reply_facts(self, game: Game, move: Move) -> Iterator[Fact]:
        """Yield what a reply does: it wins, captures, sends pawns away or threatens to win."""
        after = game.play(move)
        result = after.result()
        text = {"move": move.text}
        taken, sent = captured_cells(move), sent_pawns(move)
        if result is not None:
            if result.winner not in (None, self.side):
                known = any(threat.move == move.text for threat in self.threats)
                motif = "reply.wins-anyway" if known else "reply.wins"
                yield Fact(motif, {**text, "reason": result.reason})
            return
        if len(taken) > 1 and sum(bool(step.takes) for step in move.described) >= CHAIN:
            yield Fact("reply.chain", {**text, "number": len(taken), "cells": taken})
        elif taken:
            yield _about("reply.captures", taken, **text)
        elif sent:
            yield _about("reply.sends", sent, **text)
        if after.position.side == self.side:
            threats = winning_threats(after)
            if threats:
                yield _threatening("reply.threatens", threats, text)

    def merits(self) -> Iterator[Fact]:
        """Yield what a move achieves."""
        move = self.value.move
        taken, sent = captured_cells(move), sent_pawns(move)
        if taken:
            yield _about("captures", taken)
        if sent:
            yield _about("sends", sent)
        yield from self.stops(self.game.play(move))
        if self.after.position.side == self.side:
            return
        forced = self.reply is not None and is_forced(self.after)
        if forced and self.reply is not None:
            yield Fact("forces", {"move": self.reply[1].text})
        if self.answer is not None and self.reply is not None:
            result = self.answer[0].play(self.answer[1]).result()
            if result is not None and result.winner == self.side:
                details = {"reply": self.reply[1].text, "move": self.answer[1].text}
                yield Fact("then-wins", {**details, "reason": result.reason})
                return
        if not forced:
            yield from self.new_threats()

    def stops(self, after: Game) -> Iterator[Fact]:
        """Yield the win, or else the capture, that the opponent threatened and has no more."""
        if after.over or after.position.side == self.side:
            return
        if self.threats:
            if not may_win(after):
                threat = self.threats[0]
                yield Fact("stops", {"move": threat.move, "reason": threat.reason})
            return
        threat_of_capture = capture_threat(self.game)
        if threat_of_capture is not None and not may_capture(after.position):
            taken = threat_of_capture.takes
            yield _about("stops-capture", taken, move=threat_of_capture.move)

    def new_threats(self) -> Iterator[Fact]:
        """Yield the win, or else the capture, that the move threatens."""
        threats = winning_threats(self.after)
        if threats:
            yield _threatening("threatens", threats, {})
            return
        threat = capture_threat(self.after)
        if threat is None:
            return
        before = largest_capture(self.game.position)
        if before is None or len(captured_cells(before)) < len(threat.takes):
            yield _about("threatens-capture", threat.takes, move=threat.move)

    def outcome(self) -> Iterator[Fact]:
        """Yield the proved outcome of the move."""
        value = self.value
        if value.outcome == "loss" and value.distance is None:
            yield Fact("value.loss-ever")
        elif value.outcome == "loss" and (value.distance or 0) > DECISIVE:
            length = {"count": value.distance}
            if self.reply is None or self.best.outcome == "loss":
                yield Fact("value.loss", length)
            else:
                yield Fact("value.loss-after", {"reply": self.reply[1].text, **length})
        elif value.outcome == "win" and value.distance is None:
            yield Fact("value.win-ever")
        elif value.outcome == "win":
            yield Fact("value.win", {"count": value.distance})
        elif value.outcome == "draw":
            yield Fact("value.draw")

    def comparison(self) -> Iterator[Fact]:
        """Yield how the move compares with the others."""
        value, best = self.value, self.best
        others = [one for one in self.moves if one.move.words != best.move.words]
        decided = [one.outcome for one in self.moves if one.outcome is not None]
        lost = all(one.outcome == "loss" for one in others)
        if not others:
            if len(self.moves) == 1:
                yield Fact("only-legal")
        elif best.outcome == "loss":
            yield Fact("all-lose")
            if (value.distance or 0) < (best.distance or 0):
                yield Fact("resists", {"move": best.move.text, "count": best.distance})
        elif lost:
            same = value.move.words == best.move.words
            sure = best.outcome is not None
            motif = "only-move" if same else "missed-only" if sure else "missed-hope"
            yield Fact(motif, {} if same else {"move": best.move.text})
        elif best.outcome == "win" and value.outcome != "win":
            yield self.missed_win()
        elif value.fault == "missed":
            percent = round(100 * (best.risk or 0))
            yield Fact("missed-trap", {"move": best.move.text, "percent": percent})
        elif value.fault is not None:
            yield self.better()
        elif len(decided) == len(self.moves) and value.outcome == best.outcome:
            yield self.share(f"keeps.{best.outcome}", decided.count(value.outcome or ""))
        elif value.outcome is None:
            yield self.share("similar", sum(one.fault is None for one in self.moves))

    def missed_win(self) -> Fact:
        """Return the fact that the best move would have won."""
        details: dict[str, object] = {"move": self.best.move.text}
        distance = self.best.distance
        if distance is None:
            return Fact("missed-win-ever", details)
        if distance == 1:
            return Fact("missed-win-now", details)
        return Fact("missed-win", {**details, "count": distance})

    def share(self, motif: str, count: int) -> Fact:
        """Return the fact that some of the moves, or all, are as good."""
        total = len(self.moves)
        if count == total:
            return Fact(f"{motif}-all")
        one = {"total": total}
        return (
            Fact(motif, one) if count == 1 else Fact(f"{motif}-several", {**one, "number": count})
        )

    def better(self) -> Fact:
        """Return which move was better, and why if it is plain."""
        value, best = self.value, self.best
        proved = value.outcome is not None and best.outcome is not None
        motif = "better" if proved else "prefers"
        taken = captured_cells(best.move)
        if len(taken) > len(captured_cells(value.move)):
            why = _about("because.captures", taken)
        else:
            stopped = next(self.stops(self.game.play(best.move)), None)
            if stopped is None or next(self.stops(self.after), None) is not None:
                return Fact(motif, {"move": best.move.text})
            why = replace(stopped, motif=f"because.{stopped.motif}")
        return Fact(f"{motif}-because", {"move": best.move.text, "why": why})


def _about(motif: str, cells: Sequence[str], **details: object) -> Fact:
    """Return a fact about the pawn on a cell, or about several pawns."""
    if len(cells) == 1:
        return Fact(motif, {**details, "cells": tuple(cells)})
    return Fact(f"{motif}-several", {**details, "number": len(cells), "cells": tuple(cells)})


def _threatening(motif: str, threats: Sequence[Threat], details: Mapping[str, object]) -> Fact:
    """Return the fact that a move threatens to win in one or in several ways."""
    if len(threats) == 1:
        return Fact(motif, {**details, "threat": threats[0].move})
    two = {"threat": threats[0].move, "other": threats[1].move}
    return Fact(f"{motif}-two", {**details, **two})


def is_forced(game: Game) -> bool:
    """Return whether a game has exactly one legal move."""
    moves = (m for m in game.position.iter_legal_moves() if not game.forbids(m.words))
    return len(list(islice(moves, 2))) == 1


def sent_pawns(move: Move) -> tuple[str, ...]:
    """Return the cells from which a move sends other pawns away, to other cells or off the board.

    Captured pawns do not count.
    """
    sent = [origin for step in move.described for origin, _ in step.puts]
    sent += [step.origin for step in move.described if step.kind == "put" and step.origin]
    return tuple(sent)
