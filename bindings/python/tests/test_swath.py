"""Tests of the Python interface against plain numpy. Run: python -m unittest discover tests"""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import swath

F32 = np.float32


def boxes(n, seed, side=0.05):
    random = np.random.default_rng(seed)
    low = random.random((n, 3), dtype=F32)
    high = (low + random.random((n, 3), dtype=F32) * F32(side)).astype(F32)
    delta = ((random.random((n, 3), dtype=F32) - F32(0.5)) * F32(0.2)).astype(F32)
    return low, high, delta


class PairsTest(unittest.TestCase):
    def test_union_pairs_are_those_of_every_comparison(self):
        low, high, delta = boxes(600, 1, 0.15)
        finder = swath.PairFinder()
        touch = np.logical_and(
            (low[:, None] <= high[None]).all(2), (low[None] <= high[:, None]).all(2)
        )
        expected = np.argwhere(np.triu(touch, 1))
        found = finder.union_pairs(low, high)
        self.assertEqual(found.dtype, np.uint32)
        self.assertGreater(len(expected), 100)
        np.testing.assert_array_equal(found, expected)

    def test_union_pairs_between_are_those_of_every_comparison(self):
        low_a, high_a, _ = boxes(300, 12, 0.15)
        low_b, high_b, _ = boxes(400, 13, 0.15)
        low_a[5, 2] = low_b[9, 0] = np.nan
        touch = np.logical_and(
            (low_a[:, None] <= high_b[None]).all(2), (low_b[None] <= high_a[:, None]).all(2)
        )
        expected = np.argwhere(touch)
        finder = swath.PairFinder()
        found = finder.union_pairs_between(low_a, high_a, low_b, high_b)
        self.assertGreater(len(expected), 100)
        np.testing.assert_array_equal(found, expected)
        self.assertEqual([row for row, _ in finder.rejected], [5, 9])
        with self.assertRaisesRegex(ValueError, "max_b: .*float32"):
            finder.union_pairs_between(low_a, high_a, low_b, high_b.astype(np.float64))

    def test_swept_pairs_hold_at_their_first_time(self):
        low, high, delta = boxes(2000, 2)
        pairs, first = swath.PairFinder().swept_pairs(low, high, delta)
        self.assertEqual((pairs.shape[1], pairs.dtype, first.dtype), (2, np.uint32, F32))
        self.assertGreater(len(pairs), 1000)
        a, b = pairs.T
        t = first[:, None].astype(np.float64)
        at = lambda corner, row: corner[row] + delta[row] * t
        gap = np.maximum(at(low, a) - at(high, b), at(low, b) - at(high, a)).max(1)
        self.assertLess(gap.max(), 1e-5)
        union = swath.PairFinder().union_pairs(low, high, delta)
        self.assertLess(len(pairs), len(union))

    def test_results_are_equal_for_any_threads(self):
        low, high, delta = boxes(5000, 3)
        one = swath.PairFinder(threads=1).swept_pairs(low, high, delta)
        for threads in [2, 3, None]:
            for x, y in zip(one, swath.PairFinder(threads=threads).swept_pairs(low, high, delta)):
                np.testing.assert_array_equal(x, y)

    def test_invalid_rows_are_rejected_and_disturb_nothing(self):
        low, high, delta = boxes(500, 4)
        finder = swath.PairFinder()
        bad = low.copy()
        bad[7, 1] = np.nan
        bad[9, 0] = 5.0
        expected = finder.union_pairs(low, high)
        self.assertEqual(finder.rejected, [])
        found = finder.union_pairs(bad, high)
        self.assertEqual([row for row, _ in finder.rejected], [7, 9])
        keep = ~np.isin(expected, [7, 9]).any(1)
        np.testing.assert_array_equal(found, expected[keep])

    def test_limit_of_pairs_is_an_error(self):
        low, high, _ = boxes(500, 5)
        with self.assertRaisesRegex(ValueError, "pairs"):
            swath.PairFinder(pairs_max=3).union_pairs(low, high)

    def test_a_dozen_threads_share_no_state(self):
        low, high, delta = boxes(3000, 6)
        expected = swath.PairFinder().swept_pairs(low, high, delta)[0]
        results = []

        def work():
            results.append(swath.PairFinder(threads=1).swept_pairs(low, high, delta)[0])

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 12)
        for found in results:
            np.testing.assert_array_equal(found, expected)


