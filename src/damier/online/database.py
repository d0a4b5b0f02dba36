"""The tables of the database. How they came to be is in `migrations/`."""

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
    text,
)  # fmt: skip

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Who plays. Of the secret only a hash is kept.
identities = Table(
    "identities", metadata,
    Column("id", String(24), primary_key=True),
    Column("secret", String(64), nullable=False, unique=True),
    Column("name", String(40), nullable=False),
    Column("bot", Boolean, nullable=False, default=False),
    Column("created", BigInteger, nullable=False),
    Column("closed", BigInteger),
)  # fmt: skip

# What happened, in the order in which it did. Everything else about a game follows from it.
events = Table(
    "events", metadata,
    Column("game", String(24), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("act", String(80)),  # side and identifier of the act that led to it
    Column("body", Text, nullable=False),
    UniqueConstraint("game", "act"),
)  # fmt: skip

# What the events of a game add up to, as far as somebody looks for it: written with them.
games = Table(
    "games", metadata,
    Column("id", String(24), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("game", String(40), nullable=False),
    Column("terms", Text, nullable=False),
    Column("pace", String(8), nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("open", Boolean, nullable=False),  # waits in the lobby
    Column("creator", String(24), nullable=False, index=True),
    Column("white", String(24)),
    Column("black", String(24)),
    Column("status", String(10), nullable=False),
    Column("to_move", String(1)),
    Column("deadline", BigInteger),  # on the clock of the side to move
    Column("due", BigInteger),  # when the sweeper looks at it
    Column("turns", Integer, nullable=False),
    Column("position", Text, nullable=False),
    Column("winner", String(1)),
    Column("reason", String(40)),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
)  # fmt: skip
Index("ix_games_white", games.c.white, games.c.status)
Index("ix_games_black", games.c.black, games.c.status)
Index(
    "ix_games_open", games.c.created,
    sqlite_where=text("open"), postgresql_where=text("open"),
)  # fmt: skip
Index("ix_games_due", games.c.due)

# What a player has planned: seen by nobody else, hence no event.
lines = Table(
    "lines", metadata,
    Column("game", String(24), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("ply", Integer, nullable=False),  # of the position that they go on from
    Column("lines", Text, nullable=False),
)  # fmt: skip

ratings = Table(
    "ratings", metadata,
    Column("identity", String(24), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("pace", String(8), primary_key=True),
    Column("points", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("updated", BigInteger, nullable=False),
)  # fmt: skip

# From where players of rated games come, as salted hashes and for some hours.
whereabouts = Table(
    "whereabouts", metadata,
    Column("identity", String(24), primary_key=True),
    Column("address", String(64), primary_key=True, index=True),
    Column("until", BigInteger, nullable=False),
)  # fmt: skip

# Who sits or watches where, as each process of the server sees it.
presences = Table(
    "presences", metadata,
    Column("game", String(24), primary_key=True),
    Column("process", String(24), primary_key=True),
    Column("w", Boolean, nullable=False),
    Column("b", Boolean, nullable=False),
    Column("watchers", Integer, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
)  # fmt: skip

settings = Table(
    "settings", metadata,
    Column("name", String(24), primary_key=True),
    Column("value", Text, nullable=False),
)  # fmt: skip
