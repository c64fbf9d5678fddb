"""Imports that a fix leaves without a use go with it; all others stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfnanlint import cli

BODY = "\n\ndef f(scores, mask):\n    return tf.nn.softmax(tf.where(mask, scores, -np.inf))\n"
FIXED = BODY.replace("-np.inf", "-1e9")
TF = "import tensorflow as tf\n"


def fixed(text: str, tmp_path: Path, name: str = "mask.py") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode())
    cli.main([str(path), "--fix", "--unsafe-fixes", "--isolated", "--no-cache", "--quiet"])
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\n", ""),
        ("import math, numpy as np\n", "import math\n"),
        ("import numpy as np, math\n", "import math\n"),
        ("import os\nimport numpy as np\nimport sys\n", "import os\nimport sys\n"),
        ("'''\u00e9'''\r\nimport numpy as np\r\n\x0cimport os\r\n", "'''\u00e9'''\r\n\x0cimport os\r\n"),
    ],
)
def test_a_name_that_only_the_fixed_code_used_is_imported_no_more(before: str, after: str, tmp_path: Path) -> None:
    assert fixed(before + TF + BODY, tmp_path) == after + TF + FIXED


@pytest.mark.parametrize(
    "kept",
    [
        "import numpy as np  # noqa: F401\n",
        "import numpy as np\n\n__all__ = ['np']\n",
        "try:\n    import numpy as np\nexcept ImportError:\n    pass\n",
        "import numpy as np\n\nzero = np.zeros(1)\n",
    ],
)
def test_an_import_stays_that_may_be_there_for_more(kept: str, tmp_path: Path) -> None:
    assert fixed(kept + TF + BODY, tmp_path) == kept + TF + FIXED


def test_an_import_stays_that_nothing_used_before(tmp_path: Path) -> None:
    head = "import os\nimport numpy as np\n"
    assert fixed(head + TF + BODY, tmp_path) == "import os\n" + TF + FIXED


def test_the_imports_of_a_package_are_for_others(tmp_path: Path) -> None:
    text = "import numpy as np\n" + TF
    assert fixed(text + BODY, tmp_path, "__init__.py") == text + FIXED
