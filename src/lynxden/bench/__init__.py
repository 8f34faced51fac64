"""How fast it is: figures of this machine, beside a named peer in the same run."""
