"""Audit of online games: compares the events that clients saw with the stored events."""

from dataclasses import dataclass, field
from typing import Any

from online_players import ScriptedGame, TimedMove

MAX_LAG = 0.5  # seconds per move that the server allows for lag
SLACK = 1.0  # seconds of delay that a loaded machine may cause


@dataclass
class Audit:
    """Findings about some games."""

    slack: float = SLACK
    moves: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # gaps, rejections, moves that no client played
    clocks: list[str] = field(default_factory=list)
    worst_clock: float = 0.0  # seconds charged beyond thinking time and outage

    @property
    def good(self) -> bool:
        """Whether there are no findings."""
        return not (self.lost or self.twice or self.others or self.clocks)

    def summary(self) -> str:
        """Return the findings as a line."""
        return (
            f"{self.moves} turns kept, {self.acknowledged} acknowledged, {len(self.lost)} lost, "
            f"{len(self.twice)} played twice, {len(self.others)} other faults, "
            f"{len(self.clocks)} wrong clocks (at most {1000 * self.worst_clock:.0f} ms beyond "
            f"the outage)"
        )


async def audit(
    tables: list[ScriptedGame], outages: list[tuple[float, float]], slack: float = SLACK
) -> Audit:
    """Compare the events of clients with the stored ones; `outages` end when all are connected."""
    report = Audit(slack=slack)
    for table in tables:
        if not table.game:
            continue
        stored = (await table.w.ask("GET", f"games/{table.game}/events?since=0"))["events"]
        shown = await table.w.ask("GET", f"games/{table.game}")
        _moves(table, stored, report)
        _clocks(table, stored, shown["clock"], outages, report)
        for player in (table.w, table.b):
            report.others += player.faults
            player.faults = []
    return report


def _moves(table: ScriptedGame, stored: list[dict[str, Any]], found: Audit) -> None:
    """Check that the stored moves are those played, each once and in order."""
    game = table.game
    if [event["version"] for event in stored] != list(range(1, len(stored) + 1)):
        found.others.append(f"{game}: versions {[event['version'] for event in stored]}")
    moves = [event for event in stored if event["kind"] == "turn"]
    found.moves += len(moves)
    for move in table.played:
        if move.version is None:
            continue
        found.acknowledged += 1
        there = stored[move.version - 1] if move.version <= len(stored) else {}
        if there.get("kind") != "turn" or there.get("turn") != move.text:
            found.lost.append(f"{game}: turn {move.number}, {move.text}, version {move.version}")
    expected = [move.text for move in table.played][: len(moves)]
    if len(moves) > len(table.played):
        found.twice.append(f"{game}: {len(moves)} turns, {len(table.played)} played")
    elif [event["turn"] for event in moves] != expected:
        found.others.append(f"{game}: {[event['turn'] for event in moves]}, not {expected}")


def _clocks(
    table: ScriptedGame,
    stored: list[dict[str, Any]],
    shown: dict[str, Any],
    outages: list[tuple[float, float]],
    found: Audit,
) -> None:
    """Check the time charged for each move, and the remaining time of the clocks."""
    settings = table.clock
    if settings["kind"] != "live":
        return
    left = dict.fromkeys("wb", settings["minutes"] * 60_000)
    begun: set[str] = set()
    moves = [event for event in stored if event["kind"] == "turn"]
    for number, (event, move) in enumerate(zip(moves, table.played, strict=False)):
        side = event["by"]
        if side in begun:  # the first move of a side is not charged
            left[side] += settings["seconds"] * 1000 - event["spent"]
            _cost(table, event, move, moves[number - 1]["at"] / 1000, outages, found)
        begun.add(side)
    for side in "wb":
        if side != shown["running"] and abs(shown[side] - left[side]) > 1:
            found.clocks.append(f"{table.game}: {side} has {shown[side]}, not {left[side]}")


def _cost(
    table: ScriptedGame,
    event: dict[str, Any],
    move: TimedMove,
    before: float,
    outages: list[tuple[float, float]],
    found: Audit,
) -> None:
    """Check the time charged for a move against the thinking time of its client."""
    end = event["at"] / 1000
    outage = sum(max(0.0, min(b, end) - max(a, before)) for a, b in outages)
    excess = event["spent"] / 1000 - max(0.0, move.sent - move.shown)
    found.worst_clock = max(found.worst_clock, excess - outage)
    if excess > outage + found.slack or excess < -(outage + MAX_LAG + found.slack):
        found.clocks.append(
            f"{table.game}: turn {move.number} cost {event['spent']} ms, "
            f"{move.sent - move.shown:.3f} s thought, {outage:.3f} s of outage"
        )
