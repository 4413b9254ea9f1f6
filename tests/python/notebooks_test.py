"""The notebooks of examples/notebooks are clean (no outputs, small), and each cell runs.

They run in their own processes, with the package that this test imports. SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import unittest

import saccade
from left_out import left_out

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 20_000

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
    MISSING = None
except ImportError as error:
    MISSING = "notebooks are not run: %s" % error


class Clean(unittest.TestCase):
    def test_notebooks_have_no_outputs(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 5)
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                self.assertLess(path.stat().st_size, MOST_BYTES)
                notebook = json.loads(path.read_text(encoding="utf-8"))
                self.assertEqual(notebook["metadata"]["kernelspec"]["name"], "python3")
                self.assertNotIn("widgets", notebook["metadata"])
                for cell in notebook["cells"]:
                    self.assertEqual(cell["metadata"], {}, cell["id"])
                    if cell["cell_type"] == "code":
                        self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), cell["id"])

    def test_links_lead_somewhere(self):
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
                for part in text.split("](")[1:]:
                    self.assertTrue((FOLDER / part.split(")")[0]).exists(), part)


class Run(unittest.TestCase):
    def run_notebook(self, name):
        notebook = nbformat.read(FOLDER / (name + ".ipynb"), 4)
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3").execute()
        pictures = [output for cell in notebook.cells for output in cell.get("outputs", [])
                    if "image/png" in output.get("data", {})]
        self.assertGreaterEqual(len(pictures), 3)

    def test_every_cell_runs(self):
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's warning
        for path in NOTEBOOKS:
            if path.stem == "delta":
                try:
                    saccade.DeltaEncoder(shape=(8, 8))
                except saccade.UnsupportedError as error:
                    left_out("a notebook of the delta stream: %s" % error)
                    continue
            with self.subTest(notebook=path.name):
                self.run_notebook(path.stem)


if __name__ == "__main__":
    if MISSING:
        left_out(MISSING)
        del Run
    unittest.main()