class BroadphaseTest(unittest.TestCase):
    def test_events_are_the_differences_of_the_pairs(self):
        low, high, delta = boxes(800, 31, 0.1)
        world = swath.Broadphase()
        ids = world.insert(low, high, delta)
        self.assertEqual((ids.dtype, len(world), len(set(ids.tolist()))), (np.uint64, 800, 800))
        row = {int(id): k for k, id in enumerate(ids)}
        pairs = lambda found: {(row[a], row[b]) for a, b in found.tolist()}
        before = set()
        for _ in range(3):
            begun, first, ended = world.update()
            touching, times = world.touching()
            swept = swath.PairFinder().swept_pairs(low, high, delta)
            now = {tuple(pair) for pair in swept[0].tolist()}
            self.assertGreater(len(now), 100)
            self.assertEqual(pairs(touching), now)
            self.assertEqual((pairs(begun), pairs(ended)), (now - before, before - now))
            by_pair = dict(zip(map(tuple, swept[0].tolist()), swept[1].tolist()))
            for (a, b), t in zip(touching.tolist(), times.tolist()):
                self.assertEqual(by_pair[row[a], row[b]], t)
            self.assertEqual(len(first), len(begun))
            low, high, before = low + delta, high + delta, now
            world.set(ids, low, high, delta)

    def test_fixed_boxes_do_not_pair_and_stale_ids_are_errors(self):
        low, high, _ = boxes(300, 32, 0.3)
        world = swath.Broadphase(threads=1)
        ids = world.insert(low, high, kind="fixed")
        self.assertEqual(len(world.update()[0]), 0)
        world.set_kind(ids[:1], "dynamic")
        self.assertGreater(len(world.update()[0]), 0)
        world.remove(ids[:1])
        begun, _, ended = world.update()
        self.assertEqual(len(begun), 0)
        self.assertTrue((ended[:, 0] == ids[0]).all() and len(ended) > 0)
        with self.assertRaisesRegex(ValueError, "it was removed"):
            world.remove(ids[:1])
        with self.assertRaisesRegex(ValueError, "kind: expected"):
            world.set_kind(ids[1:2], "static")
        with self.assertRaisesRegex(ValueError, "ids: .*uint64"):
            world.remove(ids.astype(np.int64))
        bad = low.copy()
        bad[3] = np.nan
        self.assertEqual(world.insert(bad, high)[3], 2**64 - 1)
        self.assertEqual([row for row, _ in world.rejected], [3])


class ArgumentsTest(unittest.TestCase):
    def test_wrong_arrays_are_errors_that_name_the_argument(self):
        low, high, delta = boxes(10, 1)
        finder = swath.PairFinder()
        with self.assertRaisesRegex(ValueError, r"max: .*float32.*got float64"):
            finder.union_pairs(low, high.astype(np.float64))
        with self.assertRaisesRegex(ValueError, r"min: .*\(n, 3\).*got shape \[10, 2\]"):
            finder.union_pairs(np.ascontiguousarray(low[:, :2]), high)
        with self.assertRaisesRegex(ValueError, "delta: .*ascontiguousarray"):
            finder.swept_pairs(low, high, delta[:, ::-1])
        with self.assertRaisesRegex(TypeError, "min: .*got list"):
            finder.union_pairs([[0, 0, 0]], high)
        with self.assertRaisesRegex(ValueError, "min: .*shape"):
            finder.union_pairs(low.ravel(), high)
        with self.assertRaisesRegex(ValueError, "9"):
            finder.union_pairs(low[:9], high)
        with self.assertRaisesRegex(ValueError, "threads"):
            swath.PairFinder(threads=0)

    def test_misaligned_arrays_are_errors(self):
        """Goal: an array whose numbers are not aligned is an error, not an array without rows.
        Method: arrays that start at byte 1 of their memory, for boxes, positions, pairs and ids."""

        def misaligned(array):
            memory = np.zeros(array.nbytes + 1, np.uint8)
            copy = memory[1:].view(array.dtype).reshape(array.shape)
            copy[:] = array
            self.assertFalse(copy.flags.aligned)
            return copy

        low, high, delta = boxes(10, 1)
        at_1 = misaligned(low)
        with self.assertRaisesRegex(ValueError, r"min: .*not aligned; pass min.copy\(\)"):
            swath.PairFinder().union_pairs(at_1, high)
        with self.assertRaisesRegex(ValueError, "delta: .*not aligned"):
            swath.PairFinder().swept_pairs(low, high, misaligned(delta))
        with self.assertRaisesRegex(ValueError, "max: .*not aligned"):
            swath.Bvh(low, misaligned(high))
        broadphase = swath.Broadphase()
        ids = broadphase.insert(low, high)
        with self.assertRaisesRegex(ValueError, "not aligned"):
            broadphase.remove(misaligned(ids))
        positions, faces = low.astype(np.float64), np.array([[3, 4, 5]], np.uint32)
        pairs = np.array([[0, 0]], np.uint32)
        with self.assertRaisesRegex(ValueError, "not aligned"):
            swath.vertex_face(positions, positions, faces, misaligned(pairs))
        self.assertEqual(len(swath.Bvh(at_1.copy(), high)), 10)
        self.assertEqual(len(swath.Bvh(at_1[:0], high[:0])), 0)

    def test_empty_arrays_have_no_pairs(self):
        none = np.zeros((0, 3), F32)
        self.assertEqual(swath.PairFinder().union_pairs(none, none).shape, (0, 2))


