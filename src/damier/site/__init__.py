"""The page without a server: a folder of static files that any web host can give out."""
