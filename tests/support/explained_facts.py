"""Check of the facts of explanations by trying all moves, without the code that found them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from damier import DamierError, Game
from damier.position import Move
from damier.search import Explanation, MoveValue
from damier.search.explanations import Fact


def false_facts(game: Game, found: Explanation, moves: list[MoveValue]) -> list[Fact]:
    """Return the facts of an explanation that do not hold; `moves` are the values it is based on.

    A motif without a check here counts as false, so that a new one needs a check.
    """
    checker = FactChecker(game, found, moves)
    return [fact for fact in found.facts if not checker.holds(fact)]


class FactChecker:
    """Checks of facts about a move of a game."""

    def __init__(self, game: Game, found: Explanation, moves: list[MoveValue]) -> None:
        self.game, self.found, self.moves = game, found, moves
        self.move = game.parse_move(found.move)
        self.after = game.play(self.move)
        self.side = game.position.side
        self.value = next(one for one in moves if one.move.words == self.move.words)
        self.best = moves[0]

    def holds(self, fact: Fact) -> bool:
        """Return whether a fact holds."""
        name = "check_" + fact.motif.removesuffix("-several").replace(".", "_").replace("-", "_")
        check = getattr(self, name, None)
        return check is not None and bool(check(fact.details))

    # The end of the game, and values.

    def check_end_wins(self, details: Mapping[str, Any]) -> bool:
        return self.ended(details, self.side)

    def check_end_loses(self, details: Mapping[str, Any]) -> bool:
        return self.ended(details, {"w": "b", "b": "w"}[self.side])

    def check_end_draws(self, details: Mapping[str, Any]) -> bool:
        return self.ended(details, None)

    def ended(self, details: Mapping[str, Any], winner: str | None) -> bool:
        result = self.after.result()
        assert result is not None
        return (result.winner, result.reason) == (winner, details["reason"])

    def check_estimate(self, details: Mapping[str, Any]) -> bool:
        return self.value.outcome is None and not self.found.proved

    def check_estimate_of_search(self, details: Mapping[str, Any]) -> bool:
        return self.check_estimate(details)

    def check_value_loss(self, details: Mapping[str, Any]) -> bool:
        return (self.value.outcome, self.value.distance) == ("loss", details["count"])

    def check_value_loss_after(self, details: Mapping[str, Any]) -> bool:
        return self.check_value_loss(details) and self.found.line[1] == details["reply"]

    def check_value_loss_ever(self, details: Mapping[str, Any]) -> bool:
        return self.value.outcome == "loss"

    def check_value_win(self, details: Mapping[str, Any]) -> bool:
        return (self.value.outcome, self.value.distance) == ("win", details["count"])

    def check_value_win_ever(self, details: Mapping[str, Any]) -> bool:
        return self.value.outcome == "win"

    def check_value_draw(self, details: Mapping[str, Any]) -> bool:
        return self.value.outcome == "draw"

    # What the move does.

    def check_captures(self, details: Mapping[str, Any]) -> bool:
        return self.vanish(self.game, self.move, details)

    def check_sends(self, details: Mapping[str, Any]) -> bool:
        return self.leave(self.game, self.move, details)

    def check_forces(self, details: Mapping[str, Any]) -> bool:
        return [move.text for move in self.after.legal_moves()] == [details["move"]]

    def check_stops(self, details: Mapping[str, Any]) -> bool:
        enemy = self.after.position.side
        others = (self.game.play(other) for other in self.game.legal_moves())
        real = any(self.wins(other, details["move"], enemy) for other in others if not other.over)
        replies = (move.text for move in self.after.legal_moves())
        return real and not any(self.wins(self.after, reply, enemy) for reply in replies)

    def check_stops_capture(self, details: Mapping[str, Any]) -> bool:
        others = (self.game.play(other) for other in self.game.legal_moves())
        real = any(self.taken(other, details["move"]) for other in others if not other.over)
        return real and not any(self.taken(self.after, m.text) for m in self.after.legal_moves())

    def check_threatens(self, details: Mapping[str, Any]) -> bool:
        return self.threatened(self.after, details["threat"], self.side)

    def check_threatens_two(self, details: Mapping[str, Any]) -> bool:
        two = details["threat"], details["other"]
        return two[0] != two[1] and all(self.threatened(self.after, m, self.side) for m in two)

    def check_threatens_capture(self, details: Mapping[str, Any]) -> bool:
        replies = (self.after.play(reply) for reply in self.after.legal_moves())
        return any(self.taken(reply, details["move"]) for reply in replies if not reply.over)

    def check_then_wins(self, details: Mapping[str, Any]) -> bool:
        assert self.found.line[1:3] == (details["reply"], details["move"])
        return self.wins(self.after.play(details["reply"]), details["move"], self.side)

    # What the opponent's reply does.

    def check_reply_wins(self, details: Mapping[str, Any]) -> bool:
        result = self.after.play(details["move"]).result()
        return result is not None and (result.winner, result.reason) == (
            {"w": "b", "b": "w"}[self.side],
            details["reason"],
        )

    def check_reply_wins_anyway(self, details: Mapping[str, Any]) -> bool:
        return self.check_reply_wins(details)

    def check_reply_captures(self, details: Mapping[str, Any]) -> bool:
        return self.vanish(self.after, self.after.parse_move(details["move"]), details)

    def check_reply_chain(self, details: Mapping[str, Any]) -> bool:
        reply = self.after.parse_move(details["move"])
        return self.vanish(self.after, reply, details) and len(reply.steps) > 1

    def check_reply_sends(self, details: Mapping[str, Any]) -> bool:
        return self.leave(self.after, self.after.parse_move(details["move"]), details)

    def check_reply_threatens(self, details: Mapping[str, Any]) -> bool:
        after = self.after.play(details["move"])
        return self.threatened(after, details["threat"], self.after.position.side)

    def check_reply_threatens_two(self, details: Mapping[str, Any]) -> bool:
        other = {**details, "threat": details["other"]}
        return self.check_reply_threatens(details) and self.check_reply_threatens(other)

    def check_takes_back(self, details: Mapping[str, Any]) -> bool:
        count: int = details.get("number", 1)
        return self.taken(self.game.play(*self.found.line[:2]), details["move"]) == count

    def check_forced(self, details: Mapping[str, Any]) -> bool:
        later = self.game.play(*self.found.line[:2])
        return [move.text for move in later.legal_moves()] == [details["move"]]

    # Comparisons with the other moves.

    @property
    def others(self) -> list[MoveValue]:
        return [one for one in self.moves if one.move.words != self.best.move.words]

    def check_only_move(self, details: Mapping[str, Any]) -> bool:
        best = self.value.move.words == self.best.move.words and self.best.outcome != "loss"
        return best and all(one.outcome == "loss" for one in self.others)

    def check_only_legal(self, details: Mapping[str, Any]) -> bool:
        return [move.text for move in self.game.legal_moves()] == [self.found.move]

    def check_all_lose(self, details: Mapping[str, Any]) -> bool:
        return all(one.outcome == "loss" for one in self.moves)

    def check_missed_only(self, details: Mapping[str, Any]) -> bool:
        return self.check_missed_hope(details) and self.best.outcome in ("win", "draw")

    def check_missed_hope(self, details: Mapping[str, Any]) -> bool:
        lost = all(one.outcome == "loss" for one in self.others)
        return lost and self.best.move.text == details["move"] and self.best.outcome != "loss"

    def check_missed_win(self, details: Mapping[str, Any]) -> bool:
        best = self.best
        won = (best.move.text, best.outcome, best.distance) == (
            details["move"],
            "win",
            details["count"],
        )
        return won and self.value.outcome != "win"

    def check_missed_win_ever(self, details: Mapping[str, Any]) -> bool:
        return self.best.outcome == "win" != self.value.outcome

    def check_missed_win_now(self, details: Mapping[str, Any]) -> bool:
        return self.wins(self.game, details["move"], self.side) and self.value.outcome != "win"

    def check_resists(self, details: Mapping[str, Any]) -> bool:
        best = (self.best.move.text, self.best.distance) == (details["move"], details["count"])
        assert self.value.distance is not None
        return best and self.check_all_lose({}) and self.value.distance < details["count"]

    def check_missed_trap(self, details: Mapping[str, Any]) -> bool:
        risks = self.value.risk, self.best.risk
        assert risks[0] is not None
        assert risks[1] is not None
        both = self.value.outcome == self.best.outcome == "draw"
        return both and risks[0] < risks[1] and details["percent"] == round(100 * risks[1])

    def check_better(self, details: Mapping[str, Any]) -> bool:
        order = ("loss", "draw", "win")
        assert self.value.outcome is not None
        assert self.best.outcome is not None
        return order.index(self.value.outcome) < order.index(self.best.outcome)

    def check_prefers(self, details: Mapping[str, Any]) -> bool:
        named = details["move"] == self.best.move.text
        return named and self.value.chance < self.best.chance

    def check_better_because(self, details: Mapping[str, Any]) -> bool:
        return self.check_better(details) and self.because(details["why"])

    def check_prefers_because(self, details: Mapping[str, Any]) -> bool:
        return self.check_prefers(details) and self.because(details["why"])

    def because(self, why: Fact) -> bool:
        """Return whether a reason why the best move is better holds for that move, not for this."""
        best = Explanation(self.game.rules.name, self.best.move.text, (), (), True)
        name = why.motif.removeprefix("because.")
        checker = FactChecker(self.game, best, self.moves)
        return checker.holds(Fact(name, why.details)) and not self.holds(Fact(name, why.details))

    def check_keeps_draw(self, details: Mapping[str, Any]) -> bool:
        return self.share(details, "draw")

    def check_keeps_win(self, details: Mapping[str, Any]) -> bool:
        return self.share(details, "win")

    def check_keeps_draw_all(self, details: Mapping[str, Any]) -> bool:
        return {one.outcome for one in self.moves} == {"draw"}

    def check_keeps_win_all(self, details: Mapping[str, Any]) -> bool:
        return {one.outcome for one in self.moves} == {"win"}

    def share(self, details: Mapping[str, Any], outcome: str) -> bool:
        outcomes = [one.outcome for one in self.moves]
        assert None not in outcomes
        assert self.value.outcome == outcome == self.best.outcome
        count = details.get("number", 1)
        return (count, details["total"]) == (outcomes.count(outcome), len(outcomes))

    def check_similar(self, details: Mapping[str, Any]) -> bool:
        near = [one for one in self.moves if self.best.chance - one.chance < 0.09]
        count, total = details.get("number", 1), details["total"]
        return self.value in near and count == len(near) < total == len(self.moves)

    def check_similar_all(self, details: Mapping[str, Any]) -> bool:
        return self.best.chance - min(one.chance for one in self.moves) < 0.09

    # Motifs of single games.

    def check_left_refuge(self, details: Mapping[str, Any]) -> bool:
        own = self.game.position.cell(details["cell"]) == self.side
        return own and self.after.position.cell(details["cell"]) != self.side

    def check_enters_refuge(self, details: Mapping[str, Any]) -> bool:
        safe = all(
            details["cell"] not in step.takes
            for move in self.after.legal_moves()
            for step in move.described
        )
        return safe and self.after.position.cell(details["cell"]) == self.side

    def check_shuts_in(self, details: Mapping[str, Any]) -> bool:
        return [move.text for move in self.after.legal_moves()] == ["--"]

    def check_ends_chain(self, details: Mapping[str, Any]) -> bool:
        longer = [m.text for m in self.game.legal_moves() if m.text.startswith(self.move.text)]
        return len(longer) > 1

    def check_declines(self, details: Mapping[str, Any]) -> bool:
        moves = [move.text for move in self.game.legal_moves()]
        return not self.taken(self.game, self.move.text) and any(
            self.taken(self.game, text) for text in moves
        )

    def check_lifts(self, details: Mapping[str, Any]) -> bool:
        return all(move.text.startswith("@") for move in self.after.legal_moves())

    def check_exiles(self, details: Mapping[str, Any]) -> bool:
        moves = [move.text for move in self.after.legal_moves()]
        there = self.after.position.cell(details["cell"]) == "b"
        return there and not any(text.startswith(f"{details['cell']}-") for text in moves)

    def check_enters_shelter(self, details: Mapping[str, Any]) -> bool:
        return not self.teleported(details["cells"])

    def check_left_shelter(self, details: Mapping[str, Any]) -> bool:
        there = [self.after.position.cell(cell) for cell in details["cells"].split(", ")]
        return set(there) == {"w"}

    def teleported(self, cell: str) -> bool:
        """Return whether a reply teleports the pawn on a cell."""
        return any(f",{cell}>" in move.text for move in self.after.legal_moves())

    # Helpers.

    def wins(self, game: Game, text: str, side: str) -> bool:
        """Return whether a move is legal for a side and wins at once."""
        try:
            after = game.play(text)
        except DamierError:
            return False
        result = after.result()
        return game.position.side == side and result is not None and result.winner == side

    def threatened(self, game: Game, text: str, side: str) -> bool:
        """Return whether some move leaves the other side a winning move."""
        later = (game.play(move) for move in game.legal_moves())
        return any(self.wins(one, text, side) for one in later if not one.over)

    def taken(self, game: Game, text: str) -> int:
        """Return how many enemy pawns vanish by a move; 0 if it is not legal."""
        try:
            after = game.play(text)
        except DamierError:
            return 0
        enemy = {"w": "b", "b": "w"}[game.position.side]
        return self.count(game, enemy) - self.count(after, enemy)

    def count(self, game: Game, side: str) -> int:
        rows = str(game.position).split()[0]
        return rows.count(side)

    def vanish(self, game: Game, move: Move, details: Mapping[str, Any]) -> bool:
        """Return whether enemy pawns stood on cells, and a move takes just as many."""
        enemy = {"w": "b", "b": "w"}[game.position.side]
        stood = all(game.position.cell(cell) == enemy for cell in details["cells"])
        gone = all(move.after.cell(cell) != enemy for cell in details["cells"])
        taken = self.taken(game, move.text) == details.get("number", 1) == len(details["cells"])
        return stood and gone and taken

    def leave(self, game: Game, move: Move, details: Mapping[str, Any]) -> bool:
        """Return whether enemy pawns stood on cells and a move has displaced them."""
        enemy = {"w": "b", "b": "w"}[game.position.side]
        stood = all(game.position.cell(cell) == enemy for cell in details["cells"])
        return stood and details.get("number", 1) == len(details["cells"])