class QueriesTest(unittest.TestCase):
    def setUp(self):
        self.low, self.high, _ = boxes(800, 7, 0.15)
        self.bvh = swath.Bvh(self.low, self.high)

    def test_rays_hit_the_first_box(self):
        random = np.random.default_rng(8)
        origin = (random.random((300, 3), dtype=F32) * F32(3) - F32(1)).astype(F32)
        direction = (random.random((300, 3), dtype=F32) - F32(0.5)).astype(F32)
        row, t = self.bvh.cast(origin, direction)
        self.assertEqual((row.dtype, t.dtype, len(self.bvh)), (np.int64, F32, 800))
        with np.errstate(divide="ignore"):
            near = (self.low[None] - origin[:, None]) / direction[:, None].astype(np.float64)
            far = (self.high[None] - origin[:, None]) / direction[:, None].astype(np.float64)
        enter = np.maximum(np.minimum(near, far).max(2), 0)
        leave = np.maximum(near, far).min(2)
        times = np.where(enter <= leave, enter, np.inf)
        expected = times.min(1)
        np.testing.assert_allclose(t, expected, rtol=1e-5)
        self.assertTrue(((row == -1) == np.isinf(expected)).all())
        self.assertGreater((row >= 0).sum(), 20)

    def test_overlaps_and_nearest_are_those_of_every_comparison(self):
        low, high, _ = boxes(200, 9, 0.2)
        starts, rows = self.bvh.overlaps(low, high)
        for i in range(200):
            touch = (low[i] <= self.high).all(1) & (self.low <= high[i]).all(1)
            np.testing.assert_array_equal(rows[starts[i] : starts[i + 1]], np.flatnonzero(touch))
        row, distance = self.bvh.nearest(low)
        gap = np.maximum(np.maximum(self.low[None] - low[:, None], low[:, None] - self.high[None]), 0)
        np.testing.assert_allclose(distance, np.sqrt((gap**2).sum(2)).min(1), atol=1e-6)
        none, far = self.bvh.nearest(low + F32(100), 1.0)
        self.assertTrue((none == -1).all() and np.isinf(far).all())

    def test_invalid_limits_are_errors_that_name_the_argument(self):
        for wrong in (float("nan"), -1.0, -np.inf):
            for points in (self.low[:5], self.low[:0]):
                with self.assertRaisesRegex(ValueError, "max_fraction: expected"):
                    self.bvh.cast(points, points, wrong)
                with self.assertRaisesRegex(ValueError, "max_distance: "):
                    self.bvh.nearest(points, wrong)
        for limit in (0.0, -0.0, 0.5, np.inf):
            self.assertEqual(self.bvh.cast(self.low[:5], self.low[:5], limit)[0].shape, (5,))
        for wrong in (float("nan"), -1.0):
            with self.assertRaisesRegex(ValueError, "margin"):
                swath.Broadphase(threads=1).insert(self.low, self.high, margin=wrong)
            with self.assertRaisesRegex(ValueError, "within_km: expected 0 to 1000, got"):
                swath.screen_conjunctions(swath.catalogue(10), 60.0, within_km=wrong)


