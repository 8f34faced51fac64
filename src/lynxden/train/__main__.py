"""`python -m lynxden.train` is the command `lynxden train`; it needs PyTorch, NumPy and Numba alone."""

from lynxden.train.command import main

if __name__ == "__main__":
    main()
