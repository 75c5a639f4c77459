"""A person who writes notes into the folder of a mind, and looks for them."""

from datetime import UTC, datetime

from tests.support.service import Running

TODAY = datetime.now(UTC).date()
NOTES = {
    "MEMORY.md": "# People\n\nMy physician, Dr. Okafor, prescribed tablets for the migraine.\n\n# Home\n\n"
    "The fuse box is behind the blue door.\n",
    "memory/wein.md": "Die Weinberge hinter dem Haus gehören jetzt meiner Schwester Ingrid.\n",
    "memory/咖啡.md": "我们常去的咖啡店搬到了河边的旧车站。\n",
    "memory/ร้าน.md": "ร้านกาแฟที่เราชอบย้ายไปริมแม่น้ำแล้ว\n",
    "memory/اجتماع.md": "اجتماع الفريق يوم الثلاثاء في مكتبة المدينة\n",
    f"memory/{TODAY}.md": "# Garden\n\nPlanted twelve tulip bulbs along the fence.\n",
}


class Person:
    """Someone with an editor: writes notes into the folder of a mind, and looks for them."""

    def __init__(self, service: Running, home, mind_id="ada"):
        self.service, self.mind_id = service, mind_id
        self.folder = home / "minds" / mind_id

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    async def search(self, query, **asked):
        params = {"query": query, **asked}
        answer = await self.service.http.get(f"/v1/minds/{self.mind_id}/journal/search", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def found(self, query, **asked):
        return (await self.search(query, **asked))["results"]

    async def paths(self, query, **asked):
        return [one["path"] for one in await self.found(query, **asked)]

    async def file(self, **asked):
        return await self.service.http.get(f"/v1/minds/{self.mind_id}/journal/file", params=asked)

    @property
    def index(self):
        return self.folder / "derived/journal.sqlite3"


async def person_of(service, home, *, notes=None):
    """A person whose mind has lived one turn, with *notes*."""
    assert (await service.keep("ada", "Good morning!", session_id="s0")).status_code == 202
    person = Person(service, home)
    for path, text in (notes or {}).items():
        person.write(path, text)
    return person
