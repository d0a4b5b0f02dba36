"""`python -m damier` is the command `damier`."""

import sys

from damier_command import run

sys.exit(run())
