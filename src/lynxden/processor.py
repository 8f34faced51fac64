"""Matrix products at the full speed of the processor: importing this, before NumPy, asks for them.

NumPy multiplies matrices by OpenBLAS, which chooses its kernels by the name of the processor. To AMD's Zen 5
it gives those for AVX2, which are half as wide as the processor is. Looking ahead with networks is hardly
anything but matrix products, so the kernels for AVX-512 make it nearly twice as fast
(`docs/decisions/0040-wide-kernels.md`).
"""

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

SETTING = "OPENBLAS_CORETYPE"
"""What OpenBLAS reads when it is loaded. If it is set already, it stays as it is."""
WIDE = "SkylakeX"
"""The kernels for AVX-512, by the processor that they were first written for."""
NEEDED = frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})
"""What they use."""
ZEN_5 = 26
"""The family of AMD's first processors that do 512 bits at once."""
BEGINNING = 8192
"""Bytes of the description of all cores in which the first one is found."""


def ask_for_wide_kernels(
    environment: MutableMapping[str, str] = os.environ, description: Path = Path("/proc/cpuinfo")
) -> None:
    """Choose the kernels, if there is still a choice and something to gain by it."""
    if "numpy" in sys.modules or SETTING in environment:
        return
    try:
        with description.open(encoding="utf-8", errors="replace") as file:
            text = file.read(BEGINNING)
    except OSError:  # not Linux: OpenBLAS knows best
        return
    if is_wide(text):
        environment[SETTING] = WIDE


def is_wide(description: str) -> bool:
    """Whether a processor, as Linux describes it, is one that OpenBLAS takes for less than it is."""
    first = description.split("\n\n", maxsplit=1)[0]
    pairs = (line.partition(":") for line in first.splitlines())
    said = {name.strip(): value.strip() for name, _, value in pairs}
    family = said.get("cpu family", "")
    return (
        said.get("vendor_id") == "AuthenticAMD"
        and family.isdigit()
        and int(family) >= ZEN_5
        and set(said.get("flags", "").split()) >= NEEDED
    )


ask_for_wide_kernels()
