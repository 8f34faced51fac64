"""Plain, slow referees written from the rules alone, to check the fast engine against."""
