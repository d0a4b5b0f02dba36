"""`python -m damier` is the command `damier`."""

import sys

from damier.cli import main

sys.exit(main())
