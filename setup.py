"""What setup.cfg cannot express: all subpackages are found, models/ and examples/ are packaged in the wheel as
netsim/models/ and netsim/examples/, and the simulator is compiled where possible (docs/design.md, "Compiled parts")."""

import os
import runpy
import shutil
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CompileError

PACKAGE = Path("netsim")
UNITS = 16  # translation units of the C compiler: up to 16 processors share the work
SOURCES = runpy.run_path(str(PACKAGE / "compiled" / "sources.py"))
# Packages that mypy doesn't read can't change the build: the generated C is the same whatever else is installed.
MYPY = """\
[mypy]
follow_imports = silent
ignore_missing_imports = true
[mypy-{unread}]
follow_imports = skip
follow_imports_for_stubs = true
"""
OTHERS = ("IPython", "jinja2", "matplotlib", "numpy", "pandas", "pint", "pydantic", "scipy", "tqdm")


class BuildCompiled(build_ext):
    """Builds one library from all compiled modules, with a note beside it that identifies its sources."""

    def run(self):
        """A library in the source tree is reused if it is of these sources. Without a library, a wheel is pure."""
        if not self.extensions:
            sys.exit(HINDRANCE)
        in_tree = Path(self.get_ext_filename(self.extensions[0].name))
        built = Path(self.build_lib, in_tree)
        if self.force or not is_current(in_tree):
            super().run()
        elif not self.inplace:
            copy(in_tree, built)
        if self.inplace and not is_current(in_tree):
            sys.exit("compiling failed")
        if not self.inplace and not is_current(built):
            self.distribution.ext_modules = None
            self.get_finalized_command("bdist_wheel").root_is_pure = True

    def build_extensions(self):
        """Compiles as many units at a time as there are processors."""
        compile_all = self.compiler.compile

        def at_once(files, **options):
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                units = units_of(files, Path(self.build_temp))
                return [*chain.from_iterable(pool.map(lambda unit: compile_all([unit], **options), units))]

        self.compiler.compile = at_once
        super().build_extensions()

    def build_extension(self, ext):
        library, before = Path(self.get_ext_fullpath(ext.name)), made_from()
        note(library).unlink(missing_ok=True)
        made = self._generated()
        ext.sources, ext.depends, ext.extra_compile_args = made.sources, made.depends, made.extra_compile_args
        if self.compiler.compiler_type == "unix":  # calls within the library are direct; a newer compiler may warn
            ext.extra_compile_args += ["-fvisibility=hidden", "-Wno-error"]
        ext.include_dirs = [*made.include_dirs, str(Path(self.build_temp, *ext.name.split(".")[:-1]))]
        super().build_extension(ext)
        if made_from() != before:
            raise CompileError("the sources have changed meanwhile")
        note(library).write_text(before)

    def _generated(self):
        """The extension with its C files, which mypyc writes into the temporary build folder."""
        from mypyc.build import mypycify

        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "mypy.ini"
        unread = [f"netsim.{room}" for room in SOURCES["UNREAD"]] + [*OTHERS]
        config.write_text(MYPY.format(unread=",".join(f"{name}.*" for name in unread)))
        files = [str(PACKAGE / file) for file in SOURCES["compiled"](PACKAGE)]
        try:
            library, *_ = mypycify(  # and a shim for each module, which netsim/compiled/finder.py replaces
                [f"--config-file={config}", *files],
                opt_level="1",  # as fast as 2, and built in half the time
                debug_level="0",
                multi_file=True,
                target_dir=str(folder),
                group_name=SOURCES["GROUP"],
            )
        except SystemExit:
            raise CompileError("mypyc has found mistakes") from None
        return library

    def copy_extensions_to_source(self):
        in_tree = Path(self.get_ext_filename(self.extensions[0].name))
        if note(Path(self.build_lib, in_tree)).exists():
            copy(Path(self.build_lib, in_tree), in_tree)


def units_of(files, folder):
    """Groups the C files into units of about the same size: each unit reads mypyc's headers, 1 MB, once."""
    units = [[] for _ in range(UNITS)]
    for file in sorted(files, key=os.path.getsize, reverse=True):
        min(units, key=lambda unit: sum(map(os.path.getsize, unit))).append(file)
    for number, unit in enumerate(units):
        written = folder / f"unit_{number}.c"
        written.write_text("".join(f'#include "{Path(file).absolute().as_posix()}"\n' for file in sorted(unit)))
        yield str(written)


def note(library):
    return library.with_name(f"{library.name}.sources")


def made_from():
    """The content of a note."""
    return f"{SOURCES['digest'](PACKAGE)}\nmypy {version('mypy')}\n"


def is_current(library):
    return note(library).exists() and note(library).read_text() == made_from()


def copy(library, target):
    """Copies library and note; processes that use an older library keep it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for old, new in ((library, target), (note(library), note(target))):
        os.replace(shutil.copy(old, new.with_name(f"{new.name}.new")), new)


def hindrance():
    """The reason why nothing can be compiled, or ""."""
    if os.environ.get("NETSIM_PURE") == "1":
        return "NETSIM_PURE=1"
    if find_spec("mypyc") is None:
        return "no mypy"
    return "" if _has_compiler() else "no C compiler"


def _has_compiler():
    from distutils.ccompiler import new_compiler
    from distutils.sysconfig import customize_compiler

    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder, "trial.c")
        trial.write_text("#include <Python.h>\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(trial)], output_dir=folder, include_dirs=[sysconfig.get_path("include")])
        except (BaseError, CompileError):
            return False
    return True


HINDRANCE = hindrance()
setup(
    packages=[*find_packages(include=["netsim", "netsim.*"]), "netsim.models", "netsim.examples"],
    package_dir={"netsim.models": "models", "netsim.examples": "examples"},
    package_data={
        "netsim": ["py.typed", "**/*.html", "**/*.css", "**/*.js"],
        "netsim.models": ["**/*.toml"],
        "netsim.examples": ["*.toml"],
    },
    # Optional: a wheel without it runs interpreted.
    ext_modules=[] if HINDRANCE else [Extension(f"{SOURCES['GROUP']}__mypyc", [], optional=True)],
    cmdclass={"build_ext": BuildCompiled},
)
