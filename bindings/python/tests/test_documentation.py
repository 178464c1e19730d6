"""The texts of help() and of the stubs."""

import ast
import inspect
import pathlib
import unittest

import swath

STUBS = [pathlib.Path(swath.__file__).parent / name for name in ("__init__.pyi", "_boxes.pyi", "_shapes.pyi")]


def words(text):
    return (text or "").split()


class DocumentationTest(unittest.TestCase):
    def test_help_has_the_texts_of_the_stubs(self):
        """Goal: each class, function, method and attribute is described, with the same words at run time and in the stubs."""
        compared = 0

        def compare(name, part, text):
            nonlocal compared
            with self.subTest(name):
                self.assertGreater(len(words(text)), 2)
                self.assertEqual(words(part.__doc__), words(text))
            compared += 1

        for node in [node for stubs in STUBS for node in ast.parse(stubs.read_text()).body]:
            if isinstance(node, ast.FunctionDef):
                compare(node.name, getattr(swath, node.name), ast.get_docstring(node))
            if not isinstance(node, ast.ClassDef):
                continue
            owner = getattr(swath, node.name)
            compare(node.name, owner, ast.get_docstring(node))
            for part, next_part in zip(node.body, [*node.body[1:], None]):
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("__"):
                    compare(f"{node.name}.{part.name}", getattr(owner, part.name), ast.get_docstring(part))
                elif isinstance(part, ast.AnnAssign):
                    compare(f"{node.name}.{part.target.id}", getattr(owner, part.target.id), next_part.value.value)
        self.assertGreater(compared, 90)

    def test_types_have_names(self):
        """Goal: annotations of a program can name kinds and shapes. Method: the parts of both types."""
        import typing

        self.assertEqual({typing.get_args(name)[0] for name in typing.get_args(swath.Kind)}, {"fixed", "kinematic", "dynamic", "sleeping"})
        self.assertEqual(set(typing.get_args(swath.Shape)), {swath.Convex, swath.Compound, swath.Mesh, swath.HeightField})
        # They are read by Python 3.10, which has no `typing.Self`.
        for stubs in STUBS:
            self.assertNotIn("Self", stubs.read_text())

    def test_help_shows_defaults(self):
        """Goal: no default is an ellipsis. Method: the signatures of all functions, methods and classes."""
        compared = 0
        for name in swath.__all__:
            part = getattr(swath, name)
            parts = [part] if callable(part) else []
            if isinstance(part, type):
                parts += [method for key, method in vars(part).items() if callable(method) and not key.startswith("_")]
                parts = [each for each in parts if each is not part or part.__text_signature__]
            for each in parts:
                signature = inspect.signature(each)
                defaults = [parameter.default for parameter in signature.parameters.values()]
                self.assertNotIn(Ellipsis, defaults, each)
                compared += 1
        self.assertGreater(compared, 50)
        self.assertEqual(inspect.signature(swath.first_time).parameters["tolerance"].default, 2.0**-14)
