"""HTTP interface of online play, below /api/v1/online/; live events come over the WebSocket."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from damier.errors import DamierError
from damier.online import events as e
from damier.online import models as m
from damier.online.game_queries import PAGE_SIZE
from damier.online.messages import schema
from damier.online.players import InvalidIdentity, Player
from damier.online.privacy import delete_identity, export_identity
from damier.online.service import OnlineService
from damier.online.store import StoreUnavailable
from damier.web.addresses import client_address
from damier.web.models import ErrorResponse

_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorResponse, "description": text}
    for status, text in {
        400: "The request is not valid; the message says why.",
        401: "There is no such identity.",
        403: "Not your seat, or the request comes from a page elsewhere.",
        404: "There is no such game or player.",
        409: "The game has changed meanwhile.",
        422: "The request does not match its schema.",
        429: "Too many requests: try again after Retry-After.",
        503: "The database is unavailable: try again after Retry-After.",
    }.items()
}
MAX_EVENTS_PAGE = 1000  # events in a response
router = APIRouter(prefix="/api/v1/online", responses=_ERROR_RESPONSES, tags=["online"])
Time = Annotated[int | None, Query(ge=0, le=e.MAX_TIME)]
GameIdPath = Annotated[str, Path(max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]


def service_of(request: Request) -> OnlineService:
    """Return the online service of the application."""
    service: OnlineService = request.app.state.online
    return service


async def optional_player(request: Request) -> Player | None:
    """Return the authenticated player; None without a secret. Raise InvalidIdentity."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if not secret:
        return None
    if kind.lower() != "bearer":
        raise InvalidIdentity("identity")
    return await service_of(request).players.by_secret(secret.strip())


async def player(summaries: Annotated[Player | None, Depends(optional_player)]) -> Player:
    """Return the authenticated player, or raise InvalidIdentity."""
    if summaries is None:
        raise InvalidIdentity("identity")
    return summaries


async def player_to_move(request: Request) -> Player:
    """Return the authenticated player; if this is impossible now, the player loses no time."""
    online, arrival = service_of(request), service_of(request).now()
    with online.heartbeat.arriving(arrival):
        try:
            return await player(await optional_player(request))
        except StoreUnavailable:
            online.heartbeat.record_refusal(request.path_params["game"], arrival)
            raise


Online = Annotated[OnlineService, Depends(service_of)]
OptionalPlayer = Annotated[Player | None, Depends(optional_player)]
RequiredPlayer = Annotated[Player, Depends(player)]
ActingPlayer = Annotated[Player, Depends(player_to_move)]


async def limit_lists(request: Request, online: Online) -> None:
    """Limit the rate at which an address requests lists."""
    online.limits.allow("lists", f"@{client_address(request)}")


RATE_LIMITED = [Depends(limit_lists)]


@router.post("/identities")
async def new_identity(
    body: m.IdentityRequest, online: Online, request: Request
) -> m.IdentityResponse:
    """Create an identity; its secret is returned only here."""
    online.limits.allow("identities", client_address(request))
    created, secret = await online.players.create(body.name, body.bot)
    return m.IdentityResponse(id=created.id, secret=secret, name=created.name)


@router.get("/me", response_model=m.PlayerProfile)
async def me(online: Online, me: RequiredPlayer) -> Response:
    """Return your own profile."""
    return JSONResponse(await online.players.profile(me))


@router.post("/me", response_model=m.PlayerProfile)
async def rename(body: m.RenameRequest, online: Online, me: RequiredPlayer) -> Response:
    """Change your name."""
    online.limits.allow("renames", me.id)
    return JSONResponse(await online.players.profile(await online.players.rename(me, body.name)))


@router.delete("/me", status_code=204)
async def delete_me(online: Online, me: RequiredPlayer) -> None:
    """Delete your identity: games in progress are lost, finished ones no longer name you."""
    online.limits.allow("renames", me.id)
    await delete_identity(online, me)


@router.get("/me/data", response_model=m.IdentityExport)
async def my_data(online: Online, me: RequiredPlayer) -> Response:
    """Return everything that the server stores about you."""
    online.limits.allow("exports", me.id)
    headers = {"Content-Disposition": 'attachment; filename="damier.json"'}
    content = export_identity(online, me)
    return StreamingResponse(content, media_type="application/json", headers=headers)


@router.post("/me/secret")
async def new_secret(online: Online, me: RequiredPlayer) -> m.SecretResponse:
    """Replace your secret; the old one becomes invalid."""
    online.limits.allow("renames", me.id)
    secret = await online.players.new_secret(me)
    online.disconnect_player(me.id, "secret")
    return m.SecretResponse(secret=secret)


