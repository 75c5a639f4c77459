"""Which models a client may ask for by name, and what serves each. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.upstream import ModelNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.adapters.deployment_chain import Deployment


@dataclass(frozen=True, slots=True)
class Menu:
    """Names with the deployments that are asked, in order; a name may be given without its provider, too."""

    offers: Mapping[str, tuple[Deployment, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """As they are listed."""
        return tuple(self.offers)

    def find(self, name: str) -> tuple[Deployment, ...]:
        """What serves *name*. Raises ModelNotFound."""
        if name in self.offers:
            return self.offers[name]
        for listed, found in self.offers.items():
            if name and listed.partition("/")[2] == name:
                return found
        known = ", ".join(self.offers)
        raise ModelNotFound(f"the model {name[:100]!r} may not be asked for; these may: {known}")
