"""Alembic migrations of the database schema."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

# Advisory lock: of several processes that start at once, one migrates the database.
_LOCK = 0x64616D696572


def run(connection: Connection) -> None:
    """Migrate a database to the current schema, in the transaction of the connection."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> Config:
    """Return the configuration for Alembic's commands."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
