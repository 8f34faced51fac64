"""The server: tables, people, clocks, storage, protocol. See `docs/protocol.md` and `docs/hosting.md`."""