@router.get("/me/games", response_model=m.GameListResponse, dependencies=RATE_LIMITED)
async def my_games(
    online: Online, me: RequiredPlayer, over: bool | None = None, before: Time = None
) -> Response:
    """List your games, first those in which it is your turn."""
    return await _list_games(online, me.id, me.id, over, before)


@router.get("/players/{player}", response_model=m.PlayerProfile, dependencies=RATE_LIMITED)
async def one_player(player: GameIdPath, online: Online) -> Response:
    """Return the profile of a player with ratings and results."""
    return JSONResponse(await online.players.profile(await online.players.by_id(player)))


@router.get("/players/{player}/games", response_model=m.GameListResponse, dependencies=RATE_LIMITED)
async def games_of(
    player: GameIdPath,
    online: Online,
    optional_player: OptionalPlayer,
    over: bool | None = None,
    before: Time = None,
) -> Response:
    """List a player's games."""
    return await _list_games(
        online, player, optional_player.id if optional_player else None, over, before
    )


async def _list_games(
    online: OnlineService, player: str, you: str | None, over: bool | None, before: int | None
) -> Response:
    summaries = await online.queries.player_games(player, you, over, before)
    last = summaries[-1]["updated"] if len(summaries) == PAGE_SIZE and over is not False else None
    return JSONResponse({"games": summaries, "before": last})


@router.get("/lobby", response_model=m.LobbyResponse, dependencies=RATE_LIMITED)
async def lobby(online: Online) -> Response:
    """List the games that wait for an opponent."""
    return JSONResponse({"entries": await online.queries.lobby()})


@router.post("/games", response_model=m.GameView)
async def new_game(
    body: e.GameSetup, online: Online, me: RequiredPlayer, request: Request
) -> Response:
    """Create a game."""
    online.limits.allow("games", me.id, client_address(request))
    game = await online.create_game(me, body, client_address(request))
    return await _game_response(online, game.id, me)


@router.get("/games/{game}", response_model=m.GameView)
async def one_game(game: GameIdPath, online: Online, optional_player: OptionalPlayer) -> Response:
    """Return the current state of a game."""
    return await _game_response(online, game, optional_player)


async def _game_response(
    online: OnlineService, game: str, optional_player: Player | None
) -> Response:
    return JSONResponse(await online.game_view(await online.current_channel(game), optional_player))


@router.get("/games/{game}/events", response_model=m.EventsResponse, dependencies=RATE_LIMITED)
async def events(
    game: GameIdPath,
    online: Online,
    since: Annotated[int, Query(ge=0, le=e.MAX_VERSION)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_EVENTS_PAGE)] = MAX_EVENTS_PAGE,
) -> Response:
    """Return the first events of a game after a version."""
    entries = await online.store.read_events(game, since, limit + 1)
    if not entries and not await online.store.versions([game]):
        raise DamierError("no-online-game")
    page = [event.model_dump() for event, _ in entries[:limit]]
    return JSONResponse({"events": page, "more": len(entries) > limit})


@router.get("/games/{game}/record", dependencies=RATE_LIMITED)
async def record(game: GameIdPath, online: Online) -> m.GameRecordResponse:
    """Return the record of a game as text."""
    return m.GameRecordResponse(
        text=await online.queries.record_text((await online.current_channel(game)).game)
    )


@router.post("/games/{game}/join", response_model=m.GameView)
async def join(game: GameIdPath, online: Online, me: RequiredPlayer, request: Request) -> Response:
    """Join a game; joining again has no effect."""
    online.limits.allow("acts", me.id)
    online.record_address(await online.join_game(game, me), me, client_address(request))
    return await _game_response(online, game, me)


@router.post("/games/{game}/acts")
async def act(
    game: GameIdPath, body: m.ActionRequest, online: Online, me: ActingPlayer, request: Request
) -> m.ActionResponse:
    """Perform an action in a game."""
    online.limits.allow("acts", me.id)
    version = await online.perform(game, me, body)
    online.record_address((await online.channel(game)).game, me, client_address(request))
    return m.ActionResponse(version=version)


@router.post("/qr", dependencies=RATE_LIMITED)
async def qr(body: m.QrCodeRequest, request: Request) -> m.QrCodeResponse:
    """Draw a URL of this server as a QR code."""
    import segno

    base_url = request.app.state.public or str(request.base_url)
    if not body.text.startswith(base_url) or not body.text.isprintable():
        raise DamierError("qr-address")
    code = segno.make_qr(body.text, error="m")
    return m.QrCodeResponse(svg=code.svg_inline(scale=1, border=4, omitsize=True, svgclass=None))


@router.get("/events.schema.json", include_in_schema=False)
async def message_schema() -> Response:
    """Return the JSON schema of every message, event and action."""
    return JSONResponse(_schema())


@cache
def _schema() -> dict[str, Any]:
    return schema()
