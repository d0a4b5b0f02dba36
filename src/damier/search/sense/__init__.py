"""What each game's search knows about good and bad: one small file a game.

A file gives, as kernels, `evaluate` (an estimate for the side to move, linear in `weights` but for
what it looks up behind them, which `tables` returns),
`promise` (how a step is ranked before it is tried, 0 for the search's own experience),
`fingerprint` (the third word without what does not matter to the value), `content` (whether the
mover may leave the position as it stands), `loud` (keep only the steps that a quiet search must
look at), `quiet_turns` (how far it goes) and `dullness` (how much less than its estimate a position
is worth to a player who must win, whose pawns come first); the NAMES of the weights, which are in
`damier.search.weights`; and LATE, after how many steps of a position the others are looked at less
deep, where that pays (docs/levels.md).
"""
