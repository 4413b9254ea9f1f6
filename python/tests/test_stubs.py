"""Type hints and docstrings are those of the library's tables, and mypy accepts them."""
import ast
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import unittest

import saccade
from saccade import _core
from support import folder

HERE = pathlib.Path(__file__).resolve().parent.parent
STUB = HERE / "saccade" / "__init__.pyi"
PLANS = ["Equalize", "Heatmap", "Noise", "Denoise", "Adjust", "Beamform", "Flow", "Meltpool", "DeltaEncoder", "DeltaDecoder"]

PROGRAM = """
import numpy
import saccade
picture = numpy.zeros((4, 5), "u1")
a: numpy.ndarray = saccade.equalize(picture)
with saccade.Equalize(clahe=(8, 6), scale="max") as plan:
    b: numpy.ndarray = plan(picture, out=picture)
saccade.Equalize(scale="sideways")  # refused
saccade.Heatmap(tresh=3)  # refused
"""


class Stubs(unittest.TestCase):
    def test_the_kept_file_is_what_the_script_writes(self):
        with folder() as path:
            subprocess.run([sys.executable, HERE / "make_stubs", path + "/new.pyi"], check=True)
            new = pathlib.Path(path + "/new.pyi").read_text()
        self.assertEqual(new, STUB.read_text(), "run python/make_stubs")

    def test_every_public_name_has_hints(self):
        tree = ast.parse(STUB.read_text())
        hinted = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        hinted |= {n.target.id: n for n in tree.body if isinstance(n, ast.AnnAssign)}
        public = [name for name in vars(saccade) if not name.startswith("_") or name == "__version__"]
        self.assertFalse(set(public) - set(hinted))
        self.assertFalse([n for n in hinted if not hasattr(saccade, n)])
        for name, node in hinted.items():
            value = getattr(saccade, name)
            if isinstance(node, ast.FunctionDef):
                arguments = node.args.args + node.args.kwonlyargs
                expected = [p.name for p in inspect.signature(value).parameters.values()
                            if p.kind != p.VAR_KEYWORD]
                if name != "read_recording":
                    self.assertEqual([a.arg for a in arguments], expected, name)
            elif inspect.isclass(value) and not issubclass(value, Exception):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        self.assertTrue(hasattr(value, method.name), "%s.%s" % (name, method.name))

    def test_every_option_is_documented(self):
        for plan in PLANS:
            doc = getattr(saccade, plan).__doc__
            for p in _core.parameters(plan):
                self.assertIn("\n%s : " % p["name"].replace("-", "_"), doc)
                self.assertIn(p["doc"], doc)
        for name in vars(saccade):
            value = getattr(saccade, name)
            if callable(value) and not name.startswith("_") and name != "Plan":
                self.assertTrue(value.__doc__, name)

    def test_the_defaults_are_the_tables(self):
        for plan in PLANS:
            for p in _core.parameters(plan):
                if p["default"] is None:
                    continue
                args = (saccade.Acquisition(saccade.Probe.linear(2, 1e-3), "sa", 1e6, 1e6),
                        ) if plan == "Beamform" else ()
                getattr(saccade, plan)(*args, **{p["name"].replace("-", "_"): p["default"]})

    def test_mypy_accepts_them(self):
        if not importlib.util.find_spec("mypy"):
            self.skipTest("there is no mypy")
        with folder() as path:
            program = pathlib.Path(path) / "program.py"
            program.write_text(PROGRAM)
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict-optional", "--cache-dir", path,
                                   str(program)],
                                  capture_output=True, text=True, env={"MYPYPATH": str(HERE), "PATH": ""})
        refused = [i for i, line in enumerate(PROGRAM.splitlines(), 1) if "# refused" in line]
        for line in refused:
            self.assertIn("program.py:%d: error" % line, done.stdout)
        self.assertEqual(done.stdout.count("error:"), len(refused), done.stdout)


if __name__ == "__main__":
    unittest.main()
