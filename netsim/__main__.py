"""`python -m netsim` is the command line."""

import sys

from netsim.cli import main

if __name__ == "__main__":
    sys.exit(main())
