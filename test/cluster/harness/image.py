#!/usr/bin/python3
"""Writes a container image from files, with no container engine: one layer, one config, in docker-archive form.

usage: image.py OUT.tar NAME:TAG [--entrypoint PATH] [--user UID] [--with-libraries] FILE=PATH...

FILE is a file or directory on this machine, PATH its place in the image. --with-libraries adds the shared libraries that the
FILEs need. The same files always give the same bytes.
"""
import argparse
import hashlib
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path


def write_image(out: Path, reference: str, files: dict[str, Path], entrypoint: str, user: str = "65532") -> None:
    layer = _layer(files)
    digest = hashlib.sha256(layer).hexdigest()
    config = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {"Entrypoint": [entrypoint], "User": user, "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }).encode()
    config_name = f"{hashlib.sha256(config).hexdigest()}.json"
    manifest = json.dumps([{"Config": config_name, "RepoTags": [reference], "Layers": [f"{digest}/layer.tar"]}]).encode()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w") as archive:
        for name, content in ((config_name, config), (f"{digest}/layer.tar", layer), ("manifest.json", manifest)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def shared_libraries(binary: Path) -> dict[str, Path]:
    """{path in the image: file} for the loader and every library that the binary names."""
    listing = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    if "not found" in listing:
        raise SystemExit(f"{binary} needs libraries that are missing:\n{listing}")
    return {path: Path(path).resolve() for path in re.findall(r"(/\S+) \(0x", listing)}


def _layer(files: dict[str, Path]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        _add_directory(layer, "tmp", mode=0o1777)
        for target, source in sorted(files.items()):
            for path in [source, *sorted(source.rglob("*"))] if source.is_dir() else [source]:
                name = str(Path(target.lstrip("/")) / path.relative_to(source))
                if path.is_dir():
                    _add_directory(layer, name)
                else:
                    entry = tarfile.TarInfo(name)
                    entry.size = path.stat().st_size
                    entry.mode = 0o755 if path.stat().st_mode & 0o111 else 0o644
                    with open(path, "rb") as content:
                        layer.addfile(entry, content)
    return buffer.getvalue()


def _add_directory(layer: tarfile.TarFile, name: str, mode: int = 0o755) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    layer.addfile(entry)


def main() -> None:
    parser = argparse.ArgumentParser(description="writes a container image from files")
    parser.add_argument("out", type=Path)
    parser.add_argument("reference")
    parser.add_argument("--entrypoint", required=True)
    parser.add_argument("--user", default="65532")
    parser.add_argument("--with-libraries", action="store_true")
    parser.add_argument("files", nargs="+", metavar="FILE=PATH")
    options = parser.parse_args()
    files = {path: Path(file) for file, _, path in (item.rpartition("=") for item in options.files)}
    if options.with_libraries:
        for binary in list(files.values()):
            files.update(shared_libraries(binary))
    write_image(options.out, options.reference, files, options.entrypoint, options.user)


if __name__ == "__main__":
    main()