class ConvexTest(unittest.TestCase):
    def test_ball_meets_wall_at_the_exact_time(self):
        ball, wall = swath.Convex.sphere(1.0), swath.Convex.cuboid([0.5, 4.0, 4.0])
        found = swath.first_time(ball, swath.Motion([-9.0, 0, 0], delta=[15.0, 0, 0]), wall, swath.Motion())
        self.assertEqual(found.state, "impact")
        self.assertTrue(0.4999 < found.t <= 0.5)
        self.assertEqual(found.normal, (1.0, 0.0, 0.0))
        apart = swath.first_time(ball, swath.Motion([-9.0, 0, 0]), wall, swath.Motion())
        self.assertEqual((apart.state, apart.t, apart.t_safe), ("separated", None, 1.0))
        inside = swath.first_time(ball, swath.Motion(), wall, swath.Motion())
        self.assertEqual((inside.state, inside.t), ("overlapping", 0.0))
        self.assertAlmostEqual(inside.depth, 1.5, places=5)

    def test_batch_is_equal_to_single_calls(self):
        random = np.random.default_rng(3)
        n = 60
        shapes = [swath.Convex.hull(random.random((8 + i, 3), dtype=F32)) for i in range(n)]
        position = (random.random((n, 3), dtype=F32) * F32(6)).astype(F32)
        delta = ((random.random((n, 3), dtype=F32) - F32(0.5)) * F32(12)).astype(F32)
        spin = (random.random((n, 3), dtype=F32) * F32(2)).astype(F32)
        pairs = random.integers(0, n, (400, 2), dtype=np.uint32)
        state, t, normal = swath.first_times(shapes, position, delta, pairs, spin=spin)
        names = ["separated", "impact", "overlapping", "unresolved"]
        motion = lambda i: swath.Motion(position[i], delta=delta[i], spin=spin[i])
        for k, (a, b) in enumerate(pairs):
            one = swath.first_time(shapes[a], motion(a), shapes[b], motion(b))
            self.assertEqual(names[state[k]], one.state)
            self.assertEqual(t[k], F32(one.t_safe))
            if one.normal:
                np.testing.assert_array_equal(normal[k], np.array(one.normal, F32))
        self.assertGreater((state == 1).sum(), 10)

    def test_distance_is_negative_inside(self):
        ball = swath.Convex.sphere(1.0)
        self.assertAlmostEqual(swath.distance(ball, swath.Motion([3, 0, 0]), ball, swath.Motion())[0], 1.0, places=6)
        self.assertLess(swath.distance(ball, swath.Motion([1, 0, 0]), ball, swath.Motion())[0], 0)

    def test_invalid_shapes_and_motions_are_errors(self):
        for make in [
            lambda: swath.Convex.sphere(-1.0),
            lambda: swath.Convex.hull(np.zeros((0, 3), F32)),
            lambda: swath.Convex.hull(np.full((4, 3), np.nan, F32)),
            lambda: swath.Motion([np.inf, 0, 0]),
            lambda: swath.Motion(rotation=[0, 0, 0, 0]),
        ]:
            self.assertRaises(ValueError, make)
        ball = swath.Convex.sphere(1.0)
        with self.assertRaisesRegex(ValueError, "touch: expected"):
            swath.first_time(ball, swath.Motion(), ball, swath.Motion(), touch="never")
        with self.assertRaisesRegex(ValueError, "pair 0 refers to row 5"):
            one = np.zeros((1, 3), F32)
            swath.first_times([ball], one, one, np.array([[0, 5]], np.uint32))


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


