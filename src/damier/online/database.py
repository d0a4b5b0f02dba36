"""Tables of the database; `migrations/` creates and changes them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Players. Only a hash of the secret is stored.
identities = Table(
    "identities",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("secret", String(64), nullable=False, unique=True),
    Column("name", String(40), nullable=False),
    Column("bot", Boolean, nullable=False, default=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger),
)

# Events in order of version. All other data about a game is derived from them.
events = Table(
    "events",
    metadata,
    Column("game", String(24), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("act", String(80)),  # side and id of the action that caused the event
    Column("body", Text, nullable=False),
    UniqueConstraint("game", "act"),
)

# Data of games that queries need; updated in the same transaction as their events.
games = Table(
    "games",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("game", String(40), nullable=False),
    Column("terms", Text, nullable=False),
    Column("pace", String(8), nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("open", Boolean, nullable=False),  # in the lobby
    Column("creator", String(24), nullable=False, index=True),
    Column("white", String(24)),
    Column("black", String(24)),
    Column("status", String(10), nullable=False),
    Column("to_move", String(1)),
    Column("deadline", BigInteger),  # on the clock of the side to move
    Column("due", BigInteger),  # when the sweeper ends the game
    Column("turns", Integer, nullable=False),
    Column("position", Text, nullable=False),
    Column("winner", String(1)),
    Column("reason", String(40)),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("origin", String(64)),  # hash of the creator's address while the game is in the lobby
    # From the lobby: others may see it in progress.
    Column("listed", Boolean, nullable=False, server_default=false()),
)
Index("ix_games_white", games.c.white, games.c.status)
Index("ix_games_black", games.c.black, games.c.status)
Index(
    "ix_games_open",
    games.c.created,
    sqlite_where=text("open"),
    postgresql_where=text("open"),
)
Index("ix_games_due", games.c.due)
Index(
    "ix_games_live",
    games.c.status,
    sqlite_where=text("status = 'playing' AND pace = 'live'"),
    postgresql_where=text("status = 'playing' AND pace = 'live'"),
)

# Conditional moves. They are private and therefore not stored as events.
lines = Table(
    "lines",
    metadata,
    Column("game", String(24), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("ply", Integer, nullable=False),  # of the position they start from
    Column("lines", Text, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("identity", String(24), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("pace", String(8), primary_key=True),
    Column("points", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("updated", BigInteger, nullable=False),
)

# Addresses of players of rated games, as salted hashes and for some hours.
client_addresses = Table(
    "whereabouts",
    metadata,
    Column("identity", String(24), primary_key=True),
    Column("address", String(64), primary_key=True, index=True),
    Column("until", BigInteger, nullable=False),
)

# Presence at games, as each server process sees it.
presences = Table(
    "presences",
    metadata,
    Column("game", String(24), primary_key=True),
    Column("process", String(24), primary_key=True),
    Column("w", Boolean, nullable=False),
    Column("b", Boolean, nullable=False),
    Column("watchers", Integer, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
)

settings = Table(
    "settings",
    metadata,
    Column("name", String(24), primary_key=True),
    Column("value", Text, nullable=False),
)
