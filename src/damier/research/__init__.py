"""Research interfaces: batches of games, standard environments, exact labels.

The public modules are `damier.batch`, `damier.truth`, and, each with an optional dependency,
`damier.pettingzoo`, `damier.gymnasium` and `damier.openspiel`. See docs/research.md.
"""
