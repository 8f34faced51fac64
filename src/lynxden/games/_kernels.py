"""Kernels that every game needs and none should write again.

This file is a template: `jit.specialise` loads it once for each game, with that game's `rules`, `view`,
`sample`, `encode` and `heuristic` modules as globals. Functions at Python's border take an array of records
and an index, which is twenty times cheaper to call than with a single record.
"""

from lynxden.games.jit import advance, below, kernel, outlined_kernel, stream

# `rules`, `view`, `sample`, `encode` and `heuristic` are put here by `jit.specialise`.
# ruff: noqa: F821
# mypy: ignore-errors

OVER = -1
ILLEGAL = -1

# What a win is worth to a search, and each point of difference to the best other player, up to a bound.
SHARES = 1000
MARGIN = 10
MOST_MARGIN = 40

# Bots that can play inside a kernel, by number; 0 plays at random.
GREEDY = 1


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
    """What the heuristic would do in a game, or a view of it, as the deciding seat."""
    return heuristic.choose(games[i], heuristic.WEIGHTS, stream(0, 0))


@kernel
def weighed_choice(games, i, weights, rng):
    """The same for a player with other weights."""
    return heuristic.choose(games[i], weights, rng)


@kernel
def observe(games, i, seat, out):
    """Write the numbers that describe game i to a network in `seat`."""
    encode.observe(games[i], seat, out)


# --- Many games -------------------------------------------------------------------------------------
#
# Each job comes twice: `x` does it for one game, row i of the other arrays; `x_many` for the games from
# `start` to `stop`, so that threads can share the work. A CUDA thread calls `x` itself.


@kernel
def random_action(game, rng):
    """A legal action, each as likely as any other."""
    return rules.legal_at(game, below(rng, rules.legal_count(game)))


@outlined_kernel
def deal_lane(game, i, options, players, starters, seed, first, rounds, streams):
    """The next game of lane first + i: each lane has its own stream of deals, the same on every device."""
    start = stream(stream(seed, first + i), rounds[i])
    rules.deal(game, options[i], players[i], starters[i], start)
    streams[i] = stream(start, 1)


@kernel
def deal_lane_many(games, start, stop, options, players, starters, seed, first, rounds, streams):
    for i in range(start, stop):
        deal_lane(games[i], i, options, players, starters, seed, first, rounds, streams)


@kernel
def deal_finished(game, i, options, players, starters, seed, first, rounds, streams):
    """Deal the next game of a lane whose game is over."""
    if game.phase == rules.OVER:
        rounds[i] += 1
        deal_lane(game, i, options, players, starters, seed, first, rounds, streams)


@kernel
def deal_finished_many(games, start, stop, options, players, starters, seed, first, rounds, streams):
    for i in range(start, stop):
        deal_finished(games[i], i, options, players, starters, seed, first, rounds, streams)


@kernel
def step(game, i, actions, faults):
    """Apply an action unless the game is over. An illegal one changes nothing and is flagged.

    With an empty list of faults all actions are trusted to be legal.
    """
    if game.phase != rules.OVER:
        if len(faults) and not is_legal(game, actions[i]):
            faults[i] = 1
        else:
            rules.apply(game, actions[i])


@kernel
def step_many(games, start, stop, actions, faults):
    for i in range(start, stop):
        step(games[i], i, actions, faults)


@kernel
def imagine(game, i, streams):
    """Redeal what the deciding seat cannot see: a world that fits what it knows."""
    if game.phase != rules.OVER:
        sample.redeal(game, int(game.actor), streams[i])


@kernel
def imagine_many(games, start, stop, streams):
    for i in range(start, stop):
        imagine(games[i], i, streams)


change = getattr(sample, "exchange", sample.redeal)


@kernel
def exchange(game, i, streams):
    """Another world: two cards that the deciding seat cannot see change places, as likely as the way back.

    If a game has no such step, all of them are dealt anew.
    """
    if game.phase != rules.OVER:
        streams[i] = advance(streams[i])
        change(game, int(game.actor), streams[i])


