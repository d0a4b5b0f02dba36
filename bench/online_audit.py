"""What must hold of online games whatever happens to the servers, checked against what was kept."""

from dataclasses import dataclass, field
from typing import Any

from online_players import Played, Table

MOST_LAG = 0.5  # seconds a turn that the server lets off for lag
SLACK = 1.0  # seconds that a loaded machine may take for what is instant otherwise


@dataclass
class Audit:
    """What was found at some tables."""

    slack: float = SLACK
    turns: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # gaps, refusals, turns that nobody played
    clocks: list[str] = field(default_factory=list)
    worst_clock: float = 0.0  # seconds that a turn cost more than was thought, less the outage

    @property
    def good(self) -> bool:
        """Whether all is as it must be."""
        return not (self.lost or self.twice or self.others or self.clocks)

    def said(self) -> str:
        """Return the findings as a line."""
        return (
            f"{self.turns} turns kept, {self.acknowledged} acknowledged, {len(self.lost)} lost, "
            f"{len(self.twice)} played twice, {len(self.others)} other faults, "
            f"{len(self.clocks)} wrong clocks (at most {1000 * self.worst_clock:.0f} ms beyond "
            f"the outage)"
        )


async def audit(
    tables: list[Table], outages: list[tuple[float, float]], slack: float = SLACK
) -> Audit:  # fmt: skip
    """Compare what players saw with what is kept; `outages` are from a kill to all being back."""
    found = Audit(slack=slack)
    for table in tables:
        if not table.game:
            continue
        kept = (await table.w.ask("GET", f"games/{table.game}/events?since=0"))["events"]
        shown = await table.w.ask("GET", f"games/{table.game}")
        _turns(table, kept, found)
        _clocks(table, kept, shown["clock"], outages, found)
        for player in (table.w, table.b):
            found.others += player.faults
            player.faults = []
    return found


def _turns(table: Table, kept: list[dict[str, Any]], found: Audit) -> None:
    """Check that the turns kept are those played, each once and in order."""
    game = table.game
    if [event["version"] for event in kept] != list(range(1, len(kept) + 1)):
        found.others.append(f"{game}: versions {[event['version'] for event in kept]}")
    turns = [event for event in kept if event["kind"] == "turn"]
    found.turns += len(turns)
    for turn in table.played:
        if turn.version is None:
            continue
        found.acknowledged += 1
        there = kept[turn.version - 1] if turn.version <= len(kept) else {}
        if there.get("kind") != "turn" or there.get("turn") != turn.text:
            found.lost.append(f"{game}: turn {turn.number}, {turn.text}, version {turn.version}")
    expected = [turn.text for turn in table.played][: len(turns)]
    if len(turns) > len(table.played):
        found.twice.append(f"{game}: {len(turns)} turns, {len(table.played)} played")
    elif [event["turn"] for event in turns] != expected:
        found.others.append(f"{game}: {[event['turn'] for event in turns]}, not {expected}")


def _clocks(
    table: Table, kept: list[dict[str, Any]], shown: dict[str, Any],
    outages: list[tuple[float, float]], found: Audit,
) -> None:  # fmt: skip
    """Check that each turn cost what its player thought, and that the clock is what that leaves."""
    settings = table.clock
    if settings["kind"] != "live":
        return
    left = dict.fromkeys("wb", settings["minutes"] * 60_000)
    begun: set[str] = set()
    turns = [event for event in kept if event["kind"] == "turn"]
    for number, (event, turn) in enumerate(zip(turns, table.played, strict=False)):
        side = event["by"]
        if side in begun:  # its first turn is free
            left[side] += settings["seconds"] * 1000 - event["spent"]
            _cost(table, event, turn, turns[number - 1]["at"] / 1000, outages, found)
        begun.add(side)
    for side in "wb":
        if side != shown["running"] and abs(shown[side] - left[side]) > 1:
            found.clocks.append(f"{table.game}: {side} has {shown[side]}, not {left[side]}")


def _cost(
    table: Table, event: dict[str, Any], turn: Played, before: float,
    outages: list[tuple[float, float]], found: Audit,
) -> None:  # fmt: skip
    """Check what a turn cost against how long its player saw the board."""
    end = event["at"] / 1000
    out = sum(max(0.0, min(b, end) - max(a, before)) for a, b in outages)
    wrong = event["spent"] / 1000 - max(0.0, turn.sent - turn.shown)
    found.worst_clock = max(found.worst_clock, wrong - out)
    if wrong > out + found.slack or wrong < -(out + MOST_LAG + found.slack):
        found.clocks.append(
            f"{table.game}: turn {turn.number} cost {event['spent']} ms, "
            f"{turn.sent - turn.shown:.3f} s thought, {out:.3f} s of outage"
        )