class TickTest(unittest.TestCase):
    def test_tick_reports_the_swept_pairs_in_the_order_of_time(self):
        low, high, delta = boxes(1500, 11)
        pairs, t, normal, state = swath.tick(low, high, delta)
        self.assertTrue((np.diff(t) >= 0).all())
        swept = {tuple(pair) for pair in swath.PairFinder().swept_pairs(low, high, delta)[0]}
        self.assertGreater(len(pairs), 500)
        self.assertLessEqual({tuple(pair) for pair in pairs}, swept)
        first = swath.tick(low, high, delta, impacts_per_body=1)
        self.assertLess(len(first[0]), len(pairs))
        np.testing.assert_allclose(np.abs(normal).max(1), 1.0)
        # The boxes that overlap at the start are those that overlap without displacements.
        overlapping = {tuple(pair) for pair in swath.PairFinder().union_pairs(low, high)}
        self.assertEqual({tuple(pair) for pair in pairs[state == 2]}, overlapping)
        self.assertEqual((state.dtype, set(state.tolist())), (np.uint8, {1, 2}))
        self.assertTrue((t[state == 2] == 0).all())

    def test_state_tells_overlaps_from_impacts_at_the_start(self):
        low = np.array([[0, 0, 0], [1, 0, 0], [0, 5, 0], [0.5, 5, 0]], F32)
        delta = np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]], F32)
        pairs, t, normal, state = swath.tick(low, low + F32(1), delta)
        self.assertEqual(dict(zip(map(tuple, pairs.tolist()), state.tolist())), {(0, 1): 1, (2, 3): 2})
        np.testing.assert_array_equal(t, [0.0, 0.0])
        np.testing.assert_array_equal(normal, [[1.0, 0.0, 0.0]] * 2)


def call_in_child(call, connection):
    """Sends what a call returns or raises."""
    try:
        connection.send(call())
    except RuntimeError as error:
        connection.send(str(error))


