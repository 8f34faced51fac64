"""What makes tables live: sockets, timers, bots, other servers. The rules of a table are in `table`."""
