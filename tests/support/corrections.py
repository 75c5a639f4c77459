"""Reads of the mind "ada", and decisions of a person about it, over HTTP: each has to be answered as it should."""

OF_ADA = "/v1/minds/ada"


async def get(service, path, **params):
    """What is at *path* of the mind."""
    answer = await service.http.get(f"{OF_ADA}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post_correction(service, body):
    """The correction that was made."""
    answer = await service.http.post(f"{OF_ADA}/corrections", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()