def in_forked_process(call):
    """What a call returns or raises in a forked process, or "no answer"."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=call_in_child, args=(call, there))
    child.start()
    answer = here.recv() if here.poll(20) else "no answer"
    child.kill()
    child.join()
    return answer


@unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
class ForkTest(unittest.TestCase):
    """Goal: a call in a forked process never waits for threads of its parent. Method: calls after the parent has used its threads."""

    def setUp(self):
        self.low, self.high, self.delta = boxes(20_000, 41)
        # The parent uses the threads that objects share.
        self.pairs = len(swath.PairFinder().swept_pairs(self.low, self.high, self.delta)[0])
        self.assertGreater(self.pairs, 0)

    def check_error(self, call):
        self.assertRegex(in_forked_process(call), "forked.*'spawn', or threads=1")

    def test_objects_with_threads_of_the_parent_are_errors(self):
        low, high, delta = self.low, self.high, self.delta
        finder, world, bvh = swath.PairFinder(threads=2), swath.Broadphase(threads=2), swath.Bvh(low, high, threads=2)
        ids = world.insert(low, high, delta)
        finder.union_pairs(low, high)
        self.check_error(lambda: finder.union_pairs(low, high))
        self.check_error(lambda: finder.union_pairs_between(low, high, low, high))
        self.check_error(lambda: finder.swept_pairs(low, high, delta))
        self.check_error(lambda: world.insert(low, high))
        self.check_error(lambda: world.set(ids, low, high))
        self.check_error(lambda: world.update())
        self.check_error(lambda: bvh.cast(low, delta))
        self.check_error(lambda: bvh.overlaps(low, high))
        self.check_error(lambda: bvh.nearest(low))
        # The parent goes on.
        self.assertEqual(len(finder.swept_pairs(low, high, delta)[0]), self.pairs)

    @unittest.skipIf(os.cpu_count() == 1, "the shared threads are one")
    def test_shared_threads_of_the_parent_are_errors(self):
        low, high, delta = self.low, self.high, self.delta
        balls, pairs = [swath.Convex.sphere(1.0)] * 2000, np.array([[0, 1]] * 2000, np.uint32)
        positions, faces = low.astype(np.float64), np.array([[0, 1, 2]], np.uint32)
        of_faces = np.array([[5, 0]] * 5000, np.uint32)
        finder = swath.PairFinder()
        self.check_error(lambda: finder.swept_pairs(low, high, delta))
        self.check_error(lambda: len(swath.Bvh(low, high)))
        self.check_error(lambda: len(swath.tick(low, high, delta)[0]))
        self.check_error(lambda: len(swath.first_times(balls, low[:2000], delta[:2000], pairs)[0]))
        self.check_error(lambda: len(swath.vertex_face(positions, positions, faces, of_faces)[0]))
        self.check_error(lambda: len(swath.screen_conjunctions(swath.catalogue(1000), 120.0)[0]))

    def test_one_thread_and_new_threads_work(self):
        low, high, delta = self.low, self.high, self.delta
        balls, pairs = [swath.Convex.sphere(1.0)] * 2000, np.array([[0, 1]] * 2000, np.uint32)
        kept = swath.PairFinder(threads=1)
        kept.union_pairs(low, high)
        with_threads = swath.PairFinder(threads=3)
        for make in (lambda: kept, lambda: swath.PairFinder(threads=1), lambda: swath.PairFinder(threads=2)):
            self.assertEqual(in_forked_process(lambda: len(make().swept_pairs(low, high, delta)[0])), self.pairs)
        for threads in (1, 2):
            first_times = lambda: swath.first_times(balls, low[:2000], delta[:2000], pairs, threads=threads)
            self.assertEqual(in_forked_process(lambda: len(first_times()[0])), 2000)
            screen = lambda: swath.screen_conjunctions(swath.catalogue(3000), 600.0, within_km=50.0, threads=threads)
            self.assertEqual(in_forked_process(lambda: len(screen()[0])), len(screen()[0]))

        # An object of the parent is destroyed.
        def destroy():
            nonlocal with_threads
            del with_threads
            return "done"

        self.assertEqual(in_forked_process(destroy), "done")


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


class OrbitsTest(unittest.TestCase):
    def test_screening_reports_progress_and_valid_approaches(self):
        elements = swath.catalogue(3000, seed=5)
        self.assertEqual((elements.shape, elements.dtype), ((3000, 6), np.float64))
        calls = []
        pairs, seconds, km, speed = swath.screen_conjunctions(
            elements, 1800.0, within_km=30.0, progress=lambda done, of: calls.append((done, of))
        )
        self.assertEqual(calls[-1], (30, 30))
        self.assertGreater(len(pairs), 20)
        self.assertTrue((km <= 30.0).all() and (np.diff(seconds) >= 0).all() and (speed > 0).all())

    def test_an_error_in_progress_and_bad_elements_are_raised(self):
        elements = swath.catalogue(100)
        with self.assertRaises(ZeroDivisionError):
            swath.screen_conjunctions(elements, 600.0, progress=lambda done, of: 1 / 0)
        elements[3, 1] = 2.0
        with self.assertRaisesRegex(ValueError, "object 3"):
            swath.screen_conjunctions(elements, 600.0)
        with self.assertRaisesRegex(ValueError, "float64"):
            swath.screen_conjunctions(elements.astype(F32), 600.0)

    def test_time_is_rounded_up_to_ticks_and_wrong_ticks_are_named(self):
        elements = swath.catalogue(100)
        calls = []
        swath.screen_conjunctions(elements, 90.0, progress=lambda done, of: calls.append((done, of)))
        self.assertEqual(calls[-1], (2, 2))
        for wrong in (0.0, -60.0, float("nan"), 601.0):
            with self.assertRaisesRegex(ValueError, "tick_seconds: expected 0.001 to 600"):
                swath.screen_conjunctions(elements, 90.0, tick_seconds=wrong)
        for wrong in (-30.0, -90.0, float("nan"), 1e12):
            with self.assertRaisesRegex(ValueError, "seconds: expected a time"):
                swath.screen_conjunctions(elements, wrong)

    def test_an_error_in_progress_ends_the_screening(self):
        elements = swath.catalogue(3000)
        calls = []

        def cancel(done, of):
            calls.append(done)
            raise KeyboardInterrupt

        # All of the ticks would take a hundred times as long.
        for seconds in (6000.0, 600_000.0):
            with self.assertRaises(KeyboardInterrupt):
                swath.screen_conjunctions(elements, seconds, progress=cancel)
        self.assertEqual(calls, [1, 100])


if __name__ == "__main__":
    unittest.main()
