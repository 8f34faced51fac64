"""`python -m lynxden` is the command `lynxden`."""

from lynxden.cli import main

main()
