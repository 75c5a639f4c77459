"""
What the network was taught for a memory: to find what somebody told by the way, when they ask for it in other words.

Numbers that are added to biases and norms of its upper layers, so that they cost nothing when it runs.
`tests/benchmarks/e5_adaptation` says from what they were learnt, and makes them anew.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.multilingual_e5.weights import verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.adapters.multilingual_e5.weights import Floats

ADAPTATION = Path(__file__).with_name("adaptation.npz")
ADAPTATION_SHA256 = "5a4de85f54bd350b58ef5cb3f784c85de385adfe193ad4c0901222e691e935bd"


def read_adaptation(path: Path = ADAPTATION) -> Mapping[str, Floats]:
    """What is added to a tensor, by its name there. Raises ConfigurationFault where *path* is not the file we know."""
    import numpy as np

    verify(path, expected=ADAPTATION_SHA256)
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name].astype(np.float32) for name in file.files}
    except (ValueError, zipfile.BadZipFile) as error:
        raise ConfigurationFault(f"{path} can not be read: {error}") from error
