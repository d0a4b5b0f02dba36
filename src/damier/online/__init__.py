"""Online games between people: rules of play, storage, HTTP and WebSocket interfaces.

Games are event-sourced: `events` defines the events, `reducer` computes a game from them, and
`service` stores each event before it is sent to anybody. See docs/online.md.
"""
