"""Lists of a mind over HTTP, whole and page by page, and a mind with something to list."""


async def ask(service, path, *, mind="ada", **params):
    answer = await service.http.get(f"/v1/minds/{mind}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def pages(service, path, *, between=None, **params):
    """All items of a list, page by page; *between* is awaited after each."""
    found, cursor = [], None
    for _ in range(60):
        page = await ask(service, path, **params, **({"cursor": cursor} if cursor else {}))
        assert len(page["items"]) <= int(params.get("limit", 50))
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found
        if between is not None:
            await between()
    raise AssertionError("the pages never end")


async def lived(service, turns=7, *, mind="ada"):
    """Turns in three sessions, about a sister, all of them digested."""
    for number in range(turns):
        await service.keep(mind, f"My sister Nora lives in Lyon, house {number}.", "Good.", session_id=f"s{number % 3}")
    await service.digested(mind)
