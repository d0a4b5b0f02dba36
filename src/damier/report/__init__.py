"""Results page: Markdown and pictures generated from the tables of solved games."""