@kernel
def exchange_many(games, start, stop, streams):
    for i in range(start, stop):
        exchange(games[i], i, streams)


@kernel
def random_step(game, i, streams, made):
    """One random legal action, unless the game is over; `made` counts them."""
    if game.phase != rules.OVER:
        rng = advance(streams[i])
        streams[i] = rng
        made[i] += 1
        rules.apply(game, random_action(game, rng))


@kernel
def random_step_many(games, start, stop, streams, made):
    for i in range(start, stop):
        random_step(games[i], i, streams, made)


@outlined_kernel
def result(game, i, points, won, reasons):
    reasons[i] = game.reason
    for seat in range(game.players):
        points[i, seat] = rules.score(game, seat)
        won[i, seat] = game.phase == rules.OVER and rules.is_winner(game, seat)


@outlined_kernel
def finish(game, i, options, players, starters, seed, first, rounds, streams, points, won, reasons):
    """The results of a game that is over, and the deal of the next one."""
    result(game, i, points, won, reasons)
    rounds[i] += 1
    deal_lane(game, i, options, players, starters, seed, first, rounds, streams)


@kernel
def turn(
    game, i, options, players, starters, seed, first, rounds, streams, actions, faults,
    seen, masks, points, won, reasons, actors,
):  # fmt: skip
    """A learner's turn in one pass: the action, results and a new deal if it ended the game, a new look.

    With no rows for masks those are left to a job of their own.
    """
    step(game, i, actions, faults)
    reasons[i] = 0
    if game.phase == rules.OVER:
        finish(game, i, options, players, starters, seed, first, rounds, streams, points, won, reasons)
    actors[i] = game.actor
    encode.observe(game, int(game.actor), seen[i])
    if len(masks):
        rules.legal_mask(game, masks[i])


@kernel
def turn_many(
    games, start, stop, options, players, starters, seed, first, rounds, streams, actions, faults,
    seen, masks, points, won, reasons, actors,
):  # fmt: skip
    for i in range(start, stop):
        turn(
            games[i], i, options, players, starters, seed, first, rounds, streams, actions, faults,
            seen, masks, points, won, reasons, actors,
        )  # fmt: skip


# Some seats are the caller's, whose number is below 0 in `bots`; bots have the others.


@kernel
def bot_choice(game, bot, rng):
    if bot == GREEDY:
        return heuristic.choose(game, heuristic.WEIGHTS, rng)
    return random_action(game, rng)


@outlined_kernel
def let_bots_play(game, i, streams, bots):
    """Let bots decide until the caller has to, or the game is over."""
    rng = streams[i]
    while game.phase != rules.OVER and bots[game.actor] >= 0:
        rng = advance(rng)
        rules.apply(game, bot_choice(game, bots[game.actor], rng))
    streams[i] = rng


@outlined_kernel
def next_game(game, i, options, players, starters, seed, first, rounds, streams, bots):
    """Deal until the caller has something to decide: bots might end a game before."""
    rounds[i] += 1
    deal_lane(game, i, options, players, starters, seed, first, rounds, streams)
    let_bots_play(game, i, streams, bots)
    while game.phase == rules.OVER:
        rounds[i] += 1
        deal_lane(game, i, options, players, starters, seed, first, rounds, streams)
        let_bots_play(game, i, streams, bots)


@kernel
def look_as_caller(game, bots, i, seen, masks, actors):
    """What the caller's deciding seat sees; when the game is over, its lowest seat unless it decided last."""
    seat = int(game.actor)
    if bots[seat] >= 0:
        seat = 0
        while bots[seat] >= 0:
            seat += 1
    actors[i] = seat
    encode.observe(game, seat, seen[i])
    if len(masks):
        rules.legal_mask(game, masks[i])


