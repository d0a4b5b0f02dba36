"""Create the first schema: identities, games, events, lines, ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "events",
        sa.Column("game", sa.String(length=24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("act", sa.String(length=80), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("game", "version", name=op.f("pk_events")),
        sa.UniqueConstraint("game", "act", name=op.f("uq_events_game")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("pace", sa.String(length=8), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("creator", sa.String(length=24), nullable=False),
        sa.Column("white", sa.String(length=24), nullable=True),
        sa.Column("black", sa.String(length=24), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("to_move", sa.String(length=1), nullable=True),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("winner", sa.String(length=1), nullable=True),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
    )
    op.create_index("ix_games_black", "games", ["black", "status"], unique=False)
    op.create_index(op.f("ix_games_creator"), "games", ["creator"], unique=False)
    op.create_index("ix_games_due", "games", ["due"], unique=False)
    op.create_index(
        "ix_games_open",
        "games",
        ["created"],
        unique=False,
        sqlite_where=sa.text("open"),
        postgresql_where=sa.text("open"),
    )
    op.create_index("ix_games_white", "games", ["white", "status"], unique=False)
    op.create_table(
        "identities",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("bot", sa.Boolean(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("closed", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identities")),
        sa.UniqueConstraint("secret", name=op.f("uq_identities_secret")),
    )
    op.create_table(
        "lines",
        sa.Column("game", sa.String(length=24), nullable=False),
        sa.Column("side", sa.String(length=1), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("game", "side", name=op.f("pk_lines")),
    )
    op.create_table(
        "presences",
        sa.Column("game", sa.String(length=24), nullable=False),
        sa.Column("process", sa.String(length=24), nullable=False),
        sa.Column("w", sa.Boolean(), nullable=False),
        sa.Column("b", sa.Boolean(), nullable=False),
        sa.Column("watchers", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game", "process", name=op.f("pk_presences")),
    )
    op.create_index(op.f("ix_presences_at"), "presences", ["at"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("identity", sa.String(length=24), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("pace", sa.String(length=8), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("updated", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("identity", "game", "pace", name=op.f("pk_ratings")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "whereabouts",
        sa.Column("identity", sa.String(length=24), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("identity", "address", name=op.f("pk_whereabouts")),
    )
    op.create_index(op.f("ix_whereabouts_address"), "whereabouts", ["address"], unique=False)


def downgrade() -> None:
    """Drop all tables."""
    op.drop_index(op.f("ix_whereabouts_address"), table_name="whereabouts")
    op.drop_table("whereabouts")
    op.drop_table("settings")
    op.drop_table("ratings")
    op.drop_index(op.f("ix_presences_at"), table_name="presences")
    op.drop_table("presences")
    op.drop_table("lines")
    op.drop_table("identities")
    op.drop_index("ix_games_white", table_name="games")
    op.drop_index(
        "ix_games_open",
        table_name="games",
        sqlite_where=sa.text("open"),
        postgresql_where=sa.text("open"),
    )
    op.drop_index("ix_games_due", table_name="games")
    op.drop_index(op.f("ix_games_creator"), table_name="games")
    op.drop_index("ix_games_black", table_name="games")
    op.drop_table("games")
    op.drop_table("events")
