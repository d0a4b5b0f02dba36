"""Goals of puzzles, the moves that achieve them, and solutions.

A solution continues as long as exactly one move achieves the goal. Between the solver's moves the
opponent resists as long as possible; of equally long replies it plays one after which the solver
again has a single move, then the first by text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from damier.gameplay import Game
from damier.games import Words
from damier.learning.puzzles.collection import Kind
from damier.learning.puzzles.proofs import FOREVER, ProofNotFound, Prover, iter_distinct_successors
from damier.position import Move, Position

# Moves of the solver in a solution: a limit that no puzzle reaches, and one for draws, which
# may never end.
MAX_SOLVED = 40
MAX_DRAWN = 3
MAX_WITHIN = 4  # moves of the solver to a win of which only the length is unique
# For the goal to capture most: pawns that the move captures, and moves that capture any.
MIN_CAPTURED, MIN_CAPTURING_MOVES = 2, 3
MAX_SEARCHED_WIN = 3  # maximum length of a win that a search finds, in moves of one side
# For the goal to avoid a loss: the other moves lose within MAX_AVOIDED moves of the opponent, and
# the solution does not lose within MIN_HELD of them.
MAX_AVOIDED, MIN_HELD = 2, 4
FEW_MOVES = 10
MAX_SEARCHED_WIN_FEW_MOVES = 4  # the same in positions with at most FEW_MOVES moves


@dataclass(frozen=True)
class PuzzleGoal:
    """Goal of the side to move: the kind of puzzle, and the number of moves if it is limited.

    For `win-in` these are the solver's moves, for `avoid` the opponent's.
    """

    kind: Kind
    within: int | None = None


def achieving_positions(prover: Prover, position: Position, goal: PuzzleGoal) -> list[Words]:
    """Return the positions after the moves that achieve a goal."""
    ends = [words for _, words in iter_distinct_successors(position)]
    if goal.kind == "most":
        captures = {words: _count_captures(position, words) for words in ends}
        maximum = max(captures.values())
        return [words for words, taken in captures.items() if taken == maximum]
    return [words for words in ends if achieves(prover, position.rest & 1, words, goal)]


def achieves(prover: Prover, side: int, words: Words, goal: PuzzleGoal) -> bool:
    """Return whether a side's move achieves a goal, by the position after it."""
    if goal.kind == "win":
        return prover.distance(words, side, FOREVER) is not None
    if goal.kind == "win-in":
        return prover.distance(words, side, 2 * (goal.within or 0) - 1) is not None
    if goal.kind == "draw":
        return prover.distance(words, 1 - side, FOREVER) is None
    return prover.distance(words, 1 - side, 2 * (goal.within or 0) - 1) is None


def _count_captures(position: Position, after: Words) -> int:
    """Return how many enemy pawns a move to a position captures."""
    own = position.rest & 1
    before = (position.white, position.black)[1 - own]
    return before.bit_count() - after[1 - own].bit_count()


def find_goal(prover: Prover, position: Position) -> PuzzleGoal | None:
    """Return the goal that exactly one move achieves, or None if there is no such goal."""
    side, ends = position.rest & 1, [words for _, words in iter_distinct_successors(position)]
    if len(ends) < 2:
        return None
    return (
        _goal_from_table(prover, side, ends)
        if prover.whole
        else _goal_from_search(prover, side, ends)
    )


def _goal_from_table(prover: Prover, side: int, ends: list[Words]) -> PuzzleGoal | None:
    """Return the goal where all values are known."""
    wins = [d for words in ends if (d := prover.distance(words, side, FOREVER)) is not None]
    if wins:
        if len(wins) == 1 and wins[0]:
            return PuzzleGoal("win")
        if not prover.to_end:
            return None
        own_moves = sorted(_own_moves(d) for d in wins)
        if own_moves[:1] != own_moves[1:2] and own_moves[0] <= MAX_WITHIN:
            return PuzzleGoal("win-in", own_moves[0])
        return None
    drawing = [words for words in ends if prover.distance(words, 1 - side, FOREVER) is None]
    return PuzzleGoal("draw") if len(drawing) == 1 else None


