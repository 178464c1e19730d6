"""The scripts."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np


class ExamplesTest(unittest.TestCase):
    def test_ply_files_with_faces_first_are_errors(self):
        """Goal: a file whose faces are before its vertices is an error, not a mesh of other numbers. Method: both orders."""
        script = pathlib.Path(__file__).parent.parent / "examples" / "cloth.py"
        vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
        faces = np.array([(3, [0, 1, 2]), (3, [0, 1, 3])], [("count", "u1"), ("indices", "<i4", 3)])
        elements = {
            "vertex": ["element vertex 4", "property float x", "property float y", "property float z"],
            "face": ["element face 2", "property list uchar int vertex_indices"],
        }
        data = {"vertex": vertices.tobytes(), "face": faces.tobytes()}
        with tempfile.TemporaryDirectory() as folder:
            for order in (["vertex", "face"], ["face", "vertex"]):
                lines = ["ply", "format binary_little_endian 1.0"]
                lines += [line for name in order for line in elements[name]] + ["end_header", ""]
                path = pathlib.Path(folder) / "mesh.ply"
                path.write_bytes("\n".join(lines).encode() + b"".join(data[name] for name in order))
                ran = subprocess.run([sys.executable, script, path, path], capture_output=True, text=True)
                if order[0] == "vertex":
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    self.assertIn("4 vertices, 5 edges, 2 faces", ran.stdout)
                else:
                    self.assertEqual(ran.returncode, 1)
                    self.assertIn("expected the elements vertex and face, in this order", ran.stderr)
