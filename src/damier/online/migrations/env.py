"""Alembic environment; `damier.online.migrations.run` provides the connection."""

from alembic import context

from damier.online.database import metadata

if __name__ == "env_py":  # loaded by Alembic; an import has no effect
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,  # SQLite changes a table by copying it
        transactional_ddl=False,  # everything runs in the caller's transaction
    )
    context.run_migrations()
