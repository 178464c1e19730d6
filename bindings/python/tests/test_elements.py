"""First times of the elements of a mesh."""

import sys
import unittest

import numpy as np
import swath
from support import F32


class ElementsTest(unittest.TestCase):
    """A vertex and a face, or two edges; compared with the roots of the cubic equation of coplanarity."""

    def elements(self, seed, count=800):
        random = np.random.default_rng(seed)
        start = random.random((4 * count, 3)) * 4.0
        return start, start + (random.random((4 * count, 3)) - 0.5) * 8.0

    def first_root(self, start, end, nearest):
        """The first time at which four moving points are coplanar and the elements meet inside of both."""
        at = lambda t: start + t * (end - start)
        times = np.linspace(0.0, 1.0, 4)
        volumes = [np.linalg.det(at(t)[1:] - at(t)[0]) for t in times]
        roots = np.polynomial.polynomial.Polynomial.fit(times, volumes, 3).roots()
        real = np.sort(roots.real[np.abs(roots.imag) < 1e-9])
        for t in real[(real > 0.0) & (real < 1.0)]:
            weights = nearest(*at(t))
            if weights.min() > 1e-6:
                return t
        return None

    def vertex_face_weights(self, p, a, b, c):
        b, c = np.linalg.lstsq(np.stack([b - a, c - a], axis=1), p - a, rcond=None)[0]
        return np.array([1.0 - b - c, b, c])

    def edge_edge_weights(self, a, b, c, d):
        s, t = np.linalg.lstsq(np.stack([b - a, c - d], axis=1), c - a, rcond=None)[0]
        return np.array([s, 1.0 - s, t, 1.0 - t])

    def compare(self, start, end, found, weights):
        state, t, normal, coordinates = found
        count = len(state)
        self.assertEqual((t.dtype, normal.shape, coordinates.shape), (np.float64, (count, 3), (count, 2)))
        contacts = 0
        for k in range(count):
            four = slice(4 * k, 4 * k + 4)
            expected = self.first_root(start[four], end[four], weights)
            if expected is None:
                continue
            contacts += 1
            self.assertEqual(state[k], 1)
            self.assertTrue(expected - 1e-6 < t[k] <= expected + 1e-9, (t[k], expected))
            self.assertAlmostEqual(np.linalg.norm(normal[k]), 1.0, places=12)
        self.assertGreater(contacts, 20)
        # The roots are those of all contacts but those at the rim.
        self.assertLessEqual(contacts, (state == 1).sum())
        self.assertLess((state == 1).sum(), contacts + 5)
        self.assertTrue((t[state == 0] == 1.0).all())

    def test_vertices_and_faces_touch_at_the_roots_of_the_cubic(self):
        start, end = self.elements(21)
        rows = np.arange(len(start), dtype=np.uint32).reshape(-1, 4)
        faces = np.ascontiguousarray(rows[:, 1:])
        pairs = np.stack([rows[:, 0], np.arange(len(rows), dtype=np.uint32)], axis=1)
        found = swath.vertex_face(start, end, faces, pairs)
        self.compare(start, end, found, self.vertex_face_weights)
        for x, y in zip(found, swath.vertex_face(start, end, faces, pairs, threads=1)):
            np.testing.assert_array_equal(x, y)

    def test_edges_touch_at_the_roots_of_the_cubic(self):
        start, end = self.elements(22)
        edges = np.arange(len(start), dtype=np.uint32).reshape(-1, 2)
        pairs = np.arange(len(edges), dtype=np.uint32).reshape(-1, 2)
        self.compare(start, end, swath.edge_edge(start, end, edges, pairs), self.edge_edge_weights)

    def test_minimum_separation_is_reached_at_its_time(self):
        start = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 3]], np.float64)
        end = start.copy()
        end[3, 2] = -1.0
        faces, pairs = np.array([[0, 1, 2]], np.uint32), np.array([[3, 0]], np.uint32)
        for separation, expected in [(0.0, 0.75), (1.0, 0.5)]:
            state, t, normal, coordinates = swath.vertex_face(
                start, end, faces, pairs, minimum_separation=separation
            )
            self.assertEqual(state[0], 1)
            self.assertTrue(expected - 1e-6 < t[0] <= expected)
            np.testing.assert_array_equal(normal[0], [0.0, 0.0, -1.0])
            np.testing.assert_array_equal(coordinates[0], [0.25, 0.25])

    def test_invalid_vertices_touch_nothing_and_wrong_rows_are_errors(self):
        start = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 3], [1, 1, 4]], np.float64)
        end = start - [0.0, 0.0, 5.0] * np.array([0, 0, 0, 1, 1])[:, None]
        faces, pairs = np.array([[0, 1, 2]], np.uint32), np.array([[3, 0], [4, 0]], np.uint32)
        start[3, 1] = np.inf
        np.testing.assert_array_equal(swath.vertex_face(start, end, faces, pairs)[0], [0, 1])
        start[3, 1] = 1.0
        with self.assertRaisesRegex(ValueError, "pair 1 refers to row 4"):
            swath.vertex_face(start, end, faces, np.array([[3, 0], [3, 4]], np.uint32))
        with self.assertRaisesRegex(ValueError, "start: .*float64.*got float32"):
            swath.vertex_face(start.astype(F32), end, faces, pairs)
        with self.assertRaisesRegex(ValueError, r"edges: .*uint32.*\(n, 2\)"):
            swath.edge_edge(start, end, faces, pairs)
        with self.assertRaisesRegex(ValueError, "minimum separation"):
            swath.vertex_face(start, end, faces, pairs, minimum_separation=-1.0)

    @unittest.skipUnless(sys.platform == "linux", "the unit of ru_maxrss depends on the system")
    def test_positions_are_not_copied(self):
        import resource

        start = np.ones((3_000_000, 3))
        end = np.full((3_000_000, 3), 2.0)
        faces, pairs = np.array([[0, 1, 2]], np.uint32), np.array([[3, 0]], np.uint32)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        state, *_ = swath.vertex_face(start, end, faces, pairs)
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertEqual(state[0], 1)
        # A copy of one of the arrays has 70,000 KiB.
        self.assertLess(more, 20_000)
