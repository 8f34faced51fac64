"""Kernels that every game needs and none should write again.

This file is a template: `jit.specialise` loads it once for each game, with that game's `rules`, `view`,
`sample`, `encode` and `heuristic` modules as globals. Functions at Python's border take an array of records
and an index, which is twenty times cheaper to call than with a single record.
"""

from lynxden.games.jit import advance, below, kernel, stream

# `rules`, `view`, `sample`, `encode` and `heuristic` are put here by `jit.specialise`.
# ruff: noqa: F821
# mypy: ignore-errors

OVER = -1
ILLEGAL = -1

# Bots that can play inside a kernel, by number.
RANDOM, GREEDY = 0, 1


# --- One game ---------------------------------------------------------------------------------------


@kernel
def deal(games, i, options, players, starter, seed):
    """Deal game i from a seed."""
    rules.deal(games[i], options, players, starter, stream(seed, 0))


@kernel
def lay_out(games, i, options, players, starter):
    """Set up game i from the deck it holds."""
    rules.lay_out(games[i], options, players, starter)


@kernel
def legal_numbers(games, i, out):
    """Write the legal action numbers of game i, rising; return how many."""
    count = 0
    number = rules.legal_after(games[i], -1)
    while number >= 0:
        out[count] = number
        count += 1
        number = rules.legal_after(games[i], number)
    return count


@kernel
def is_legal(game, number):
    """An action is legal if the generator yields it."""
    return number >= 0 and rules.legal_after(game, number - 1) == number


@kernel
def step_and_list(games, i, number, out):
    """Apply an action in place and write what is legal next; how many, or `ILLEGAL` with nothing changed."""
    if not is_legal(games[i], number):
        return ILLEGAL
    rules.apply(games[i], number)
    return legal_numbers(games, i, out)


@kernel
def step_copy(games, i, number, out, j):
    """Apply an action to a copy of game i, which becomes game j of `out`."""
    if not is_legal(games[i], number):
        return ILLEGAL
    out[j] = games[i]
    rules.apply(out[j], number)
    return 0


@kernel
def look(games, i, seat, views, j):
    """Write what `seat` may see of game i (a spectator: -1) as record j of `views`, which holds zeros."""
    view.look(games[i], seat, views[j])


@kernel
def redeal(views, i, seat, out, j, rng):
    """A full game that fits what `seat` sees, uniformly over what is unseen."""
    out[j] = views[i]
    sample.redeal(out[j], seat, rng)


@kernel
def scores(games, i, out):
    for seat in range(games[i].players):
        out[seat] = rules.score(games[i], seat)


@kernel
def winners(game):
    """Who has won, as a set of bits."""
    found = 0
    for seat in range(game.players):
        if rules.is_winner(game, seat):
            found |= 1 << seat
    return found


@kernel
def greedy_choice(games, i):
    """What the heuristic would do in a game, or a view of it, as whoever decides."""
    return heuristic.choose(games[i])


@kernel
def observe(games, i, seat, out):
    """Write the numbers that describe game i to a network in `seat`."""
    encode.observe(games[i], seat, out)


# --- Many games: rows `start` to `stop` of the arrays, so that threads can share the work -------------


@kernel
def random_action(game, rng):
    """A legal action, each as likely as any other."""
    return rules.legal_at(game, below(rng, rules.legal_count(game)))


@kernel
def deal_one(games, i, options, players, starters, seed, first, rounds, streams):
    """The next game of lane first + i: each lane has its own stream of deals, the same on every device."""
    start = stream(stream(seed, first + i), rounds[i])
    rules.deal(games[i], options, players, starters[i], start)
    streams[i] = stream(start, 1)


@kernel
def deal_many(games, start, stop, options, players, starters, seed, first, rounds, streams):
    for i in range(start, stop):
        deal_one(games, i, options, players, starters, seed, first, rounds, streams)


@kernel
def deal_finished_many(games, start, stop, options, players, starters, seed, first, rounds, streams):
    """Deal the next game of each lane whose game is over."""
    for i in range(start, stop):
        if games[i].phase == rules.OVER:
            rounds[i] += 1
            deal_one(games, i, options, players, starters, seed, first, rounds, streams)


@kernel
def step_many(games, start, stop, actions, faults):
    """Apply one action to each game that is not over. Illegal ones change nothing and are flagged."""
    for i in range(start, stop):
        if games[i].phase != rules.OVER:
            if is_legal(games[i], actions[i]):
                rules.apply(games[i], actions[i])
            else:
                faults[i] = 1


@kernel
def actors_many(games, start, stop, actors):
    for i in range(start, stop):
        actors[i] = OVER if games[i].phase == rules.OVER else int(games[i].actor)


@kernel
def random_many(games, start, stop, streams, actions):
    """Choose a random legal action for each game that is not over."""
    for i in range(start, stop):
        if games[i].phase != rules.OVER:
            streams[i] = advance(streams[i])
            actions[i] = random_action(games[i], streams[i])


@kernel
def masks_many(games, start, stop, masks):
    for i in range(start, stop):
        rules.legal_mask(games[i], masks[i])


@kernel
def observe_many(games, start, stop, out):
    """Observations for whoever decides in each game."""
    for i in range(start, stop):
        encode.observe(games[i], int(games[i].actor), out[i])


@kernel
def results_many(games, start, stop, points, won, reasons):
    for i in range(start, stop):
        game = games[i]
        reasons[i] = game.reason
        for seat in range(game.players):
            points[i, seat] = rules.score(game, seat)
            won[i, seat] = game.phase == rules.OVER and rules.is_winner(game, seat)


@kernel
def playout_one(game, rng, cap):
    """Random legal play to the end, or to the cap; returns the decisions made."""
    decisions = 0
    while game.phase != rules.OVER and decisions < cap:
        rng = advance(rng)
        rules.apply(game, random_action(game, rng))
        decisions += 1
    return decisions


@kernel
def playout_many(games, start, stop, streams, cap, decisions):
    for i in range(start, stop):
        decisions[i] = playout_one(games[i], streams[i], cap)


@kernel
def bot_action(game, bot, rng):
    if bot == GREEDY:
        return heuristic.choose(game)
    return random_action(game, rng)


@kernel
def play_many(games, start, stop, streams, bots, cap, log, actors, decisions):
    """Games between bots, `bots` naming one for each seat, with every action written to `log`.

    A row of the log ends where `decisions` says; a game that reaches the cap is left unfinished.
    """
    for i in range(start, stop):
        game = games[i]
        rng = streams[i]
        count = 0
        while game.phase != rules.OVER and count < cap:
            rng = advance(rng)
            number = bot_action(game, bots[int(game.actor)], rng)
            if count < log.shape[1]:
                log[i, count] = number
                actors[i, count] = game.actor
            rules.apply(game, number)
            count += 1
        decisions[i] = count
