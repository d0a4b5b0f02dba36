"""State machine of two players and a server under kills, locks and freezes, against a model.

The model knows the moves that were acknowledged and, for each side, bounds of the time it has used:
time in which the server could write counts, an outage of two seconds or more does not, and a
shorter one may. Time in which a refused move may come again does not count either; after a kill or
an outage this holds for every clock with little time left, because nobody knows which moves were
refused. Nobody is flagged in this time. The server is real but for its clock, which the machine
sets.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from damier.errors import DamierError
from damier.online import events as e
from damier.online import store as store_module
from damier.online.app import open_service
from damier.online.clock import MAX_LAG_MS
from damier.online.heartbeat import MIN_OUTAGE_MS
from damier.online.limits import RateLimiter
from damier.online.reducer import OnlineGame
from damier.online.refused_moves import RESEND_TIME_MS
from damier.online.store import StoreUnavailable
from damier.online.sweeper import Sweeper
from tests.support.online_client import FakeClock, action_request

pytestmark = pytest.mark.slow

INITIAL_S, INCREMENT_S = 12, 1


class OutageMachine(RuleBasedStateMachine):
    """Two players, a server with one database file, and what goes wrong with them."""

    @initialize()
    def begin(self) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.runner = asyncio.Runner()
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "online.sqlite"
        self.clock = FakeClock()
        self.locker: sqlite3.Connection | None = None
        self.moves: list[str] = []  # acknowledged
        self.unsent: Any = None  # the request of a refused move, which its player sends again
        self.last: tuple[Any, Any, int] | None = None  # the last acknowledged request
        self.left = {"w": 1000 * INITIAL_S, "b": 1000 * INITIAL_S}
        self.used = [0, 0]  # the least and the most time the side to move has used
        self.locked_ms = 0
        self.resend_ms: int | None = None  # for how long a move has been awaited
        self.is_awaited: bool | None = False  # although none was refused; None: perhaps
        self.awaited_ms = 0  # how much of this time is not used, but given back later
        self.run(self._set_up())

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.thread.submit(self.runner.run, coroutine).result()

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self._release()
            self.run(self.online.close())
            self.thread.submit(self.runner.close).result()
            self.thread.shutdown()
            self.directory.cleanup()

    async def _set_up(self) -> None:
        await self._start()
        self.players = {}
        for side in "wb":
            self.players[side], _ = await self.online.players.create(f"Player {side}")
        self.stranger, _ = await self.online.players.create("Stranger")
        clock = e.LiveClock(minutes=INITIAL_S / 60, seconds=INCREMENT_S)
        setup = e.GameSetup(game="badia", colour="w", clock=clock)
        self.id = (await self.online.create_game(self.players["w"], setup)).id
        await self.online.join_game(self.id, self.players["b"])
        await self._tick()

    async def _start(self) -> None:
        url = f"sqlite+aiosqlite:///{self.path}"
        self.online = await open_service(url, self.clock, RateLimiter(factor=1e6))
        self.sweeper = Sweeper(self.online)
        await self.online.heartbeat.start()

    async def _tick(self) -> None:
        """Do what the background loop does every quarter of a second."""
        try:
            await self.online.heartbeat.tick()
            await self.sweeper.end_expired_games()
        except StoreUnavailable:
            assert self.locker is not None

    def game(self) -> OnlineGame:
        async def load() -> OnlineGame:
            return (await self.online.channel(self.id)).game

        found: OnlineGame = self.run(load())
        return found

    def is_playing(self) -> bool:
        return self.game().status == "playing"

    @property
    def side(self) -> str:
        return "wb"[len(self.moves) % 2]

    # ---- actions of the players --------------------------------------------------------------

    def _perform(self, player: Any, request: Any) -> int:
        version: int = self.run(self.online.perform(self.id, player, request))
        return version

    @precondition(lambda self: self.is_playing())
    @rule(choice=st.integers(0, 99))
    def move(self, choice: int) -> None:
        """Play a move, or send again one that was refused."""
        side, player = self.side, self.players[self.side]
        if self.unsent is None:
            legal = self.game().gameplay.legal_moves()
            text = legal[choice % len(legal)].text
            self.unsent = action_request("turn", name=f"m{len(self.moves)}", turn=text)
        request = self.unsent
        try:
            version = self._perform(player, request)
        except StoreUnavailable:
            assert self.locker is not None
            self.resend_ms = None
            return
        except DamierError as error:
            assert error.key == "too-late"
            self._check_flag()
            return
        game = self.game()
        self.last, self.unsent = (player, request, version), None
        self.moves.append(request.act.turn)
        if len(self.moves) > 2:  # the first move of a side is free
            spent = game.spent[-1]
            assert self.used[0] <= spent <= self.used[1]
            self.left[side] += 1000 * INCREMENT_S - spent
        self.used, self.awaited_ms, self.resend_ms = [0, 0], 0, None
        self.is_awaited = False
        if self.locker is not None:  # it was written before, and only the answer was repeated
            raise AssertionError("a move was acknowledged although it could not be written")

    @precondition(lambda self: self.last is not None)
    @rule()
    def repeat(self) -> None:
        """Send an acknowledged move again: it has the same version and is not played twice."""
        assert self.last is not None
        player, request, version = self.last
        try:
            assert self._perform(player, request) == version
        except StoreUnavailable:
            assert self.locker is not None

    @rule(choice=st.integers(0, 99), by=st.sampled_from(["opponent", "stranger"]))
    def act_for_somebody_else(self, choice: int, by: str) -> None:
        legal = self.game().gameplay.legal_moves()
        if not legal:
            return
        player = self.stranger if by == "stranger" else self.players["bw"[self.side == "b"]]
        turn = legal[choice % len(legal)].text
        request = action_request("turn", name=f"x{choice}", turn=turn)
        with pytest.raises((DamierError, StoreUnavailable)):
            self._perform(player, request)
        if by == "stranger":
            with pytest.raises((DamierError, StoreUnavailable)):
                self._perform(player, action_request("resign"))

    # ---- time and failures -----------------------------------------------------------

    def _use(self, least: int, most: int) -> None:
        if len(self.moves) >= 2 and self.is_playing():
            self.used[0] += least
            self.used[1] += most

    @precondition(lambda self: len(self.moves) >= 2 and self.is_playing())
    @rule()
    def think(self) -> None:
        """Use nearly all the time that is left."""
        self.wait(max(1, (self.left[self.side] - self.used[1]) // 1000 - 1))

    @rule(seconds=st.integers(1, 4))
    def wait(self, seconds: int) -> None:
        for _ in range(seconds):
            self.clock.advance(1000)
            if self.locker is not None:
                self.locked_ms += 1000
            elif (is_awaited := self._await(1000)) is not False:
                self.awaited_ms += 1000 if is_awaited else 0
                self._use(0, 0 if is_awaited else 1000)
            else:
                # The time for a refused move ends with the heartbeat after it.
                is_ending = self.awaited_ms and (self.resend_ms or 0) < RESEND_TIME_MS + 3000
                self._use(0 if is_ending else 1000, 1000)
                self.awaited_ms = self.awaited_ms if is_ending else 0
            self.run(self._tick())

    def _await(self, milliseconds: int) -> bool | None:
        """Let time pass while no lock is held; return whether a move is awaited (None: perhaps)."""
        if self.resend_ms is None or len(self.moves) < 2:
            return False
        self.resend_ms += milliseconds
        if self.resend_ms > RESEND_TIME_MS:
            return False
        return self.unsent is not None or self.is_awaited

    def _await_any_move(self) -> None:
        """After a start or an outage, any move is awaited if little time is left."""
        if len(self.moves) < 2:
            return
        least, most = (self.left[self.side] - used for used in reversed(self.used))
        if least - self.awaited_ms <= RESEND_TIME_MS:
            self.resend_ms = 0
            self.is_awaited = True if most + MAX_LAG_MS <= RESEND_TIME_MS else None

    @precondition(lambda self: self.locker is None)
    @rule()
    def lock(self) -> None:
        self.locker = sqlite3.connect(self.path, isolation_level=None)
        self.locker.execute("BEGIN IMMEDIATE")
        self.locked_ms = 0

    @precondition(lambda self: self.locker is not None)
    @rule()
    def unlock(self) -> None:
        self._release()
        self._outage(self.locked_ms)
        if self.unsent is not None and self.resend_ms is None:
            self.resend_ms = 0
        if self.locked_ms >= MIN_OUTAGE_MS:
            self._await_any_move()
        self.run(self._tick())

    def _release(self) -> None:
        if self.locker is not None:
            self.locker.execute("ROLLBACK")
            self.locker.close()
            self.locker = None

    def _outage(self, milliseconds: int) -> None:
        self._use(0, milliseconds if milliseconds < MIN_OUTAGE_MS else 0)

    @precondition(lambda self: self.locker is None)
    @rule(seconds=st.integers(1, 30), first=st.sampled_from(["tick", "move"]))
    def freeze(self, seconds: int, first: str) -> None:
        """Suspend the process; when it continues, the loop or a player's move comes first."""
        self.clock.advance(1000 * seconds)
        self._outage(1000 * seconds)
        self._await(1000 * seconds)
        if 1000 * seconds >= MIN_OUTAGE_MS:
            self._await_any_move()
        if first == "tick":
            self.run(self._tick())
        elif self.is_playing():
            self.move(0)

    @rule(seconds=st.integers(1, 30))
    def kill(self, seconds: int) -> None:
        """Kill the server and start it again some time later."""
        locked_ms, was_locked = self.locked_ms, self.locker is not None
        self._release()
        self.run(self.online.close())
        self.clock.advance(1000 * seconds)
        self._outage(1000 * seconds + (locked_ms if was_locked else 0))
        self._use(0, self.awaited_ms)  # the new process does not know about the refused move
        self.awaited_ms, self.resend_ms, self.is_awaited = 0, RESEND_TIME_MS + 3000, False
        self._await_any_move()
        self.run(self._start())
        self.run(self._tick())

    # ---- invariants -------------------------------------------------------------------

    def _check_flag(self) -> None:
        """Check that a player who lost on time has really used it."""
        game = self.game()
        assert game.status == "over"
        assert game.reason == "time"
        assert self.used[1] >= self.left[self.side]
        is_awaited = self.is_awaited or self.unsent is not None
        assert not is_awaited or (self.resend_ms or 0) >= RESEND_TIME_MS

    @invariant()
    def the_game_is_as_the_model_says(self) -> None:
        if not hasattr(self, "id"):
            return
        game = self.game()
        assert game.moves == self.moves
        assert (game.w, game.b) == (self.players["w"].id, self.players["b"].id)
        stored = self.run(self.online.store.read_events(self.id))
        assert [event.version for event, _ in stored] == list(range(1, len(stored) + 1))
        assert [event.turn for event, _ in stored if event.kind == "turn"] == self.moves
        if game.reason == "time":
            self._check_flag()
            return
        if game.status != "playing":
            return
        for side in ("w", "b"):
            left = game.clock.time_left(side, self.clock.now)
            assert left is not None
            if side != self.side:
                assert left == self.left[side]
            elif self.locker is None:
                used = self.used[1] + self.awaited_ms, self.used[0]
                least, most = (max(0, self.left[side] - used_ms) for used_ms in used)
                assert least <= left <= most
        if self.locker is None:  # and a flag falls when time is up
            assert self.used[0] < self.left[self.side] + 2 * MAX_LAG_MS


@pytest.fixture(autouse=True)
def short_lock_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "SQLITE_LOCK_TIMEOUT_S", 0.02)


TestOutages = OutageMachine.TestCase
TestOutages.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
