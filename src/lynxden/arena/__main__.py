"""`python -m lynxden.arena` is the command `lynxden arena`, for machines with NumPy and Numba alone."""

from lynxden.arena.command import main

if __name__ == "__main__":  # workers import this module under another name
    main()
