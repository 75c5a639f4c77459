"""
The TypeScript client: ``python client-ts/build.py`` compiles it into ``dist``, its types made of our OpenAPI document.

``--check`` compiles everything, tests and examples included, and writes nothing. ``--tests`` brings what its tests run
on: Deno, Bun and Node 22, and newer frameworks. All tools come from the locks. Without npm and Node 20, it
does nothing, and says so.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SCHEMA = HERE / "src" / "schema.d.ts"
DIST = HERE / "dist"
RUNTIMES, FRAMEWORKS = HERE / "runtimes", HERE / "frameworks"
WITH_MASTRA, WITHOUT_MASTRA = ("ai-6",), ("ai-7",)
NPM_CI = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
sys.path.insert(0, str(ROOT / "console"))
from build import node_is_new_enough  # noqa: E402 - the console finds Node in the same way


def main() -> int:
    """Do it. Returns 0 where it is done or there is no Node, 1 where it fails."""
    if not node_is_new_enough():
        print("the TypeScript client is skipped: there is no npm with Node 20 or newer on the path")
        return 0
    try:
        install(HERE)
        make_types()
        if "--check" in sys.argv:
            call("npm", "run", "--silent", "check")
        else:
            compile_client()
        if "--tests" in sys.argv:
            prepare_tests()
    except subprocess.CalledProcessError as error:
        print(f"the TypeScript client: {error}", file=sys.stderr)
        return 1
    return 0


def install(folder: Path) -> None:
    """Install what the lock of *folder* names, where it is not there yet. Raises CalledProcessError."""
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        call(*NPM_CI, folder=folder)


def make_types() -> None:
    """Write schema.d.ts from the document of this service as it is now, where it is another one."""
    sys.path.insert(0, str(ROOT))
    from service.app import create_app
    from service.settings.settings import Settings

    document = HERE / "openapi.json"
    document.write_text(json.dumps(create_app(Settings()).openapi()))
    made = HERE / "schema.new.d.ts"
    try:
        # What has a default may be left out of a body.
        options = ("--default-non-nullable=false", "--output", made.name)
        call("npx", "--no-install", "openapi-typescript", document.name, *options)
        if not SCHEMA.is_file() or SCHEMA.read_text() != made.read_text():
            made.replace(SCHEMA)
    finally:
        document.unlink()
        made.unlink(missing_ok=True)


def compile_client() -> None:
    """Compile what is newer than ``dist``, which then holds nothing of before."""
    made = DIST / "src" / SCHEMA.name  # the compiler does not copy it; it is copied last, when all is there
    if is_newest(made):
        return
    shutil.rmtree(DIST, ignore_errors=True)
    call("npm", "run", "--silent", "build")
    shutil.copyfile(SCHEMA, made)


def is_newest(made: Path, *more: Path) -> bool:
    """Whether *made* is there and no source of the client, nor one of *more*, is newer."""
    sources = [*more, *(HERE / name for name in ("package.json", "package-lock.json", "tsconfig.json"))]
    sources += [one for folder in ("src", "test", "examples") for one in (HERE / folder).rglob("*.ts")]
    return made.is_file() and all(one.stat().st_mtime <= made.stat().st_mtime for one in sources)


def prepare_tests() -> None:
    """Bring runtimes and frameworks, and compile the tests of frameworks with each. What can not be had is said."""
    for folder in (RUNTIMES, FRAMEWORKS):
        try:
            install(folder)
        except subprocess.CalledProcessError:
            shutil.rmtree(folder / "node_modules", ignore_errors=True)
            print(f"npm can not install here what client-ts/{folder.name} names")
    if not (FRAMEWORKS / "node_modules").is_dir():
        return
    for name in (*WITH_MASTRA, *WITHOUT_MASTRA):
        if not is_newest(FRAMEWORKS / name / "dist" / "test" / "ai_sdk.test.js", FRAMEWORKS / "package-lock.json"):
            compile_with(FRAMEWORKS / name)


def compile_with(framework: Path) -> None:
    """Compile examples and tests of frameworks in a folder with other versions of these. Raises CalledProcessError."""
    left_out = ["browser", "client.*", "retry.*", *(["mastra.*"] if framework.name in WITHOUT_MASTRA else [])]
    for part in ("test", "examples"):
        shutil.rmtree(framework / part, ignore_errors=True)
        shutil.copytree(HERE / part, framework / part, ignore=shutil.ignore_patterns(*left_out))
    shutil.rmtree(framework / "dist", ignore_errors=True)
    call("npx", "--no-install", "tsc", "--noEmitOnError", "--project", str(framework))


def call(*words: str, folder: Path = HERE) -> None:
    """Run a tool. Raises CalledProcessError."""
    subprocess.run(words, cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main())
