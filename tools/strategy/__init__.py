"""What the networks do, in figures: the tables and pictures of the pages about strategy, one for each game.

    python -m tools.strategy linko --games 4096             # prints the tables
    python -m tools.strategy blocco --games 4096 --write    # puts them into the page, and draws the pictures

Copies of the policy (the bot `neural`) play among themselves, four at a table, each taking the likeliest
action. Every decision is written down and counted by what it was about. The same seed gives the same figures.
"""
