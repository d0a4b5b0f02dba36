"""Fair play: players of a rated game get no help from this server for its positions.

Players of a casual game may get help, but their opponent is informed.

Boards are compared up to symmetry; counters, numeric and other options make no difference.
Players are recognised by their identity and by their addresses, of which a salted hash is stored
for some hours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from fastapi import Request
from sqlalchemy import delete, insert, not_, or_, select

from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import Words
from damier.learning import lessons
from damier.online import reducer
from damier.online.clock import HOUR
from damier.online.database import client_addresses, games
from damier.online.reducer import OnlineGame
from damier.online.service import OnlineService
from damier.position import Position, Rules, load_rules
from damier.symmetry import board_key
from damier.web.addresses import client_address
from damier.web.endpoints import ENDPOINTS
from damier.web.puzzles import requested_puzzle
from damier.web.replay import replay_game

ADDRESS_TTL_MS = 12 * HOUR
FIRST_PLIES = 4  # positions of fewer moves are not protected
MAX_CONTINUATIONS = 20_000  # of two moves; some positions have many more
MAX_CACHED_GAMES = 500

Line = Sequence[Position]


class FairPlayGuard:
    """Guard that refuses help to players of rated games."""

    def __init__(self, online: OnlineService) -> None:
        self._online, self._store = online, online.store
        self._protected: dict[str, tuple[int, frozenset[str]]] = {}  # by game, with its version
        self._recorded: dict[tuple[str, str], int] = {}

    async def start(self) -> None:
        """Register with the service."""
        self._online.fair_play = self

    async def stop(self) -> None:
        """Do nothing: the guard has no task."""

    async def record(self, game: OnlineGame, player: str, address: str) -> None:
        """Store the address of a player of a rated game in progress."""
        now = self._online.now()
        if not game.setup.rated or game.status != "playing" or game.seat(player) is None:
            return
        key = {"identity": player, "address": self._online.addresses.current(address)}
        known_until = self._recorded.get((player, key["address"]), 0)
        if known_until > now + ADDRESS_TTL_MS // 2:  # of the same salt
            return
        w = client_addresses.c
        async with self._store.transaction() as connection:
            old = or_(w.until < now, (w.identity == player) & (w.address == key["address"]))
            await connection.execute(delete(client_addresses).where(old))
            await connection.execute(
                insert(client_addresses).values(**key, until=now + ADDRESS_TTL_MS)
            )
        if len(self._recorded) > 10_000:
            self._recorded.clear()
        self._recorded[player, key["address"]] = now + ADDRESS_TTL_MS

    async def check(self, request: Request, name: str, body: dict[str, Any]) -> None:
        """Raise DamierError if a request asks for help in a rated game of its client."""
        if not ENDPOINTS[name].helps_players or "game" not in body:
            return
        address = client_address(request)
        rated_games = await self._rated_games(request, address, body["game"])
        casual_games = await self._casual_games(request, body["game"])
        if not rated_games and not casual_games:
            return
        asked = await asyncio.to_thread(positions_of, body)
        for game in rated_games:
            if await asyncio.to_thread(self.is_about, asked, game):
                raise DamierError("rated-guard")
        for player, game in casual_games:
            if await asyncio.to_thread(self.is_about, asked, game):
                await self._record_hint(game, player)

    async def _record_hint(self, game: OnlineGame, player: str) -> None:
        """Inform the opponent of a player who asks for help in a casual game."""
        side = game.seat(player)
        if side is not None:
            await self._online.apply_decision(
                await self._online.channel(game.id),
                lambda current: reducer.decide_hint(current, side, self._online.now()),
            )

    def is_about(self, asked: Sequence[Line], game: OnlineGame) -> bool:
        """Return whether a request for help with the last positions of some lines concerns a game.

        It does if such a position is protected, or if its line continues from the game's current
        position.
        """
        rules = game.rules
        lines = [
            [_board_key(rules, position) for position in line if _comparable(rules, position)]
            for line in asked
        ]
        lines = [keys for keys in lines if keys]
        if not lines:
            return False
        version, protected = self._protected.get(game.id, (0, frozenset()))
        if version != game.version:
            protected = protected_boards(game)
            self._protected[game.id] = game.version, protected
            while len(self._protected) > MAX_CACHED_GAMES:
                self._protected.pop(next(iter(self._protected)))
        if any(keys[-1] in protected for keys in lines):
            return True
        current = _board_key(rules, game.gameplay.position)
        return game.gameplay.ply >= first_plies(game) and any(current in keys for keys in lines)

    async def _identify(self, request: Request) -> str | None:
        """Return the player who sends a request; None if it has no valid secret."""
        _, _, secret = request.headers.get("authorization", "").partition(" ")
        with suppress(DamierError):  # an invalid secret identifies nobody
            return (await self._online.players.by_secret(secret.strip())).id if secret else None
        return None

    async def _casual_games(self, request: Request, game: str) -> list[tuple[str, OnlineGame]]:
        """Return the casual games in progress of the player who sends a request."""
        player = await self._identify(request)
        if player is None:
            return []
        g = games.c
        own = or_(g.white == player, g.black == player)
        query = select(g.id).where(not_(g.rated), g.status == "playing", g.game == game, own)
        rows = await self._store.fetch(query)
        return [(player, (await self._online.channel(row.id)).game) for row in rows]

    async def _rated_games(self, request: Request, address: str, game: str) -> list[OnlineGame]:
        """Return the rated games in progress of the client of a request."""
        w, g = client_addresses.c, games.c
        query = select(w.identity).where(
            w.address.in_(self._online.addresses.valid(address)), w.until > self._online.now()
        )
        players = {player for (player,) in await self._store.fetch(query)}
        player = await self._identify(request)
        if player is not None:
            players.add(player)
        if not players:
            return []
        is_player = or_(g.white.in_(players), g.black.in_(players))
        query = select(g.id).where(g.rated, g.status == "playing", g.game == game, is_player)
        return [(await self._online.channel(row.id)).game for row in await self._store.fetch(query)]


def positions_of(body: dict[str, Any]) -> Sequence[Line]:
    """Return the positions of a request for help: of its game, its puzzle or its lesson.

    They are lines, each of which ends with a position that the request asks about: one line, or
    one for each of many positions.
    """
    with suppress(DamierError, LookupError):  # the handler reports the error
        if body.get("positions") is not None:
            return [[position] for position in _batch_of(body)]
        if "options" in body:
            defaults: dict[str, Any] = {"preset": None, "options": {}, "start": None, "turns": []}
            return [replay_game({**defaults, **body}).positions]
        if "image" in body:
            return [Game(requested_puzzle(body).start).play(*body.get("turns", ())).positions]
        if "step" in body:
            stage = lessons.read(load_rules(body["game"]).name).steps[body["step"]]
            return [[stage.stages[body["stage"]].position]]
    return ()


def _batch_of(body: dict[str, Any]) -> Iterator[Position]:
    """Yield the valid ones of many positions."""
    rules = load_rules(body["game"], body.get("preset"), **body["options"])
    for text in body["positions"]:
        with suppress(DamierError):  # the handler reports the error
            yield rules.position(text)


def first_plies(game: OnlineGame) -> int:
    """Return from which ply on help with a game is noticed: in a casual game nothing is refused."""
    return FIRST_PLIES if game.setup.rated else 1


def protected_boards(game: OnlineGame) -> frozenset[str]:
    """Return the keys of the boards with which the players of a game get no help.

    They are those of the game and of all positions within two moves of the current one, without the
    first ones, which everybody knows and other players ask about.
    """
    rules, gameplay = game.rules, game.gameplay
    played, first = gameplay.positions, first_plies(game)
    keys = {_board_key(rules, position) for position in played[first:]}
    for move in islice(gameplay.position.iter_legal_moves(), MAX_CONTINUATIONS):
        if gameplay.ply + 1 >= first:
            keys.add(_board_key(rules, move.after))
        if gameplay.ply + 2 >= first and len(keys) < MAX_CONTINUATIONS:
            keys.update(_key(rules, words) for _, words in move.after.ends())
    return frozenset(keys - {_board_key(rules, position) for position in played[:first]})


def _comparable(rules: Rules, position: Position) -> bool:
    """Return whether a position is of the same game, on a board of the same cells."""
    board, other = rules.board, position.rules.board
    is_same_board = (board.files, board.cells) == (other.files, other.cells)
    return position.rules.name == rules.name and is_same_board


def _board_key(rules: Rules, position: Position) -> str:
    return _key(rules, position.words)


def _key(rules: Rules, words: Words) -> str:
    return board_key(rules.board, rules.module.COLOUR_SWAP, words)
