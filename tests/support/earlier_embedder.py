"""A service of an earlier version, whose built-in embedder makes vectors that can not be compared with ours."""

import numpy as np

from service import app
from service.adapters.multilingual_e5.embedder import MultilingualE5

OLD = "multilingual-e5-small@earlier"


class Earlier(MultilingualE5):
    """The same model in another version."""

    stored_name = OLD

    async def _embed(self, texts, *, prefix):
        return np.roll(await super()._embed(texts, prefix=prefix), 7, axis=1)


def create_app():
    """For a process that a test may kill: the embedder of the whole process is the earlier one."""
    embed = MultilingualE5._embed

    async def earlier(self, texts, *, prefix):
        return np.roll(await embed(self, texts, prefix=prefix), 7, axis=1)

    MultilingualE5.stored_name, MultilingualE5._embed = OLD, earlier
    return app.create_app()
