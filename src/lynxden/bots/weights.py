"""Weights of networks as files: safetensors, read and written with NumPy alone.

The format is a length, a header of JSON and the numbers (https://github.com/huggingface/safetensors). Large
matrices are kept as whole numbers of eight bits with a scale for each row, which is a quarter of the size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.games.core import Game
from lynxden.games.errors import LynxdenError

FORMAT = "lynxden-network-1"
TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "I16": np.dtype("<i2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
MOST_HEADER = 1 << 20
SCALE = ".scale"

Arrays = dict[str, NDArray[Any]]


class WeightsError(LynxdenError):
    """A file of weights that is broken, or meant for something else."""


@dataclass(frozen=True)
class Weights:
    """Arrays by name, and what is said about them."""

    arrays: Arrays
    about: Mapping[str, str]

    def holds(self, name: str) -> bool:
        """Whether there is such a network."""
        return any(key.startswith(f"{name}.") for key in self.arrays)

    def part(self, name: str) -> Arrays:
        """The arrays of one network, without its name."""
        found = {
            key.removeprefix(f"{name}."): value
            for key, value in self.arrays.items()
            if key.startswith(f"{name}.")
        }
        if not found:
            raise WeightsError(f"these weights hold no network '{name}'")
        return found


def about_game(game: Game) -> dict[str, str]:
    """What weights must say to fit a game: other numbers would mean something else."""
    return {
        "format": FORMAT,
        "game": game.name,
        "actions": str(game.action_count),
        "observation": " ".join(f"{name}={size}" for name, size in game.observation_fields.items()),
    }


def check_game(weights: Weights, game: Game, name: str) -> None:
    """Refuse weights that were trained for another game, or for another form of observation."""
    for key, wanted in about_game(game).items():
        found = weights.about.get(key)
        if found != wanted:
            raise WeightsError(f"{name} does not fit {game.title}: {key} is {found!r} and not {wanted!r}")


def write_weights(path: Path, weights: Weights) -> None:
    """Write a file in one go: a reader finds the old one or the new one, never a part."""
    names = {dtype: name for name, dtype in TYPES.items()}
    header: dict[str, Any] = {"__metadata__": dict(weights.about)}
    parts = []
    at = 0
    for key, array in weights.arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        kind = names[array.dtype.newbyteorder("<")]
        header[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    draft = path.with_name(path.name + ".new")
    draft.write_bytes(b"".join([len(text).to_bytes(8, "little"), text, *parts]))
    draft.replace(path)


def read_weights(path: Path) -> Weights:
    """Read a file strictly: `WeightsError` says what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"weights cannot be read: {path}: {error.strerror}") from error
    try:
        return _parse(data)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise WeightsError(f"{path} is no file of weights, or it is broken: {error}") from error


def _parse(data: bytes) -> Weights:
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= length <= min(MOST_HEADER, len(data) - 8):
        raise ValueError("it has no safetensors header")
    header = json.loads(data[8 : 8 + length])
    about = header.pop("__metadata__", {})
    body = memoryview(data)[8 + length :]
    arrays: Arrays = {}
    end = 0
    for name, entry in header.items():
        dtype, (start, stop) = TYPES[entry["dtype"]], entry["data_offsets"]
        shape = tuple(int(size) for size in entry["shape"])
        if start != end or stop - start != dtype.itemsize * int(np.prod(shape)) or stop > len(body):
            raise ValueError(f"the place of {name} is wrong")
        end = stop
        arrays[name] = np.frombuffer(body[start:stop], dtype).reshape(shape)
        if dtype.kind == "f" and not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds what is no number")
    if end != len(body):
        raise ValueError(f"{len(body) - end} bytes are left over")
    return Weights(arrays, about)


def shrunk(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Matrices of floats as bytes with a scale for each row; all else as it is."""
    out: Arrays = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype.kind == "f":
            scale = np.maximum(np.abs(array).max(axis=1), 1e-12).astype(np.float32) / np.float32(127)
            out[name] = np.round(array / scale[:, None]).astype(np.int8)
            out[name + SCALE] = scale
        else:
            out[name] = array
    return out


def expanded(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The reverse: every matrix in 32 bits."""
    out: Arrays = {}
    for name, array in arrays.items():
        if name.endswith(SCALE):
            continue
        if name + SCALE in arrays:
            out[name] = array.astype(np.float32) * arrays[name + SCALE][:, None]
        else:
            out[name] = array.astype(np.float32) if array.dtype.kind == "f" else array
    return out
