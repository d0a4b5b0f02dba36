"""Entry point of the command `damier`.

It is outside of the package because importing the package takes most of the start-up: only a module
that is imported before can handle Ctrl-C in that time.
"""

import os
import signal
import sys
from contextlib import suppress

INTERRUPTED = 130  # exit status


def run() -> int:
    """Run the command line; return its exit status without a traceback, whatever happens."""
    status = INTERRUPTED
    try:
        from damier.cli import main

        status = main()
    except KeyboardInterrupt:
        pass
    except SystemExit as exit_request:  # after help, or an error in the arguments
        status = exit_request.code if isinstance(exit_request.code, int) else 1
    except OSError:  # the error could not be reported: nobody reads standard error any more
        status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the rest takes no time
        return 0 if _flush() and not status else status or 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _flush() -> bool:
    """Write what the streams still hold; if that is impossible, discard it and return False."""
    complete = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):  # the reader has closed the pipe, or the disk is full
            complete = False
            with suppress(OSError, ValueError):  # there is no such file
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return complete
