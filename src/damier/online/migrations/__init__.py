"""How the database came to be what it is, step by step; `run` takes the steps that are missing."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

# Two processes that begin at once do not both change the database.
_LOCK = 0x64616D696572


def run(connection: Connection) -> None:
    """Bring a database up to date, inside the transaction of the connection."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    command.upgrade(configured(connection), "head")


def configured(connection: Connection) -> Config:
    """Return what Alembic's commands take."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
