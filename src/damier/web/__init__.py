"""The server and its page: play, learn and analyse in a browser."""
