"""Building the package: which compiler is used, what is said if something is missing, a wheel that needs none."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "src")
FIRST_STEPS = """
import shutil, sys
from janus_synth import Janus, datasets

assert not any(map(shutil.which, ("cc", "gcc", "clang"))), "a compiler is on the path"
model = Janus(rules="experience <= age - 18", random_state=0).fit(datasets.hiring(300, random_state=0))
rows = model.sample(50, where="age < 40", random_state=1)
assert len(rows) == 50 and (rows["experience"] <= rows["age"] - 18).all() and (rows["age"] < 40).all()
compilers = {"numba", "llvmlite", "Cython", "cffi", "ziglang"} & set(sys.modules)
assert not compilers, compilers
"""


@pytest.fixture
def build():
    """The build script as a module; it compiles only where it is run."""
    spec = importlib.util.spec_from_file_location("build_script", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    """A machine whose path has no program at all."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("LDSHARED", raising=False)


def test_every_kernel_that_imports_cython_is_compiled(build):
    kernels = {path.stem for path in (ROOT / build.KERNELS).glob("*.py") if "import cython\n" in path.read_text()}
    names = {extension.name.rpartition(".")[2] for extension in build.kernel_extensions()}
    assert len(kernels) > 10
    assert names == kernels | {"_cyutility"}


@pytest.mark.skipif(sys.platform == "win32", reason="setuptools finds the compiler there")
def test_a_compiler_on_the_path_is_found(build, no_compiler, tmp_path):
    assert build.find_compiler() is None
    program = tmp_path / "clang"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert build.find_compiler() == "clang"


@pytest.mark.skipif(sys.platform == "win32", reason="setuptools finds the compiler there")
def test_without_a_compiler_zig_compiles_and_links_for_any_processor(build, no_compiler):
    build.use_zig()
    assert os.environ["CC"].endswith("-m ziglang cc -mcpu=baseline")
    assert os.environ["LDSHARED"] == os.environ["CC"] + " -shared"


def test_missing_headers_are_one_line_that_names_the_package(build, no_compiler, monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit) as stopped:
        build.need_headers()
    assert "python3-dev" in stopped.value.code
    assert "\n" not in stopped.value.code


def copy_sources(folder):
    """Copy what a package is built from, without anything that is compiled."""
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
            )
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def run(*command, **settings):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **settings)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_a_wheel_works_in_an_empty_environment_without_a_compiler(tmp_path):
    sources = copy_sources(tmp_path)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path / "dist", sources)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith(".so") for name in names)
    assert not any(name.endswith((".c", ".o")) for name in names)
    run(sys.executable, "-m", "venv", tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    run(python, "-c", FIRST_STEPS, cwd=tmp_path / "dist", env={"PATH": str(python.parent)})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="links programs of Linux")
def test_where_no_compiler_is_installed_a_wheel_is_built_with_zig(tmp_path):
    sources, programs = copy_sources(tmp_path), tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "uname"):
        (programs / name).symlink_to(shutil.which(name))
    bare = {"PATH": str(programs), "HOME": str(tmp_path)} | {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP", "http"))
    }
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path / "dist", sources, env=bare)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert any(name.endswith(".so") for name in zipfile.ZipFile(wheel).namelist())