@kernel
def begin(
    game, i, options, players, starters, seed, first, rounds, streams, bots, chosen, seen, masks, actors
):
    """Start a lane (1: with the game that was dealt; 2: with the next; 0: not at all), and look."""
    if chosen[i] == 1:
        let_bots_play(game, i, streams, bots)
    if chosen[i] == 2 or (chosen[i] == 1 and game.phase == rules.OVER):
        next_game(game, i, options, players, starters, seed, first, rounds, streams, bots)
    look_as_caller(game, bots, i, seen, masks, actors)


@kernel
def begin_many(
    games, start, stop, options, players, starters, seed, first, rounds, streams, bots, chosen,
    seen, masks, actors,
):  # fmt: skip
    for i in range(start, stop):
        begin(
            games[i], i, options, players, starters, seed, first, rounds, streams, bots, chosen,
            seen, masks, actors,
        )  # fmt: skip


@kernel
def challenge(
    game, i, options, players, starters, seed, first, rounds, streams, bots, redeal, actions, faults,
    seen, masks, points, won, reasons, actors, last,
):  # fmt: skip
    """The caller's action and all that bots do after it, up to the caller's next decision.

    Where the game ended, the next one is dealt at once (`redeal` 2, with the last look in `last`), instead of
    the next action (1), or never (0).
    """
    reasons[i] = 0
    if game.phase == rules.OVER:
        if redeal == 1:
            next_game(game, i, options, players, starters, seed, first, rounds, streams, bots)
    else:
        step(game, i, actions, faults)
        if game.phase != rules.OVER and bots[game.actor] >= 0:
            let_bots_play(game, i, streams, bots)
        if game.phase == rules.OVER:
            result(game, i, points, won, reasons)
            if redeal == 2:
                look_as_caller(game, bots, i, last, masks, actors)
                next_game(game, i, options, players, starters, seed, first, rounds, streams, bots)
    look_as_caller(game, bots, i, seen, masks, actors)


@kernel
def challenge_many(
    games, start, stop, options, players, starters, seed, first, rounds, streams, bots, redeal, actions,
    faults, seen, masks, points, won, reasons, actors, last,
):  # fmt: skip
    for i in range(start, stop):
        challenge(
            games[i], i, options, players, starters, seed, first, rounds, streams, bots, redeal, actions,
            faults, seen, masks, points, won, reasons, actors, last,
        )  # fmt: skip


@kernel
def playout(game, i, streams, cap, decisions):
    """Random legal play to the end, or to the cap; notes the decisions made."""
    rng = streams[i]
    count = 0
    while game.phase != rules.OVER and count < cap:
        rng = advance(rng)
        rules.apply(game, random_action(game, rng))
        count += 1
    streams[i] = rng
    decisions[i] = count


@kernel
def playout_many(games, start, stop, streams, cap, decisions):
    for i in range(start, stop):
        playout(games[i], i, streams, cap, decisions)


@kernel
def play(game, i, streams, bots, cap, actions, actors, decisions):
    """A game between bots, `bots` naming one for each seat, with every action written down.

    A row of actions ends where `decisions` says; a game that reaches the cap is left unfinished.
    """
    rng = streams[i]
    count = 0
    while game.phase != rules.OVER and count < cap:
        rng = advance(rng)
        actor = int(game.actor)
        number = bot_choice(game, bots[actor], rng)
        actions[i, count] = number
        actors[i, count] = actor
        rules.apply(game, number)
        count += 1
    streams[i] = rng
    decisions[i] = count


@kernel
def play_many(games, start, stop, streams, bots, cap, actions, actors, decisions):
    for i in range(start, stop):
        play(games[i], i, streams, bots, cap, actions, actors, decisions)


@kernel
def play_weighed(game, weights, cap, rng):
    """A game between players who weigh things differently, a row of weights a seat, to the end or the cap."""
    count = 0
    while game.phase != rules.OVER and count < cap:
        rng = advance(rng)
        rules.apply(game, heuristic.choose(game, weights[game.actor], rng))
        count += 1
    return count


@kernel
def play_weighed_many(games, start, stop, weights, cap, streams):
    for i in range(start, stop):
        play_weighed(games[i], weights, cap, streams[i])


