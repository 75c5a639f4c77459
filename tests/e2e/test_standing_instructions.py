"""
What somebody told the bot to do from now on comes up before a task that it bears on, and at no other time.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

OTHERS = (
    "We painted the fence green.",
    "The dentist wants to see me in March.",
    "Our choir sings Verdi on Sunday.",
    "My aunt Carla lives in Lyon.",
)
TOLD = {"kind": "turn", "id": f"episode:{len(OTHERS) + 1}"}
PARSER = "Write a function that parses this csv."


async def living(service, *told, answer="Noted.", others=OTHERS):
    """A mind in which these were told, one turn each, among others."""
    for at, content in enumerate((*others, *told)):
        await service.keep("ada", content, answer, session_id=f"s{at}", turn_id=f"t{at}")
    await service.digested("ada")


async def asked(service, message, *, session_id="new", **more):
    """What a pre-turn call answers."""
    return (await service.resonate("ada", message, session_id=session_id, **more)).json()


def texts(found):
    return [one["raw"] for one in found["flashbacks"]]


@pytest.mark.parametrize(
    ("told", "wants", "elsewhere"),
    [
        ("pls always give me code without long explanations", PARSER, "Write a card to my aunt."),
        (
            "type hints, no pandas, i use polars",
            "fix this:\n```python\ndf = pd.read_csv(x)\n```",
            "Translate: good day",
        ),
        ("never suggest docker to me", "write a dockerfile", "Translate this into French: good morning"),
        ("never suggest docker to me", "how do i containerize my app", "Where does my aunt Carla live?"),
        ("when i ask for recipes, no pork", "a recipe for tonight please", PARSER),
        ("keep your answers short please", "Can you explain rust lifetimes?", "My aunt Carla rang."),
        ("call me Sam, not Samantha", "Write me a poem.", "Thanks!"),
        ("no emojis", "How do I remove a wine stain?", "What a day."),
        ("answer me in French from now on", PARSER, "ok cool"),
        ("don't ask me how I feel", "Give me a plan for a run.", "I have a headache."),
        (
            "wenn du mir texte schreibst bitte immer du und locker",
            "schreib eine mail an den hausmeister wegen dem licht",
            "Erklär mir Ableitungen.",
        ),
        ("nunca me recomiendes docker", "escribe un dockerfile para mi app", "gracias"),
        ("n'utilise pas d'emojis", "Écris un poème sur la mer.", "Merci !"),
        ("d'ora in poi rispondimi in inglese", "Scrivi una lettera al comune.", "Che giornata."),
        ("sem emojis por favor", "Escreve um poema sobre o mar.", "Obrigado!"),
        ("als ik om recepten vraag, geen varkensvlees", "geef me een recept voor vanavond", "dank je"),
        ("nigdy nie proponuj mi dockera", "napisz plik docker dla mojej aplikacji", "dzięki"),
        ("зови меня Сэм", "Напиши стихотворение о море.", "Спасибо"),
        ("Хочу, чтобы ты отвечал кратко", "Сочини тост для мамы", "Спасибо"),
        ("返信は3行以内で。", "自己紹介文を考えて", "いってきます"),
        ("以后写代码不要解释", "写一个解析csv的函数", "谢谢"),
        ("レシピを頼むときは豚肉なしで", "今夜のレシピを教えてください", "ありがとう"),
        ("لا تستخدم الرموز التعبيرية", "اكتب قصيدة عن البحر", "شكرا"),
    ],
)
async def test_an_instruction_comes_up_before_what_it_bears_on_and_not_before_other_talk(
    tmp_path, told, wants, elsewhere
):
    """Broken: nothing marks a turn as an instruction, and the gate silences tasks."""
    async with running(tmp_path) as service:
        await living(service, told)
        before = await asked(service, wants)
        other = await asked(service, elsewhere, session_id="other")
        trace = (await service.http.get(f"/v1/minds/ada/traces/{before['trace_id']}")).json()

    assert any(told in one for one in texts(before)), before["silence"]
    assert not any(told in one for one in texts(other))
    [(_, reason)] = trace["phases"]["filters"]["instructions"].items()
    assert reason.startswith("a standing instruction")


@pytest.mark.parametrize(
    "told",
    [
        "I always forget my keys",
        "never again that restaurant",
        "my boss said: always lock up",
        "from now on I work at Acme",
        "write it without emojis",
        "always look on the bright side",
    ],
)
async def test_what_is_no_instruction_to_the_bot_stays_away_from_a_task(tmp_path, told):
    """Broken: whatever says "always" instructs."""
    async with running(tmp_path) as service:
        await living(service, told)
        found = await asked(service, PARSER)

    assert texts(found) == []


async def test_the_newest_two_come_up_and_the_others_with_a_later_task(tmp_path):
    """Broken: no limit; the echo does not hold for instructions."""
    told = ("always comment your code", "when you write code use type hints", "never use tabs in my code")
    async with running(tmp_path) as service:
        await living(service, *told)
        first, second, third = [await asked(service, f"{PARSER} Part {n}.") for n in range(3)]

    assert [one.partition(": ")[2] for one in texts(first)] == [told[2], told[1]]
    assert [one.partition(": ")[2] for one in texts(second)] == [told[0]]
    assert texts(third) == []


async def test_what_answers_comes_up_beside_an_instruction_within_the_limit(tmp_path):
    """Broken: an instruction takes the only place, or comes on top of the limit."""
    async with running(tmp_path) as service:
        await living(service, "keep your answers short please", "My aunt Carla collects stamps from Peru.")
        both = await asked(service, "Write my aunt Carla a card about her stamps.", max_fragments=2)
        one = await asked(service, "Write my aunt Carla a card about her stamps.", max_fragments=1, session_id="x")
        none = await asked(service, "Write my aunt Carla a card about her stamps.", max_fragments=0, session_id="y")

    assert "stamps" in texts(both)[0]
    assert "short" in texts(both)[1]
    assert len(texts(one)) == 1
    assert "stamps" in texts(one)[0]
    assert texts(none) == []


@pytest.mark.parametrize(
    ("earlier", "later", "shown"),
    [
        ("no emojis", "you can use emojis again", []),
        ("answer me in French from now on", "from now on answer in German please", ["German"]),
        ("never suggest docker to me", "docker is ok again", []),
        ("keine emojis bitte", "du darfst wieder emojis benutzen", []),
    ],
)
async def test_a_later_instruction_takes_an_earlier_one_back(tmp_path, earlier, later, shown):
    """Broken: a sentence that takes an instruction back is not read, and the instruction holds for ever."""
    async with running(tmp_path) as service:
        await living(service, earlier, later)
        found = await asked(service, "Write a dockerfile.")

    assert len(texts(found)) == len(shown)
    assert all(word in text for word, text in zip(shown, texts(found), strict=True))


async def test_what_is_in_sight_does_not_come_up(tmp_path):
    """Broken: the horizon is not asked."""
    told = {"role": "user", "content": "never suggest docker to me"}
    noted = {"role": "assistant", "content": "Noted."}
    async with running(tmp_path) as service:
        await living(service, told["content"])
        found = await asked(service, [told, noted, {"role": "user", "content": "write a dockerfile"}])

    assert texts(found) == []


@pytest.mark.parametrize("what", ["wrong", "mute"])
async def test_what_a_person_took_out_does_not_come_up(tmp_path, what):
    """Broken: the trait alone decides."""
    async with running(tmp_path) as service:
        await living(service, "never suggest docker to me")
        made = await service.http.post("/v1/minds/ada/corrections", json={"what": what, "target": TOLD})
        assert made.status_code < 300, made.text
        found = await asked(service, "write a dockerfile")

    assert texts(found) == []


async def test_what_a_person_put_in_its_place_comes_up(tmp_path):
    """Broken: an edited instruction is gone."""
    async with running(tmp_path) as service:
        await living(service, "never suggest docker to me")
        edit = {"what": "edit", "target": TOLD, "to": "never suggest podman or docker to me"}
        made = await service.http.post("/v1/minds/ada/corrections", json=edit)
        assert made.status_code < 300, made.text
        found = await asked(service, "write a dockerfile")

    assert any("podman" in one for one in texts(found)), found["silence"]


async def test_an_erased_instruction_is_gone(tmp_path):
    """Broken: the trait of an erased turn stays."""
    async with running(tmp_path) as service:
        await living(service, "never suggest docker to me")
        gone = await service.http.delete(f"/v1/minds/ada/turns/t{len(OTHERS)}")
        assert gone.status_code < 300, gone.text
        found = await asked(service, "write a dockerfile")

    assert texts(found) == []


async def test_only_turns_that_count_instruct(tmp_path):
    """Broken: views of the full text show the instructions of all turns."""
    async with running(tmp_path) as service:
        await living(service, "never suggest docker to me")
        elsewhere = await asked(service, "write a dockerfile", filter={"session_ids": ["s0"]})
        there = await asked(service, "write a dockerfile", filter={"session_ids": [f"s{len(OTHERS)}"]})

    assert texts(elsewhere) == []
    assert len(texts(there)) == 1
