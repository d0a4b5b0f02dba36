"""Online play over HTTP, below /api/v1/online/: everything but what happens while it happens."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from damier.errors import DamierError
from damier.online import events as e
from damier.online import models as m
from damier.online.messages import schema
from damier.online.players import Player, Unknown
from damier.online.service import LISTED, Service
from damier.web.models import ErrorOut

_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut, "description": said}
    for status, said in {
        400: "The request cannot be used; the message says why.",
        401: "No such identity.",
        403: "Not your seat, or the request comes from a page elsewhere.",
        404: "There is no such game or player.",
        409: "The table has changed meanwhile.",
        422: "The request has another form than described.",
        429: "Too much of this: try again after Retry-After.",
        503: "The database is away: try again after Retry-After.",
    }.items()
}
router = APIRouter(prefix="/api/v1/online", responses=_REFUSED, tags=["online"])
GameId = Annotated[str, Path(max_length=24, pattern=r"^[A-Za-z0-9_-]+$")]


def service_of(request: Request) -> Service:
    """Return what does the work."""
    service: Service = request.app.state.online
    return service


async def asker(request: Request) -> Player | None:
    """Return who asks; nobody in particular without a secret."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if not secret:
        return None
    if kind.lower() != "bearer":
        raise Unknown("identity")
    return await service_of(request).players.by_secret(secret.strip())


async def player(found: Annotated[Player | None, Depends(asker)]) -> Player:
    """Return who asks, or refuse."""
    if found is None:
        raise Unknown("identity")
    return found


Online = Annotated[Service, Depends(service_of)]
Asker = Annotated[Player | None, Depends(asker)]
Me = Annotated[Player, Depends(player)]


def address_of(request: Request) -> str:
    """Return from where a request comes."""
    return request.client.host if request.client else ""


async def looking(request: Request, online: Online) -> None:
    """Let an address look at lists now and then, not all the time."""
    online.limits.allow("lists", f"@{address_of(request)}")


SELDOM = [Depends(looking)]


@router.post("/identities")
async def new_identity(body: m.IdentityIn, online: Online, request: Request) -> m.IdentityOut:
    """Make an identity; its secret is told this once."""
    online.limits.allow("identities", address_of(request))
    made, secret = await online.players.create(body.name, body.bot)
    return m.IdentityOut(id=made.id, secret=secret, name=made.name)


@router.get("/me", response_model=m.PlayerOut)
async def me(online: Online, me: Me) -> Response:
    """Return who you are."""
    return JSONResponse(await online.players.described(me))


@router.post("/me", response_model=m.PlayerOut)
async def rename(body: m.NameIn, online: Online, me: Me) -> Response:
    """Take another name."""
    online.limits.allow("renames", me.id)
    return JSONResponse(await online.players.described(await online.players.rename(me, body.name)))


@router.post("/me/secret")
async def new_secret(online: Online, me: Me) -> m.SecretOut:
    """Take another secret: whoever has the old one is nobody any more."""
    online.limits.allow("renames", me.id)
    secret = await online.players.new_secret(me)
    online.shut_out(me.id, "secret")
    return m.SecretOut(secret=secret)


@router.get("/me/games", response_model=m.GamesOut, dependencies=SELDOM)
async def my_games(
    online: Online, me: Me, over: bool | None = None, before: int | None = None
) -> Response:
    """List your games: first those in which it is your turn."""
    return await _listed(online, me.id, me.id, over, before)


@router.get("/players/{player}", response_model=m.PlayerOut, dependencies=SELDOM)
async def one_player(player: GameId, online: Online) -> Response:
    """Return a player with ratings and results."""
    return JSONResponse(await online.players.described(await online.players.by_id(player)))


@router.get("/players/{player}/games", response_model=m.GamesOut, dependencies=SELDOM)
async def games_of(
    player: GameId, online: Online, asker: Asker, over: bool | None = None,
    before: int | None = None,
) -> Response:  # fmt: skip
    """List a player's games."""
    return await _listed(online, player, asker.id if asker else None, over, before)


async def _listed(
    online: Service, player: str, you: str | None, over: bool | None, before: int | None
) -> Response:
    found = await online.games_of(player, you, over, before)
    last = found[-1]["updated"] if len(found) == LISTED and over is not False else None
    return JSONResponse({"games": found, "before": last})


@router.get("/lobby", response_model=m.LobbyOut, dependencies=SELDOM)
async def lobby(online: Online) -> Response:
    """List the tables that wait for anybody."""
    return JSONResponse({"entries": await online.lobby()})


@router.post("/games", response_model=m.GameOut)
async def new_game(body: e.Terms, online: Online, me: Me, request: Request) -> Response:
    """Set up a table."""
    online.limits.allow("games", me.id, address_of(request))
    table = await online.create(me, body)
    return await _shown(online, table.id, me)


@router.get("/games/{game}", response_model=m.GameOut)
async def one_game(game: GameId, online: Online, asker: Asker) -> Response:
    """Return a game as it stands."""
    return await _shown(online, game, asker)


async def _shown(online: Service, game: str, asker: Player | None) -> Response:
    return JSONResponse(await online.game_out(await online.fresh_room(game), asker))


@router.get("/games/{game}/events", response_model=m.EventsOut, dependencies=SELDOM)
async def events(
    game: GameId, online: Online, since: Annotated[int, Query(ge=0)] = 0
) -> Response:  # fmt: skip
    """Return what has happened at a table after a version."""
    kept = await online.store.read(game, since)
    if not kept and not await online.store.versions([game]):
        raise DamierError("no-online-game")
    return JSONResponse({"events": [event.model_dump() for event, _ in kept]})


@router.get("/games/{game}/record", dependencies=SELDOM)
async def record(game: GameId, online: Online) -> m.RecordOut:
    """Return a game as text."""
    return m.RecordOut(text=await online.record(await online.fresh_room(game)))


@router.post("/games/{game}/join", response_model=m.GameOut)
async def join(game: GameId, online: Online, me: Me, request: Request) -> Response:
    """Sit down at a table; to do so twice is to do so once."""
    online.limits.allow("acts", me.id)
    online.note_where(await online.join(game, me), me, address_of(request))
    return await _shown(online, game, me)


@router.post("/games/{game}/acts")
async def act(
    game: GameId, body: m.ActIn, online: Online, me: Me, request: Request
) -> m.DoneOut:  # fmt: skip
    """Do something at a table."""
    online.limits.allow("acts", me.id)
    version = await online.act(game, me, body)
    online.note_where((await online.room(game)).table, me, address_of(request))
    return m.DoneOut(version=version)


@router.post("/qr", dependencies=SELDOM)
async def qr(body: m.TextIn, request: Request) -> m.SvgOut:
    """Draw an address of this server as a QR code."""
    import segno

    here = request.app.state.public or str(request.base_url)
    if not body.text.startswith(here) or not body.text.isprintable():
        raise DamierError("qr-address")
    code = segno.make_qr(body.text, error="m")
    return m.SvgOut(svg=code.svg_inline(scale=1, border=4, omitsize=True, svgclass=None))


@router.get("/events.schema.json", include_in_schema=False)
async def described() -> Response:
    """Describe every message, event and act."""
    return JSONResponse(_schema())


@cache
def _schema() -> dict[str, Any]:
    return schema()
