"""What a puzzle asks, which turns do it, and the line that solves it.

A line goes on as long as one turn alone does what is asked. Between the solver's turns the
opponent resists as long as he can; of replies that last as long he plays one after which the
solver has a single turn again, and then the first by its text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from damier.games import Words
from damier.history import Game
from damier.position import Position, Turn
from damier.puzzles.stored import Kind
from damier.puzzles.truth import FOREVER, Truth, Unproved, ends_of

MOST_SOLVED = 4  # turns of the solver in a line; in a drawn one a position could come back
MOST_DRAWN = 3
# Where a turn that takes most is looked for: how many pawns it takes, and how many turns take some.
LEAST_TAKEN, LEAST_TAKING = 2, 3
AHEAD = 3  # turns of one side that a search looks for wins, and for losses …
FURTHER, FEW = 4, 10  # … and for wins where a position has no more turns than that


@dataclass(frozen=True)
class Goal:
    """What is asked of the side to move: the kind of puzzle, and in how many turns if it says so.

    For `win-in` these are the solver's turns, for `avoid` the opponent's.
    """

    kind: Kind
    within: int | None = None


def doing(truth: Truth, position: Position, goal: Goal) -> list[Words]:
    """Return the positions to which turns lead that do what is asked."""
    ends = [words for _, words in ends_of(position)]
    if goal.kind == "most":
        takings = {words: _taken(position, words) for words in ends}
        most = max(takings.values())
        return [words for words, taken in takings.items() if taken == most]
    return [words for words in ends if does(truth, position.rest & 1, words, goal)]


def does(truth: Truth, side: int, words: Words, goal: Goal) -> bool:
    """Tell whether a turn of a side does what is asked, by the position that it leads to."""
    if goal.kind == "win":
        return truth.distance(words, side, FOREVER) is not None
    if goal.kind == "win-in":
        return truth.distance(words, side, 2 * (goal.within or 0) - 1) is not None
    if goal.kind == "draw":
        return truth.distance(words, 1 - side, FOREVER) is None
    return truth.distance(words, 1 - side, 2 * (goal.within or 0) - 1) is None


def _taken(position: Position, after: Words) -> int:
    """Return how many pawns of the other side are gone."""
    own = position.rest & 1
    before = (position.white, position.black)[1 - own]
    return before.bit_count() - after[1 - own].bit_count()


def goal_of(truth: Truth, position: Position) -> Goal | None:
    """Return what can be asked in a position, because one turn alone does it."""
    side, ends = position.rest & 1, [words for _, words in ends_of(position)]
    if len(ends) < 2:
        return None
    return _whole_goal(truth, side, ends) if truth.whole else _near_goal(truth, side, ends)


def _whole_goal(truth: Truth, side: int, ends: list[Words]) -> Goal | None:
    """Return what can be asked where all is known."""
    wins = [d for words in ends if (d := truth.distance(words, side, FOREVER)) is not None]
    if wins:
        if len(wins) == 1 and wins[0]:
            return Goal("win")
        if not truth.to_end:
            return None
        soon = sorted(_own_turns(d) for d in wins)
        if soon[:1] != soon[1:2] and soon[0] <= MOST_SOLVED:
            return Goal("win-in", soon[0])
        return None
    held = [words for words in ends if truth.distance(words, 1 - side, FOREVER) is None]
    return Goal("draw") if len(held) == 1 else None


def _near_goal(truth: Truth, side: int, ends: list[Words]) -> Goal | None:
    """Return what can be asked where all is known that a few turns can bring."""
    ahead = FURTHER if len(ends) <= FEW else AHEAD
    for turns in range(1, ahead + 1):
        won = [w for w in ends if does(truth, side, w, Goal("win-in", turns))]
        if won:
            return Goal("win-in", turns) if len(won) == 1 else None
    if _two_safe(truth, side, ends):
        return None
    for turns in range(1, AHEAD + 1):
        safe = [w for w in ends if does(truth, side, w, Goal("avoid", turns))]
        if len(safe) < 2:
            return Goal("avoid", turns) if safe else None
    return None


def _two_safe(truth: Truth, side: int, ends: list[Words]) -> bool:
    """Tell whether more than one turn does not lose: most often two are soon found."""
    goal, safe = Goal("avoid", AHEAD), 0
    for words in ends:
        safe += does(truth, side, words, goal)
        if safe == 2:
            return True
    return False


def _own_turns(distance: int) -> int:
    """Return how many turns a side makes until it has won, if it wins so far after one of them."""
    return (distance + 2) // 2


def most_of(position: Position) -> Goal | None:
    """Return the goal to capture most, if that takes a turn that is better than all others."""
    takings = sorted((_taken(position, words) for _, words in ends_of(position)), reverse=True)
    if sum(taken > 0 for taken in takings) < LEAST_TAKING or takings[0] < LEAST_TAKEN:
        return None
    return Goal("most") if takings[0] > takings[1] else None


def solution(truth: Truth, position: Position, goal: Goal) -> list[Turn]:
    """Return the line of a goal: it is empty where more than one turn does what is asked."""
    line: list[Turn] = []
    played, most = Game(position), MOST_DRAWN if goal.kind == "draw" else MOST_SOLVED
    while True:
        words = doing(truth, played.position, goal)
        if len(words) != 1:
            # The reply before leads to nothing that one turn alone does.
            return line[:-1] if len(line) % 2 == 0 else line
        line.append(first_to(played.position, words[0]))
        played = played.play(line[-1])
        alone = goal.kind in ("avoid", "most") or len(line) + 1 >= 2 * most
        if alone or played.over or played.position.side == position.side:
            return line
        goal = next_goal(goal)
        turn = reply(truth, played, goal)
        if turn is None:
            return line
        line.append(turn)
        played = played.play(turn)
        if played.over or played.position.side != position.side:
            return line[:-1]


def next_goal(goal: Goal) -> Goal:
    """Return what is asked after a turn and a reply."""
    return replace(goal, within=goal.within - 1) if goal.kind == "win-in" and goal.within else goal


def first_to(position: Position, words: Words) -> Turn:
    """Return the turn to a position; of several, the shortest, and of those the first by text."""
    return min(position.turns_to(Position(position.rules, *words)), key=_by_text)


def _by_text(turn: Turn) -> tuple[int, str]:
    return len(turn.text), turn.text


def reply(truth: Truth, played: Game, goal: Goal) -> Turn | None:
    """Return the reply that resists longest: of those as good, one that leaves a single turn."""
    position = played.position
    solver = 1 - (position.rest & 1)
    resisting: list[tuple[int, int, tuple[int, str], Turn]] = []
    for _, words in ends_of(position):
        if goal.kind == "draw":
            if truth.distance(words, solver, FOREVER) is not None:
                continue  # he does not throw the draw away
            last = 0
        else:
            far = FOREVER if goal.kind == "win" else 2 * (goal.within or 0)
            distance = truth.distance(words, solver, far)
            if distance is None:
                raise Unproved
            last = -distance
        after = Position(position.rules, *words)
        turns = len(doing(truth, after, goal)) if not after.over else FOREVER
        turn = first_to(position, words)
        resisting.append((last, turns, _by_text(turn), turn))
    return min(resisting)[-1] if resisting else None
