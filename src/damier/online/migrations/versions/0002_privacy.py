"""Keep the salt outside the database; add the origin and publicity of games."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LIVE = sa.text("status = 'playing' AND pace = 'live'")


def upgrade() -> None:
    """Add the columns and the index, and delete the salt with the hashes made with it."""
    op.add_column("games", sa.Column("origin", sa.String(length=64), nullable=True))
    op.add_column(
        "games", sa.Column("listed", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    games = sa.table("games", sa.column("listed", sa.Boolean()), sa.column("terms", sa.Text()))
    is_open = games.c.terms.contains('"open":true')
    op.execute(games.update().where(is_open).values(listed=sa.true()))
    op.create_index(
        "ix_games_live", "games", ["status"], sqlite_where=_LIVE, postgresql_where=_LIVE
    )
    op.execute("DELETE FROM settings WHERE name = 'salt'")
    op.execute("DELETE FROM whereabouts")


def downgrade() -> None:
    """Drop the columns and the index."""
    op.drop_index("ix_games_live", table_name="games", sqlite_where=_LIVE, postgresql_where=_LIVE)
    op.drop_column("games", "listed")
    op.drop_column("games", "origin")
