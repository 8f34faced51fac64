"""What a table is: its log, the state that follows from it, what may be done, and what each viewer sees.

Everything here is a pure function of its arguments: no sockets, no tasks, no SQL, no clock, no randomness.
What makes a table live is in `lynxden.server.live`.
"""
