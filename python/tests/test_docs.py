"""The page `Python in ten minutes`, run as one program."""

import os
import pathlib
import re
import shutil

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"(<!-- not run: [^>]* -->\n)?```python\n(.*?)```", re.DOTALL)


def test_page_runs(tmp_path, gallery):
    shutil.copytree(gallery, tmp_path / "scenes" / "gallery")
    text = PAGE.read_text(encoding="utf-8")
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        names = {"__name__": "page"}
        blocks = [match for match in BLOCK.finditer(text) if not match.group(1)]
        assert len(blocks) > 5
        for block in blocks:
            line = text.count("\n", 0, block.start(2))
            exec(compile("\n" * line + block.group(2), str(PAGE), "exec"), names)
    finally:
        os.chdir(before)