def _goal_from_search(prover: Prover, side: int, ends: list[Words]) -> PuzzleGoal | None:
    """Return the goal where only short wins and losses are known."""
    ahead = MAX_SEARCHED_WIN_FEW_MOVES if len(ends) <= FEW_MOVES else MAX_SEARCHED_WIN
    for moves in range(1, ahead + 1):
        won = [w for w in ends if achieves(prover, side, w, PuzzleGoal("win-in", moves))]
        if won:
            return PuzzleGoal("win-in", moves) if len(won) == 1 else None
    if _has_two_safe_moves(prover, side, ends):
        return None
    for moves in range(1, MAX_AVOIDED + 1):
        safe = [w for w in ends if achieves(prover, side, w, PuzzleGoal("avoid", moves))]
        if len(safe) == 1 and achieves(prover, side, safe[0], PuzzleGoal("avoid", MIN_HELD)):
            return PuzzleGoal("avoid", moves)
        if len(safe) < 2:
            return None
    return None


def _has_two_safe_moves(prover: Prover, side: int, ends: list[Words]) -> bool:
    """Return whether two moves avoid a loss; most positions need no search of all moves."""
    goal, safe = PuzzleGoal("avoid", MAX_AVOIDED), 0
    for words in ends:
        safe += achieves(prover, side, words, goal)
        if safe == 2:
            return True
    return False


def _own_moves(distance: int) -> int:
    """Return the moves of one side up to a win that is `distance` moves after its next move."""
    return (distance + 2) // 2


def find_capture_goal(position: Position) -> PuzzleGoal | None:
    """Return the goal to capture most if one move captures more than all others."""
    captures = sorted(
        (_count_captures(position, words) for _, words in iter_distinct_successors(position)),
        reverse=True,
    )
    if sum(taken > 0 for taken in captures) < MIN_CAPTURING_MOVES or captures[0] < MIN_CAPTURED:
        return None
    return PuzzleGoal("most") if captures[0] > captures[1] else None


def solution_line(prover: Prover, position: Position, goal: PuzzleGoal) -> list[Move]:
    """Return the solution of a goal; it is empty if several moves achieve the goal."""
    line: list[Move] = []
    played, max_moves = Game(position), MAX_DRAWN if goal.kind == "draw" else MAX_SOLVED
    while True:
        words = achieving_positions(prover, played.position, goal)
        if len(words) != 1:
            # After the last reply several moves achieve the goal: the solution ends before it.
            return line[:-1] if len(line) % 2 == 0 else line
        line.append(shortest_move_to(played.position, words[0]))
        played = played.play(line[-1])
        finished = goal.kind in ("avoid", "most") or len(line) + 1 >= 2 * max_moves
        if finished or played.over or played.position.side == position.side:
            return line
        goal = next_goal(goal)
        move = best_reply(prover, played, goal)
        if move is None:
            return line
        line.append(move)
        played = played.play(move)
        if played.over or played.position.side != position.side:
            return line[:-1]


def remaining_moves(
    prover: Prover, position: Position, goal: PuzzleGoal, line: Sequence[Move]
) -> int | None:
    """Return the moves of both sides from the end of a solution to the proved win.

    None if the goal is not a win, or if the distance is not known.
    """
    if goal.kind not in ("win", "win-in") or not prover.to_end:
        return None
    limit = FOREVER if prover.whole else 2 * (goal.within or 0) - len(line)
    return prover.distance(line[-1].words, position.rest & 1, limit)


def next_goal(goal: PuzzleGoal) -> PuzzleGoal:
    """Return the goal after a move and a reply."""
    return replace(goal, within=goal.within - 1) if goal.kind == "win-in" and goal.within else goal


def shortest_move_to(position: Position, words: Words) -> Move:
    """Return the move to a position with the shortest text, then the first by text."""
    return min(position.moves_to(Position(position.rules, *words)), key=_by_text)


def _by_text(move: Move) -> tuple[int, str]:
    return len(move.text), move.text


def best_reply(prover: Prover, played: Game, goal: PuzzleGoal) -> Move | None:
    """Return the reply that resists longest, preferring one that leaves a single move."""
    position = played.position
    solver = 1 - (position.rest & 1)
    resisting: list[tuple[int, int, tuple[int, str], Move]] = []
    for _, words in iter_distinct_successors(position):
        if goal.kind == "draw":
            if prover.distance(words, solver, FOREVER) is not None:
                continue  # this reply would lose
            resistance = 0
        else:
            max_distance = FOREVER if goal.kind == "win" else 2 * (goal.within or 0)
            distance = prover.distance(words, solver, max_distance)
            if distance is None:
                raise ProofNotFound
            resistance = -distance
        after = Position(position.rules, *words)
        moves = len(achieving_positions(prover, after, goal)) if not after.over else FOREVER
        move = shortest_move_to(position, words)
        resisting.append((resistance, moves, _by_text(move), move))
    return min(resisting)[-1] if resisting else None
