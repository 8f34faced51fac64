"""Networks without a deep-learning package: compiled code for one decision, NumPy for many at once.

The first layer needs no multiplication. Each byte of an observation stands for a row of a table, and the
rows are added up (`train/code.py` says why).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.weights import Arrays, WeightsError, expanded
from lynxden.games.jit import advance, bits, kernel, outlined_kernel

Floats = NDArray[np.float32]

EPSILON = 1e-5
"""What the normalisation adds to a variance, as PyTorch does."""
_UNIT = 1.0 / 2.0**53


class Network:
    """A residual network that reads observations."""

    def __init__(self, arrays: Arrays, inputs: int, outputs: int) -> None:
        try:
            arrays = expanded(arrays)
            places, steps = arrays["places"].astype(np.int64), arrays["steps"].astype(np.int64)
            first = np.ascontiguousarray(arrays["in.weight"].T)
            self.bias = arrays["in.bias"]
            self.width = len(self.bias)
            count = sum(1 for name in arrays if name.endswith(".one.weight"))
            self.matrices = np.zeros((2 * count, self.width, self.width), np.float32)
            self.biases = np.zeros((2 * count, self.width), np.float32)
            for block in range(count):
                for half, name in enumerate(("one", "two")):
                    self.matrices[2 * block + half] = arrays[f"block{block}.{name}.weight"].T
                    self.biases[2 * block + half] = arrays[f"block{block}.{name}.bias"]
            self.last, self.last_bias = arrays["out.weight"], arrays["out.bias"]
        except (KeyError, ValueError, IndexError) as error:
            raise WeightsError(f"the weights are incomplete: {error}") from error
        shapes = (first.shape, self.last.shape, self.last_bias.shape, places.shape)
        wanted = ((len(steps), self.width), (outputs, self.width), (outputs,), steps.shape)
        if shapes != wanted or (len(places) and not 0 <= places.min() <= places.max() < inputs):
            raise WeightsError(f"the weights have the wrong shape: {shapes} instead of {wanted}")
        self._tabulate(places, steps, first, inputs)

    def _tabulate(
        self, places: NDArray[np.int64], steps: NDArray[np.int64], first: Floats, inputs: int
    ) -> None:
        """For each byte the row of the table that belongs to its value; 0 is none."""
        self.rows = np.zeros((inputs, 256), np.int32)
        self.table = np.zeros((len(places) + 1, self.width), np.float32)
        values = np.arange(-128, 128)
        for place in range(inputs):
            mine = np.flatnonzero(places == place)
            mine = mine[np.argsort(steps[mine], kind="stable")]
            if len(mine):
                self.table[mine + 1] = np.cumsum(first[mine], axis=0)
                reached = np.searchsorted(steps[mine], values, side="right")
                self.rows[place, values & 255] = np.concatenate([[0], mine + 1])[reached]

    def one(self, seen: NDArray[np.int8], wanted: NDArray[np.int64]) -> Floats:
        """The numbers at some places of the output, for one observation."""
        out = np.empty(len(wanted), np.float32)
        work = np.empty((3, self.width), np.float32)
        think(
            seen, self.rows, self.table, self.bias, self.matrices, self.biases, self.last, self.last_bias,
            wanted, work, out,
        )  # fmt: skip
        return out

    def many(self, seen: NDArray[np.int8]) -> Floats:
        """All numbers, for rows of observations."""
        h = np.empty((len(seen), self.width), np.float32)
        embed_many(seen, self.rows, self.table, self.bias, h)
        return self._on(h)

    def many_alike(self, same: NDArray[np.int8], rest: NDArray[np.int8]) -> Floats:
        """The same for rows that all begin with `same`, which is looked at once."""
        first = np.empty((1, self.width), np.float32)
        embed_many(same[None], self.rows, self.table, self.bias, first)
        h = np.empty((len(rest), self.width), np.float32)
        embed_many(rest, self.rows[len(same) :], self.table, first[0], h)
        return self._on(h)

    def _on(self, h: Floats) -> Floats:
        """From the first layer to the last."""
        x = np.empty_like(h)
        for block in range(0, len(self.matrices), 2):
            normalise_many(h, x, False)
            y = x @ self.matrices[block]
            y += self.biases[block]
            np.maximum(y, 0, out=y)
            h += y @ self.matrices[block + 1]
            h += self.biases[block + 1]
        normalise_many(h, x, True)
        found: Floats = x @ self.last.T
        found += self.last_bias
        return found


@kernel
def embed(seen: Any, rows: Any, table: Any, bias: Any, h: Any) -> None:
    """Add up the rows that the bytes stand for."""
    for k in range(len(bias)):
        h[k] = bias[k]
    for place in range(len(seen)):
        row = rows[place, int(seen[place]) & 255]
        if row:
            for k in range(len(bias)):
                h[k] += table[row, k]


@kernel
def normalise(h: Any, x: Any, cut: bool) -> None:
    """Mean 0 and variance 1; with `cut`, nothing below 0."""
    width = len(h)
    mean = 0.0
    for k in range(width):
        mean += h[k]
    mean /= width
    variance = 0.0
    for k in range(width):
        variance += (h[k] - mean) ** 2
    scale = np.float32(1.0 / np.sqrt(variance / width + EPSILON))
    centre = np.float32(mean)
    for k in range(width):
        value = (h[k] - centre) * scale
        x[k] = max(value, np.float32(0.0)) if cut else value


@kernel
def multiply(x: Any, matrix: Any, y: Any) -> None:
    """Add a vector times a matrix, row by row; zeros cost nothing."""
    for j in range(len(x)):
        if x[j] != 0:
            for k in range(len(y)):
                y[k] += x[j] * matrix[j, k]


@outlined_kernel
def think(
    seen: Any, rows: Any, table: Any, bias: Any, matrices: Any, biases: Any, last: Any, last_bias: Any,
    wanted: Any, work: Any, out: Any,
) -> None:  # fmt: skip
    """A whole network for one observation."""
    h, x, y = work[0], work[1], work[2]
    embed(seen, rows, table, bias, h)
    for block in range(0, len(matrices), 2):
        normalise(h, x, False)
        for k in range(len(y)):
            y[k] = biases[block, k]
        multiply(x, matrices[block], y)
        for k in range(len(y)):
            y[k] = max(y[k], np.float32(0.0))
            h[k] += biases[block + 1, k]
        multiply(y, matrices[block + 1], h)
    normalise(h, x, True)
    for i in range(len(wanted)):
        total = last_bias[wanted[i]]
        for k in range(len(x)):
            total += x[k] * last[wanted[i], k]
        out[i] = total


@outlined_kernel
def embed_many(seen: Any, rows: Any, table: Any, bias: Any, h: Any) -> None:
    for i in range(len(seen)):
        embed(seen[i], rows, table, bias, h[i])


@outlined_kernel
def normalise_many(h: Any, x: Any, cut: bool) -> None:
    for i in range(len(h)):
        normalise(h[i], x[i], cut)


@outlined_kernel
def draw_many(logits: Any, masks: Any, streams: Any, actions: Any) -> None:
    """An action for each row by its chances, with the row's own luck; 0 where none is legal."""
    for i in range(len(logits)):
        streams[i] = advance(streams[i])
        most = -np.inf
        for k in range(masks.shape[1]):
            if masks[i, k] and logits[i, k] > most:
                most = logits[i, k]
        whole = 0.0
        for k in range(masks.shape[1]):
            if masks[i, k]:
                whole += np.exp(logits[i, k] - most)
        left = whole * (np.float64(bits(streams[i]) >> np.uint64(11)) * _UNIT)
        actions[i] = 0
        for k in range(masks.shape[1]):
            if masks[i, k]:
                actions[i] = k
                left -= np.exp(logits[i, k] - most)
                if left < 0:
                    break
