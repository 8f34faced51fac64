"""The networks: a coded observation, residual blocks, numbers out. Parameters are a plain dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from lynxden.bots.weights import Arrays, expanded
from lynxden.train.code import Code

Tensor = Any


class Network:
    """A residual network. `arrays` has the same names as the files of weights."""

    def __init__(self, arrays: Arrays, device: str) -> None:
        self.device = device
        self.kind = torch.bfloat16 if device == "cuda" else torch.float32
        """What it computes in; parameters are kept in 32 bits."""
        self.places = torch.as_tensor(arrays["places"].astype(np.int64), device=device)
        self.steps = torch.as_tensor(np.array(arrays["steps"]), device=device)
        self.values: dict[str, Tensor] = {
            name: torch.tensor(array, dtype=torch.float32, device=device, requires_grad=True)
            for name, array in expanded(arrays).items()
            if name not in ("places", "steps")
        }

    def __call__(self, seen: Tensor) -> Tensor:
        """Rows of bytes to rows of numbers."""
        return forward(self.values, self.places, self.steps, seen, self.kind)

    @property
    def parameters(self) -> list[Tensor]:
        return list(self.values.values())

    def arrays(self, kind: Any = np.float32) -> Arrays:
        """The parameters for a file."""
        code: Arrays = {
            "places": self.places.cpu().numpy().astype(np.int16),
            "steps": self.steps.cpu().numpy(),
        }
        return code | {name: value.detach().cpu().numpy().astype(kind) for name, value in self.values.items()}

    def load(self, arrays: Arrays) -> None:
        """Take over parameters of the same shape, in place."""
        with torch.no_grad():
            for name, value in self.values.items():
                value.copy_(torch.as_tensor(np.array(arrays[name], np.float32)))


def new_arrays(code: Code, width: int, blocks: int, outputs: int, seed: int) -> Arrays:
    """Parameters to start from: small at the end, so that every action is about as likely."""
    rng = np.random.default_rng(seed)
    places, steps = code

    def matrix(rows: int, columns: int, size: float) -> Any:
        return (rng.standard_normal((rows, columns)) * size).astype(np.float32)

    arrays: Arrays = {
        "places": places,
        "steps": steps,
        "in.weight": matrix(width, len(places), (4 / len(places)) ** 0.5),
        "in.bias": np.zeros(width, np.float32),
    }
    for block in range(blocks):
        arrays[f"block{block}.one.weight"] = matrix(width, width, (2 / width) ** 0.5)
        arrays[f"block{block}.one.bias"] = np.zeros(width, np.float32)
        arrays[f"block{block}.two.weight"] = matrix(width, width, 0.3 * (1 / width) ** 0.5)
        arrays[f"block{block}.two.bias"] = np.zeros(width, np.float32)
    arrays["out.weight"] = matrix(outputs, width, 0.01 * (1 / width) ** 0.5)
    arrays["out.bias"] = np.zeros(outputs, np.float32)
    return arrays


def forward(values: dict[str, Tensor], places: Tensor, steps: Tensor, seen: Tensor, kind: Any) -> Tensor:
    """The network as a function, for `torch.compile`."""

    def linear(name: str, x: Tensor) -> Tensor:
        return functional.linear(x, values[f"{name}.weight"].to(kind), values[f"{name}.bias"].to(kind))

    def normal(x: Tensor) -> Tensor:
        return functional.layer_norm(x, x.shape[-1:])

    h = linear("in", (seen.index_select(1, places) >= steps).to(kind))
    block = 0
    while f"block{block}.one.weight" in values:
        h = h + linear(f"block{block}.two", functional.relu(linear(f"block{block}.one", normal(h))))
        block += 1
    return linear("out", functional.relu(normal(h))).float()
