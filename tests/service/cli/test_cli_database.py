"""Commands on a home that is in PostgreSQL: keys hold for every service, `serve` and `doctor` say what is wrong."""

import httpx2
import psycopg
import pytest

from tests.support.cli_process import call, said_by_service, serving
from tests.support.waiting import until

NOBODY = "127.0.0.1:1"


@pytest.fixture
def env(database_url, graph_server):
    return {"MIND_MEMORY_DATABASE": database_url, "FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": "keys_"}


def status(url, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx2.get(f"{url}/v1/status", headers=headers, timeout=20).status_code


def test_a_key_that_is_made_anywhere_holds_for_every_service(env, tmp_path):
    with serving(tmp_path / "one", **env) as (_, url):
        assert status(url) == 200
        made = call("keys", "create", "--name", "a bot", "--home", tmp_path / "elsewhere", **env)
        key = made.stdout.strip()

        until(lambda: status(url) == 401)
        assert status(url, key) == 200
        listed = call("keys", "list", "--home", tmp_path / "third", **env).stdout
        assert "a bot" in listed and "live" in listed
        assert call("keys", "revoke", key.split("_")[1], "--home", tmp_path / "third", **env).exit_code == 0
        until(lambda: status(url, key) == 401)
    assert not (tmp_path / "elsewhere").exists()


def test_a_service_for_other_machines_starts_by_the_keys_of_the_database(env, tmp_path):
    refused = call("serve", "--home", tmp_path / "one", "--host", "0.0.0.0", "--port", "0", **env)
    call("keys", "create", "--name", "a bot", "--home", tmp_path / "two", **env)

    with serving(tmp_path / "one", "--host", "0.0.0.0", **env):
        said = said_by_service(tmp_path / "one")

    assert (refused.exit_code, "no key protects the memory" in refused.stderr) == (1, True)
    assert "PostgreSQL at postgresql://127.0.0.1:" in said and "1 key: every call needs one" in said


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgresql://me:hushhush@{NOBODY}/memory", f"postgresql://{NOBODY}/memory: "),
        ("postgres//me:hushhush@db", "the address of the database can not be read"),
        ("postgresql://me:a@hushhush@db/memory", "has %40 for @"),
        ("postgresql://me:a/hushhush@db/memory", "has %40 for @"),
    ],
)
def test_a_wrong_address_ends_the_start_with_a_sentence(env, tmp_path, url, said):
    done = call("serve", "--home", tmp_path, "--port", "0", **{**env, "MIND_MEMORY_DATABASE": url})

    assert done.exit_code == 1
    assert said in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr and "hushhush" not in done.output


def test_tables_of_a_newer_version_end_the_start_with_a_sentence(env, tmp_path, database_url):
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO schema_versions (version, name) VALUES (999, 'of tomorrow')")

    done = call("serve", "--home", tmp_path / "one", "--port", "0", **env)
    looked = call("doctor", "--home", tmp_path / "two", **env)

    assert done.exit_code == 1 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("the database's tables are of version 999")
    assert looked.exit_code == 1 and "✗ tables" in looked.stdout


def test_doctor_tells_of_the_database(env, tmp_path, postgres):
    done = call("doctor", "--home", tmp_path / "home", **env)

    assert f"{postgres.server.address} takes writes" in done.stdout
    assert "! standby" in done.stdout and "set synchronous_standby_names" in done.stdout
    assert "✓ tables" in done.stdout and "✓ database" in done.stdout
    assert "Nothing is broken." in done.stdout
    assert postgres.server.password not in done.output


def test_doctor_names_a_database_that_is_away(env, tmp_path):
    url = f"postgresql://me:hushhush@{NOBODY}/memory"
    done = call("doctor", "--home", tmp_path / "home", **{**env, "MIND_MEMORY_DATABASE": url})

    assert done.exit_code == 1
    assert "✗ database" in done.stdout and "correct MIND_MEMORY_DATABASE" in done.stdout
    assert "hushhush" not in done.output


def test_a_folder_of_copies_is_refused_without_the_database(env, tmp_path):
    """Broken: what it accepts is deleted with the copies, at the next start with the database."""
    home = tmp_path / "one"
    with serving(home, **env) as (_, url):
        said = {"session_id": "s1", "messages": [{"role": "user", "content": "My sister Ines lives in Lyon."}]}
        httpx2.post(f"{url}/v1/minds/ada/turns", json=said, timeout=20).raise_for_status()

    tried = ("serve --port 0", "serve --port 0 --workers 2", "keys create --name bot", "status")
    refused = [call(*words.split(), "--home", home) for words in tried]
    looked = call("doctor", "--home", home)
    (home / ".copies").unlink()
    salvaged = call("status", "--home", home)

    assert [one.exit_code for one in (*refused, looked)] == [1] * 5
    assert all("set MIND_MEMORY_DATABASE as before" in " ".join(one.output.split()) for one in (*refused, looked))
    assert not any("Traceback" in one.output for one in (*refused, looked))
    assert "1 turn" in salvaged.stdout


def test_rights_that_are_missing_are_named(env, tmp_path, postgres, database_url):
    """Broken: a traceback of PostgreSQL's driver, also by `doctor`."""
    name = database_url.rpartition("/")[2]
    server = postgres.server
    server.ask("DROP ROLE IF EXISTS newcomer")
    server.ask(f"CREATE ROLE newcomer LOGIN PASSWORD '{server.password}'")
    server.ask("GRANT SELECT ON ALL TABLES IN SCHEMA public TO newcomer", database=name)
    env = {**env, "MIND_MEMORY_DATABASE": f"postgresql://newcomer:{server.password}@{server.address}/{name}"}

    started = call("serve", "--home", tmp_path / "one", "--port", "0", **env)
    looked = call("doctor", "--home", tmp_path / "two", **env)
    listed = call("keys", "list", "--home", tmp_path / "three", **env)

    assert [one.exit_code for one in (started, looked, listed)] == [1, 1, 1]
    assert not any("Traceback" in one.output for one in (started, looked, listed))
    assert "permission denied for schema public: the user newcomer should own the database" in started.stderr
    assert "✗ rights" in looked.stdout and "the user newcomer may not make tables" in looked.stdout


def test_a_command_that_opens_the_home_itself_does_not_say_that_nobody_else_has_it(env, tmp_path):
    done = call("webhooks", "--home", tmp_path / "one", **env)

    assert done.exit_code == 0
    assert "beside the services that share it" in done.stderr and "alone" not in done.stderr


def test_a_database_that_takes_no_writes_is_said_to_be_so(env, tmp_path, postgres, database_url):
    name = database_url.rpartition("/")[2]
    postgres.server.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    done = call("serve", "--home", tmp_path, "--port", "0", **env)

    assert done.exit_code == 1
    assert "session is read-only; it takes no writes: name the primary, too" in done.stderr.splitlines()[-1]
