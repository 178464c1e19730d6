"""Errors that name the argument."""

import subprocess
import sys
import unittest

import numpy as np
import swath
from support import F32, boxes


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

    def test_numbers_that_do_not_fit_are_errors_that_name_the_argument(self):
        low, high, delta = boxes(10, 1)
        world, ball = swath.Broadphase(), swath.Convex.sphere(1.0)
        elements, positions = swath.catalogue(5), low.astype(np.float64)
        pair = np.array([[0, 0]], np.uint32)
        face = np.array([[0, 1, 2]], np.uint32)
        cases = [
            ("threads", lambda x: swath.PairFinder(threads=x), [-1, 0, 2**70, 1025]),
            ("threads", lambda x: swath.first_times([ball], low[:1], low[:1], pair, threads=x), [-1]),
            ("pairs_max", lambda x: swath.PairFinder(pairs_max=x), [-1, 2**64]),
            ("pairs_max", lambda x: swath.Broadphase(pairs_max=x), [-1]),
            ("impacts_per_body", lambda x: swath.tick(low, high, delta, impacts_per_body=x), [-1, 2**32]),
            ("objects", swath.catalogue, [-1, 2**21]),
            ("seed", lambda x: swath.catalogue(1, x), [-1]),
            ("margin", lambda x: world.insert(low, high, margin=x), [-1.0, float("nan"), 10**400, np.full(10, -1, F32)]),
            ("margin", lambda x: world.insert(low, high, margin=x), [np.zeros(9, F32), np.zeros(10), np.zeros((10, 1), F32)]),
            ("owner", lambda x: world.insert(low, high, owner=x), [-1, 2**32, np.zeros(10, np.int64), np.zeros(3, np.uint32)]),
            ("user", lambda x: world.insert(low, high, user=x), [-1, 2**64, np.zeros(10, np.uint32)]),
            ("enabled", lambda x: world.insert(low, high, enabled=x), [np.zeros(10, np.uint8), np.zeros(3, bool), np.zeros(20, bool)[::2]]),
            ("moves", lambda x: swath.PairFinder().union_pairs(low, high, moves=x), [np.zeros(10, np.uint8), np.zeros((10, 1), bool)]),
            ("kind", lambda x: world.insert(low, high, kind=x), ["static", ["fixed"] * 9, ["fixed"] * 9 + ["moving"]]),
            ("radius", swath.Convex.sphere, [-1.0, float("inf"), float("nan"), 1e39]),
            ("half_height", lambda x: swath.Convex.capsule(x, 1.0), [-1.0]),
            ("half_extents", swath.Convex.cuboid, [[1.0, -1.0, 1.0], [1.0, 1.0], [float("nan")] * 3]),
            ("b", lambda x: swath.Convex.segment([0, 0, 0], x), [[1.0, np.inf, 1.0], [1.0]]),
            ("position", swath.Motion, [[np.inf, 0, 0], [0, 0]]),
            ("rotation", lambda x: swath.Motion(rotation=x), [[0, 0, 0, 0], [0, 0, 0], [np.nan, 0, 0, 1]]),
            ("spin", lambda x: swath.Motion(spin=x), [[2000.0, 0, 0]]),
            ("accel", lambda x: swath.Motion(accel=x), [[np.nan, 0, 0]]),
            ("minimum_separation", lambda x: swath.vertex_face(positions, positions, face, pair, minimum_separation=x), [-1.0]),
            ("tolerance", lambda x: swath.vertex_face(positions, positions, face, pair, tolerance=x), [-1.0]),
            ("tolerance", lambda x: swath.first_time(ball, swath.Motion(), ball, swath.Motion(), tolerance=x), [2.0, 10**400]),
            ("seconds", lambda x: swath.screen_conjunctions(elements, x), [-1.0, 10**400]),
        ]
        for name, call, values in cases:
            for value in values:
                with self.subTest(name, value=value), self.assertRaisesRegex(ValueError, f"^{name}: "):
                    call(value)
            for value in ({}, object()):
                with self.subTest(name, value=value), self.assertRaisesRegex((TypeError, ValueError), f"^{name}: "):
                    call(value)
        # Nothing was inserted.
        self.assertEqual(len(world), 0)

    def test_rows_that_do_not_fit_are_errors_that_name_the_argument(self):
        low, high, delta = boxes(10, 1)
        finder, bvh, world = swath.PairFinder(), swath.Bvh(low, high), swath.Broadphase()
        ids = world.insert(low, high)
        cases = [
            ("max: expected 10 rows, as min has, got 9", lambda: finder.union_pairs(low, high[:9])),
            ("delta: expected 10 rows, as min has, got 1", lambda: finder.swept_pairs(low, high, low[:1])),
            ("max_b: expected 10 rows", lambda: finder.union_pairs_between(low, high, low, high[:9])),
            ("moves: expected one value for each of 10 rows, got 9", lambda: finder.union_pairs(low, high, moves=np.zeros(9, bool))),
            ("masks_b: expected one value", lambda: finder.union_pairs_between(low, high, low, high, masks_b=np.zeros(9, np.uint32))),
            ("direction: expected 10 rows, as origin has, got 1", lambda: bvh.cast(low, low[:1])),
            ("direction: expected 10 rows", lambda: bvh.cast_all(low, low[:1])),
            ("max: expected 10 rows", lambda: bvh.overlaps(low, high[:1])),
            ("delta: expected 10 rows", lambda: bvh.sweep(low, high, high[:1])),
            ("max: expected 10 rows", lambda: swath.Bvh(low, high[:1])),
            ("accel: expected 10 rows", lambda: swath.tick(low, high, delta, accel=low[:1])),
            ("ids: expected 10 rows, as min has, got 9", lambda: world.set(ids[:9], low, high)),
            ("kind: expected one value for each of 10 rows, got 1", lambda: world.set_kind(ids, ["fixed"])),
            ("end: expected 10 rows", lambda: swath.vertex_face(*(x.astype(np.float64) for x in (low, low[:1])),
                                                             np.zeros((0, 3), np.uint32), np.zeros((0, 2), np.uint32))),
        ]  # fmt: skip
        for message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(ValueError, f"^{message}"):
                call()

    def test_objects_of_other_types_are_errors_that_name_the_argument(self):
        ball, motion = swath.Convex.sphere(1.0), swath.Motion()
        cases = [
            ("a: expected a Convex, Compound, Mesh or HeightField, got int", lambda: swath.first_time(3, motion, ball, motion)),
            ("motion_b: expected Motion, got Convex", lambda: swath.distance(ball, motion, ball, ball)),
            ("snapshot: expected Snapshot, got bytes", lambda: swath.Broadphase().restore(b"")),
            ("progress: expected a function, got int", lambda: swath.screen_conjunctions(swath.catalogue(3), 1.0, progress=3)),
            ("kind: expected 'fixed', .* got int", lambda: swath.Broadphase().set_kind(np.zeros(0, np.uint64), 3)),
            ("kind: expected 'fixed', .* got int", lambda: swath.Broadphase().set_kind(np.zeros(1, np.uint64), [3])),
            ("margin: expected one value, or a numpy array with one for each row, got list", lambda: swath.Broadphase().set_margin(np.zeros(1, np.uint64), [3.0])),
            ("touch: expected 'hit', .* got list", lambda: swath.first_time(ball, motion, ball, motion, touch=[None])),
        ]
        for message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(TypeError, f"^{message}"):
                call()

    def test_exceptions_of_an_object_are_not_replaced(self):
        class Interrupted:
            def __index__(self):
                raise KeyboardInterrupt

            __float__ = __iter__ = __index__

        none = np.zeros((0, 3), np.float32)
        for call in (
            lambda of: swath.PairFinder(threads=of),
            swath.Convex.sphere,
            lambda of: swath.bounds_over(of, none, none),
        ):
            with self.assertRaises(KeyboardInterrupt):
                call(Interrupted())

    def test_arrays_that_an_argument_changes_end_no_process(self):
        program = """if True:
            import numpy as np, swath
            rays = lambda: np.zeros((1_000_000, 3), np.float32)
            world, tree = swath.Broadphase(), swath.Bvh(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
            class Changing:
                def __init__(self, array):
                    self.array = array
                def __iter__(self):
                    self.array.resize((1, 3), refcheck=False)
                    return iter(())
                def __float__(self):
                    self.array.resize((1, 3), refcheck=False)
                    return 1.0
                def __index__(self):
                    return int(float(self))
            ball = swath.Convex.sphere(1.0)
            def first_times(a, b, of):
                of.array = np.zeros((1_000_000, 2), np.uint32)
                swath.first_times([ball], b[:1], b[:1], of.array, threads=of)
            for call in (
                lambda a, b, of: world.cast(a, b, without_kind=of),
                lambda a, b, of: world.cast(a, b, of),
                lambda a, b, of: world.nearest(a, of),
                lambda a, b, of: world.overlaps(a, b, categories=of),
                lambda a, b, of: world.insert(a, b, kind=of),
                lambda a, b, of: world.insert(a, b, margin=of),
                lambda a, b, of: tree.cast(a, b, of),
                lambda a, b, of: tree.sweep(a, b, b, mask=of),
                lambda a, b, of: tree.nearest(a, k=of),
                lambda a, b, of: swath.PairFinder().union_pairs(a, b, categories=of),
                lambda a, b, of: swath.tick(a, b, b, impacts_per_body=of),
                lambda a, b, of: swath.Bvh(a, b, masks=of),
                lambda a, b, of: swath.Mesh(a, b.view(np.uint32), threads=of),
                lambda a, b, of: swath.HeightField(a, [1.0, of]),
                lambda a, b, of: swath.Compound([ball], a, threads=of),
                lambda a, b, of: swath.cast(ball, swath.Motion(), a, b, of),
                lambda a, b, of: swath.cast(ball, swath.Motion(), a, b, threads=of),
                first_times,
            ):
                array, other = rays(), rays()
                try:
                    call(array, other, Changing(array))
                except ValueError:
                    pass
                else:
                    assert len(array) == 1, "the argument was not read"
        """
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_masked_arrays_are_errors(self):
        low, high, _ = boxes(4, 1)
        masked = np.ma.masked_array(low, np.zeros_like(low, bool))
        for call in (lambda: swath.PairFinder().union_pairs(masked, high), lambda: swath.Bvh(masked, high)):
            with self.assertRaisesRegex(ValueError, r"min: .*got an array with a mask; pass min.filled\(value\) or min.data"):
                call()
        self.assertEqual(len(swath.Bvh(masked.data, high)), 4)

    def test_types_are_those_of_the_package(self):
        import importlib.metadata

        for name in swath.__all__:
            part = getattr(swath, name)
            if isinstance(part, type):
                self.assertEqual((part.__module__, part.__qualname__), ("swath", name))
        self.assertEqual(swath.__version__, importlib.metadata.version("swath"))
