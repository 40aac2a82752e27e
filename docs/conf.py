"""How Sphinx builds the documentation: `make docs`, from docs/ into build/docs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT)]  # the directives, and the checkout that contains them

import netsim  # noqa: E402

project = "netsim"
author = "The netsim authors"
project_copyright = author
release = version = netsim.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "directives"]
exclude_patterns = ["**/.ipynb_checkpoints"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are shown with the outputs they were committed with
nb_merge_streams = True  # everything that a cell prints becomes one text
nb_render_markdown_format = "myst"  # Markdown tables that cells print are rendered as tables
nb_ipywidgets_js: dict[str, str] = {}  # without a kernel a slider does nothing; its script would come from elsewhere

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
default_role = "code"  # for single backticks in docstrings
python_use_unqualified_type_names = True

NOTEBOOKS = HERE / "notebooks"  # Sphinx reads only files below docs/, so they are copied there
shutil.rmtree(NOTEBOOKS, ignore_errors=True)
NOTEBOOKS.mkdir()
for notebook in (ROOT / "notebooks").glob("*.ipynb"):
    shutil.copy(notebook, NOTEBOOKS)

html_theme = "furo"
html_title = "netsim"
html_static_path = ["static"]
html_css_files = ["page.css"]
html_show_sphinx = html_show_copyright = html_copy_source = html_show_sourcelink = False
