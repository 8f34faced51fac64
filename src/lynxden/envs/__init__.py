"""The games as environments of other libraries, each an extra of its own.

`lynxden.envs.pettingzoo`, `lynxden.envs.gymnasium` and `lynxden.envs.openspiel` wrap positions and batches;
the rules stay where they are. `docs/environments.md` says how to use them.
"""
