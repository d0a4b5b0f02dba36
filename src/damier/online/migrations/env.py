"""What Alembic runs: the connection is given by `damier.online.migrations.run`."""

from alembic import context

from damier.online.database import metadata

if __name__ == "env_py":  # as Alembic loads it; whoever imports it otherwise changes nothing
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,  # SQLite changes a table by making it anew
        transactional_ddl=False,  # the caller's transaction holds all of it
    )
    context.run_migrations()
