"""Games between people far apart: a server that keeps them, over HTTP and WebSocket.

A game is a list of events that only grows (`events`); a table is what they add up to (`table`).
`service` writes an event before anybody hears of it. See docs/online.md.
"""