@kernel
def search_many(views, start, stop, seat, seed, first, actions, weights, cap, worlds, values):
    """Try actions in the worlds from first + `start` to first + `stop`: the same luck for each action.

    World n depends on the seed and n alone. Row i of `values` gets what each action came to in world
    first + i; `worlds` are two records to work in.
    """
    for i in range(start, stop):
        luck = stream(seed, first + i)
        worlds[0] = views[0]
        sample.redeal(worlds[0], seat, luck)
        luck = stream(luck, 1)
        for k in range(len(actions)):
            worlds[1] = worlds[0]
            rules.apply(worlds[1], actions[k])
            play_weighed(worlds[1], weights, cap, luck)
            values[i, k] = value_of(worlds[1], seat)


@kernel
def value_of(game, seat):
    """How well a game went for a seat: its share of the win in thousandths, and a little for each point."""
    mine = rules.score(game, seat)
    best = -1000
    winning = 0
    for other in range(game.players):
        winning += 1 if rules.is_winner(game, other) else 0
        if other != seat:
            best = max(best, rules.score(game, other))
    value = MARGIN * min(max(mine - best, -MOST_MARGIN), MOST_MARGIN)
    return value + (SHARES // winning if rules.is_winner(game, seat) else 0)


# What follows only reads the games.


@kernel
def choose_random(game, i, streams, actions):
    """Choose a random legal action, unless the game is over."""
    if game.phase != rules.OVER:
        streams[i] = advance(streams[i])
        actions[i] = random_action(game, streams[i])


@kernel
def choose_random_many(games, start, stop, streams, actions):
    for i in range(start, stop):
        choose_random(games[i], i, streams, actions)


@kernel
def choose_greedy(game, i, actions):
    """What the heuristic would do, unless the game is over."""
    if game.phase != rules.OVER:
        actions[i] = heuristic.choose(game, heuristic.WEIGHTS, stream(0, 0))


@kernel
def choose_greedy_many(games, start, stop, actions):
    for i in range(start, stop):
        choose_greedy(games[i], i, actions)


@kernel
def actor(game, i, out):
    """Who decides, or `OVER`."""
    out[i] = OVER if game.phase == rules.OVER else int(game.actor)


@kernel
def actor_many(games, start, stop, out):
    for i in range(start, stop):
        actor(games[i], i, out)


@kernel
def mask(game, i, out):
    """Ones at the legal actions, zeros elsewhere."""
    rules.legal_mask(game, out[i])


@kernel
def mask_many(games, start, stop, out):
    for i in range(start, stop):
        mask(games[i], i, out)


@kernel
def word_by_generator(game, word):
    """Eight places of a mask, a byte each, as one number: masks by many threads a game."""
    first = 8 * word
    found = 0
    number = rules.legal_after(game, first - 1)
    while first <= number < first + 8:
        found |= 1 << (8 * (number - first))
        number = rules.legal_after(game, number)
    return found


mask_word = getattr(rules, "legal_word", word_by_generator)


@kernel
def observation(game, i, out):
    """What the deciding seat may know."""
    encode.observe(game, int(game.actor), out[i])


@kernel
def observation_many(games, start, stop, out):
    for i in range(start, stop):
        observation(games[i], i, out)


@kernel
def seen_from(game, i, seats, out):
    """What a seat may know, whoever decides."""
    encode.observe(game, int(seats[i]), out[i])


@kernel
def seen_from_many(games, start, stop, seats, out):
    for i in range(start, stop):
        seen_from(games[i], i, seats, out)


@kernel
def hidden(game, i, out):
    """What the deciding seat does not know: all hands, for a learner's judge."""
    encode.reveal(game, int(game.actor), out[i])


@kernel
def hidden_many(games, start, stop, out):
    for i in range(start, stop):
        hidden(games[i], i, out)


@kernel
def result_many(games, start, stop, points, won, reasons):
    for i in range(start, stop):
        result(games[i], i, points, won, reasons)
