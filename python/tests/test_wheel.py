import importlib.metadata
import importlib.util
import re
import sys
from pathlib import Path

import pytest

import marsgym

ROOT = Path(__file__).parents[2]
HOOK = ROOT / "python" / "hatch_build.py"

if not HOOK.exists():
    pytest.skip("needs the repository", allow_module_level=True)


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", HOOK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("here", "versions", "want"),
    [
        ("manylinux_2_36_x86_64", "2.2.5 2.34", "manylinux_2_34_x86_64"),
        ("manylinux_2_36_x86_64", "2.4 2.34 2.9", "manylinux_2_34_x86_64"),
        ("manylinux_2_36_x86_64", "2.18", "manylinux_2_18_x86_64"),
        # No wheel is for a glibc older than 2.17.
        ("manylinux_2_36_x86_64", "2.3.2", "manylinux2014_x86_64.manylinux_2_17_x86_64"),
        ("manylinux_2_17_aarch64", "2.17", "manylinux2014_aarch64.manylinux_2_17_aarch64"),
        # A feature of the loader names no glibc.
        ("manylinux_2_36_x86_64", "2.34 ABI_DT_RELR", "manylinux_2_36_x86_64"),
    ],
)
def test_tag(hook, here, versions, want):
    assert hook.manylinux(here, ["GLIBC_" + v for v in versions.split()] + ["GCC_3.0"]) == want


@pytest.mark.parametrize(
    ("tags", "want"),
    [
        ("manylinux_2_36_x86_64 manylinux_2_35_x86_64 linux_x86_64", "manylinux_2_36_x86_64"),
        ("linux_x86_64 manylinux_2_36_x86_64 manylinux_2_35_x86_64", "manylinux_2_36_x86_64"),
        ("manylinux2014_x86_64 manylinux_2_17_x86_64 linux_x86_64", "manylinux_2_17_x86_64"),
        ("macosx_14_0_arm64 macosx_13_0_arm64", "macosx_14_0_arm64"),
        ("linux_riscv64", "linux_riscv64"),
    ],
)
def test_platform(hook, tags, want):
    """The newest glibc decides, wherever the list of platforms names it."""
    assert hook.this_platform(iter(tags.split())) == want


def test_musl_is_refused(hook):
    with pytest.raises(RuntimeError, match="do not work with musl"):
        hook.this_platform(["musllinux_1_2_x86_64", "linux_x86_64"])


@pytest.mark.skipif(sys.platform != "linux", reason="needs an ELF file")
def test_versions_are_those_in_the_library(hook):
    library = Path(marsgym.__file__).with_name("libmarsgym.so")
    found = re.findall(rb"(?<=\0)(?:GLIBC|GCC)_[\w.]+(?=\0)", library.read_bytes())
    assert found
    assert hook.symbol_versions(library) == {name.decode() for name in found}


def test_licence_is_that_of_the_repository():
    assert (ROOT / "python" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_metadata():
    """What a registry shows of the package."""
    found = importlib.metadata.metadata("marsgym")
    assert found["License-Expression"] == "MIT"
    assert found["License-File"] == "LICENSE"
    assert found["Author"] == "The marsgym authors"
    assert found["Requires-Python"] == ">=3.11"
    classifiers = found.get_all("Classifier")
    assert {f"Programming Language :: Python :: 3.{n}" for n in (11, 12, 13)} <= set(classifiers)
    assert not any(c.startswith("License ::") for c in classifiers)  # PEP 639 has an expression
