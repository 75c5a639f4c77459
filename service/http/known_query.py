"""
Refuses a query parameter that a call does not have, and two values of one that has a single value.

A filter that is misspelt, or that another call has, would be dropped without a word, and everything found. Of two
values, only the last would count.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fastapi import params
from fastapi._compat import field_annotation_is_sequence
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from consolidation.kernel.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine
    from typing import Any

    from fastapi import Request, Response
    from fastapi._compat import ModelField
    from starlette.datastructures import QueryParams

_ELSEWHERE = (params.Path, params.Header, params.Cookie)


def check_query(query: QueryParams, *, known: Collection[str], lists: Collection[str] = ()) -> None:
    """Raise InvalidRequest for a parameter that is not *known*, and for two values of one that is not among *lists*."""
    for name in query:
        if name not in known:
            told = ", ".join(f"`{one}`" for one in known) or "none"
            raise InvalidRequest(f"is not a parameter of this call; it has {told}", pointer=f"query/{name}")
        if name not in lists and len(set(query.getlist(name))) > 1:
            raise InvalidRequest("has two values, of which only one can be meant", pointer=f"query/{name}")


class KnownQuery(APIRoute):
    """A route whose query holds nothing but what its function takes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request. Raises InvalidRequest for a parameter that is not known, or contradicts itself."""
        answer = super().get_route_handler()

        async def checked(request: Request) -> Response:
            check_query(request.query_params, known=self._known, lists=self._lists)
            return await answer(request)

        return checked

    @cached_property
    def _known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.alias for one in self._fields))

    @cached_property
    def _lists(self) -> frozenset[str]:
        return frozenset(one.alias for one in self._fields if field_annotation_is_sequence(one.field_info.annotation))

    @property
    def _fields(self) -> list[ModelField]:
        found = get_flat_params(self.dependant)
        return [one for one in found if not isinstance(one.field_info, _ELSEWHERE)]
