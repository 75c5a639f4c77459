"""
Makes a release: wheels, npm's package, the image or what it is built of, the chart, and checksums: ``make release``.

Everything comes from copies of the files that `.dockerignore` lets into the image, so that neither an old build nor a
stray file is packed. The same sources make the same bytes. Nothing is published.
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = Path("service", "console", "static")
COMPILED = Path("client-ts", "dist", "src")
NEVER = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info", "build", ".*_cache", "static")
BESIDE = (".dockerignore", ".env.example", "compose.yaml", "docker")  # what `docker compose up` needs besides
CHART, CHART_NAME = Path("docker", "chart"), "mind-memory"
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
EPOCH = 315532800  # 1980, where a zip's time begins


def copied(names: list[str], to: Path) -> Path:
    """Copy these files and folders of the project to *to*."""
    for name in names:
        source, target = ROOT / name, to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=NEVER, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)
    return to


def sources() -> list[str]:
    """Return what the image is built of, by `.dockerignore`."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


def service_wheel(work: Path, dist: Path) -> None:
    """Build the wheel of the service, with the console as it was built."""
    if not (ROOT / CONSOLE / "index.html").is_file():
        sys.exit("the console is not built: `make console` says why")
    tree = copied([name for name in sources() if name not in {"console", "README.md"}], work / "service")
    shutil.copytree(ROOT / CONSOLE, tree / CONSOLE)
    shutil.copy2(ROOT / "release" / "README.md", tree / "README.md")  # its links lead nowhere outside of the checkout
    wheel(tree, dist)


def client_wheel(work: Path, dist: Path) -> None:
    """Build the wheel of the Python client, which holds nothing of the service."""
    names = ["client/pyproject.toml", "client/README.md", "client/mind_memory_client", "LICENSE", "NOTICE"]
    tree = copied(names, work / "client")
    for name in ("LICENSE", "NOTICE"):
        shutil.move(tree / name, tree / "client" / name)
    wheel(tree / "client", dist)


def client_package(work: Path, dist: Path) -> None:
    """Pack the TypeScript client for npm, as it was compiled, if there is an npm."""
    if not (ROOT / COMPILED / "schema.d.ts").is_file() or shutil.which("npm") is None:
        print("the TypeScript client is not compiled, or there is no npm: it is left out, and `make client` says why")
        return
    tree = copied(["client-ts/package.json", "client-ts/README.md", "LICENSE", "NOTICE"], work / "client-ts")
    for name in ("LICENSE", "NOTICE"):
        shutil.move(tree / name, tree / "client-ts" / name)
    shutil.copytree(ROOT / COMPILED, tree / COMPILED)
    words = ["npm", "pack", "--ignore-scripts", "--offline", "--loglevel=error", f"--pack-destination={dist}"]
    made = subprocess.run(words, cwd=tree / "client-ts", capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(f"client-ts: npm could not pack it\n{made.stdout}{made.stderr}")


def wheel(tree: Path, dist: Path) -> None:
    """Build the wheel of *tree* with the locked setuptools."""
    made = subprocess.run(
        [sys.executable, "-c", BUILD, str(dist)],
        cwd=tree,
        env={**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", str(EPOCH))},
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        sys.exit(f"{tree.name}: the wheel could not be built\n{made.stdout}{made.stderr}")


def context(work: Path, file: Path) -> Path:
    """Pack what `docker compose up` needs, in a folder of the release's name. Return that folder."""
    tree = copied([*sources(), *BESIDE], work / file.name.removesuffix(".tar.gz"))
    pack(sorted(tree.rglob("*")), work, file)
    return tree


def chart(work: Path, dist: Path, *, version: str) -> None:
    """Pack the Helm chart as `helm package` does: files alone, in a folder of the chart's name."""
    tree = copied([str(CHART)], work / "chart") / CHART
    written = re.findall(r'^(?:version|appVersion): "?([^"\n]+)"?$', (tree / "Chart.yaml").read_text(), re.MULTILINE)
    if written != [version, version]:
        sys.exit(f"{CHART}/Chart.yaml has the versions {written}, and this is {version}")
    named = tree.rename(work / CHART_NAME)
    order = sorted(named.rglob("*"), key=lambda path: (path.name != "Chart.yaml", path))  # helm reads it first
    pack([path for path in order if path.is_file()], work, dist / f"{CHART_NAME}-{version}.tgz")


def pack(paths: list[Path], root: Path, file: Path) -> None:
    """Write *paths* into the archive *file*, by their names from *root*, the same bytes each time."""
    with (
        file.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(mode="w", fileobj=packed) as tar,
    ):
        for path in paths:
            tar.add(path, arcname=path.relative_to(root).as_posix(), recursive=False, filter=plain)


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return *member* without its owner and its time."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = EPOCH
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member


def image(tree: Path, name: str, file: Path) -> None:
    """Build the image of *tree* and save it, if a Docker answers."""
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "version"], capture_output=True, check=False).returncode
    ):
        print("no Docker answers here: the image is left to its build context")
        return
    subprocess.run(["docker", "build", "--tag", name, "--file", "docker/Dockerfile", "."], cwd=tree, check=True)
    with subprocess.Popen(["docker", "save", name], stdout=subprocess.PIPE) as saved, gzip.open(file, "wb") as packed:
        shutil.copyfileobj(saved.stdout, packed)
    if saved.returncode:
        sys.exit(f"{name}: `docker save` failed")


def checksums(dist: Path) -> None:
    """Write SHA256SUMS, which `sha256sum --check` reads."""
    files = sorted(file for file in dist.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{hashlib.file_digest(file.open('rb'), 'sha256').hexdigest()}  {file.name}\n" for file in files]
    (dist / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    """Make the release in an emptied folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder, which is emptied: dist/")
    dist = parser.parse_args().to.resolve()
    if dist.exists() and any(dist.iterdir()) and not (dist / "SHA256SUMS").exists():
        sys.exit(f"{dist} holds something else than a release: empty it, or name another folder")
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name = f"{project['name']}-{project['version']}"
    with tempfile.TemporaryDirectory() as folder:
        service_wheel(Path(folder), dist)
        client_wheel(Path(folder), dist)
        client_package(Path(folder), dist)
        shutil.copy2(ROOT / "requirements.lock", dist / f"{name}-requirements.lock")
        tree = context(Path(folder), dist / f"{name}-docker.tar.gz")
        chart(Path(folder), dist, version=project["version"])
        image(tree, f"{project['name']}:{project['version']}", dist / f"{name}-image.tar.gz")
    checksums(dist)
    print(f"in {dist}:", *sorted(file.name for file in dist.iterdir()), sep="\n  ")


if __name__ == "__main__":
    main()
