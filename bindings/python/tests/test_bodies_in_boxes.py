"""Queries of the shapes in the boxes of a hierarchy and of a broadphase, compared with loops over all bodies."""

import os
import threading
import unittest

import numpy as np
import swath
from support import F32, rotated
from test_fork import in_forked_process
from test_meshes import STILL, mixed, motions

NONE = 2**64 - 1
NAMES = ["separated", "impact", "overlapping", "unresolved"]


class Scene:
    """Bodies of all classes in a hierarchy and in a broadphase, and shapes that move among them."""

    def __init__(self, n, seed):
        random = np.random.default_rng(seed)
        self.shapes = mixed(n, seed)
        self.position = (random.random((n, 3)) * 6).astype(F32)
        self.rotation = random.standard_normal((n, 4)).astype(F32)
        still = np.zeros((n, 3), F32)
        low, high, _ = swath.bounds_over(self.shapes, self.position, still, rotation=self.rotation)
        self.bvh = swath.Bvh(low, high)
        self.world = swath.Broadphase()
        # Every second box has no body.
        self.ids = self.world.insert(np.repeat(low, 2, axis=0), np.repeat(high, 2, axis=0), kind="fixed")[1::2].copy()
        self.of_rows = swath.Bodies(self.shapes, self.position, rotation=self.rotation)
        self.of_ids = swath.Bodies(self.shapes, self.position, rotation=self.rotation, ids=self.ids)
        self.motions = [swath.Motion(at, rotation=by) for at, by in zip(self.position, self.rotation)]


class BodiesInBoxesTest(unittest.TestCase):
    def setUp(self):
        self.scene = Scene(60, 11)

    def check_ids(self, rows, ids):
        """Both objects find the same bodies."""
        expected = np.where(rows >= 0, self.scene.ids[rows], np.uint64(NONE))
        np.testing.assert_array_equal(ids, expected)

    def test_rays_enter_the_body_that_a_loop_finds(self):
        scene, random = self.scene, np.random.default_rng(12)
        origin = (random.random((300, 3)) * 6).astype(F32)
        direction = ((random.random((300, 3)) - 0.5) * 8).astype(F32)
        for most in (None, 0.5):
            row, state, fraction, normal, part = scene.bvh.cast_geometries(scene.of_rows, origin, direction, most)
            loop = [swath.cast(shape, at, origin, direction, most) for shape, at in zip(scene.shapes, scene.motions)]
            fractions = np.array([one[1] for one in loop])
            np.testing.assert_array_equal(fraction, fractions.min(0))
            for ray in np.flatnonzero(row >= 0):
                one = [column[ray] for column in loop[row[ray]]]
                self.assertEqual((state[ray], fraction[ray], part[ray]), (one[0], one[1], one[3]))
                np.testing.assert_array_equal(normal[ray], one[2])
            self.assertTrue((state[row < 0] == 0).all() and np.isinf(fraction[row < 0]).all())
            self.assertGreater((row >= 0).sum(), 40)
            self.assertGreater((row < 0).sum(), 40)
            ids, *others = scene.world.cast_geometries(scene.of_ids, origin, direction, most)
            self.check_ids(row, ids)
            for one, other in zip((state, fraction, normal, part), others):
                np.testing.assert_array_equal(one, other)

    def test_moving_shapes_touch_the_body_that_a_loop_finds(self):
        scene, shapes, columns = self.scene, mixed(80, 13), motions(80, 14, place=6.0, speed=6.0)
        columns["position"] += F32(3)
        for search in (dict(), dict(target_distance=0.1, touch="hit"), dict(window=(0.25, 0.75))):
            row, found = scene.bvh.sweep_geometries(scene.of_rows, shapes, **columns, **search)
            self.assertEqual((len(found), found.rejected), (80, []))
            for mover in range(80):
                motion = swath.Motion(**{name: column[mover] for name, column in columns.items()})
                loop = [swath.first_time(shapes[mover], motion, shape, at, **search) for shape, at in zip(scene.shapes, scene.motions)]
                touched = [one.state != "separated" for one in loop]
                self.assertEqual(row[mover] >= 0, any(touched))
                if row[mover] < 0:
                    self.assertEqual((found.state[mover], found.t[mover]), (0, search.get("window", (0, 1))[1]))
                    continue
                one = loop[row[mover]]
                self.assertEqual((NAMES[found.state[mover]], found.t[mover]), (one.state, one.t_safe))
                self.assertEqual(tuple(found.parts[mover]), (one.part_a, one.part_b))
                np.testing.assert_array_equal(found.normal[mover], one.normal)
                # It may be later than the least by rounding of the bound of a box, never earlier.
                self.assertLessEqual(one.t_safe, min(other.t_safe for other, hit in zip(loop, touched) if hit) + 1e-6)
            self.assertGreater((row >= 0).sum(), 20)
            ids, same = scene.world.sweep_geometries(scene.of_ids, shapes, **columns, **search)
            self.check_ids(row, ids)
            for name in ("state", "t", "normal", "on_a", "on_b", "closing", "depth", "parts"):
                np.testing.assert_array_equal(getattr(same, name), getattr(found, name))
        self.assertGreater((row < 0).sum(), 5)

    def test_shapes_at_rest_overlap_the_bodies_that_a_loop_finds(self):
        scene, shapes, columns = self.scene, mixed(80, 15), motions(80, 16, place=6.0)
        position, rotation, total = columns["position"] + F32(3), columns["rotation"], 0
        starts, rows = scene.bvh.overlap_geometries(scene.of_rows, shapes, position, rotation=rotation)
        of_ids, ids = scene.world.overlap_geometries(scene.of_ids, shapes, position, rotation=rotation)
        for k in range(80):
            motion = swath.Motion(position[k], rotation=rotation[k])
            loop = [row for row, (shape, at) in enumerate(zip(scene.shapes, scene.motions)) if swath.overlaps(shapes[k], motion, shape, at)]
            self.assertEqual(rows[starts[k] : starts[k + 1]].tolist(), loop)
            self.assertEqual(ids[of_ids[k] : of_ids[k + 1]].tolist(), sorted(scene.ids[loop].tolist()))
            total += len(loop)
        self.assertGreater(total, 30)

    def test_balls_touch_at_the_time_of_the_closed_form(self):
        """Goal: an answer that does not depend on other functions of the package. Method: balls, quadratic equation in float64."""
        random, n, m = np.random.default_rng(17), 200, 300
        centre, radius = (random.random((n, 3)) * 10).astype(F32), random.random(n).astype(F32) * F32(0.4) + F32(0.1)
        bvh = swath.Bvh(centre - radius[:, None] - F32(0.001), centre + radius[:, None] + F32(0.001))
        bodies = swath.Bodies([swath.Convex.sphere(of) for of in radius], centre)
        start, delta = (random.random((m, 3)) * 10).astype(F32), ((random.random((m, 3)) - 0.5) * 10).astype(F32)
        row, found = bvh.sweep_geometries(bodies, [swath.Convex.sphere(0.25)] * m, start, delta)
        offset = start[:, None].astype(np.float64) - centre[None]
        a, b = (delta.astype(np.float64) ** 2).sum(1)[:, None], (offset * delta[:, None]).sum(2)
        c = (offset**2).sum(2) - (radius[None].astype(np.float64) + 0.25) ** 2
        root = b * b - a * c
        t = np.where(root >= 0, (-b - np.sqrt(np.maximum(root, 0))) / a, np.inf)
        t = np.where(c < 0, 0, np.where((t >= 0) & (t <= 1), t, np.inf))
        first = t.min(1)
        clear = (np.abs(root) > 1e-2).all(1) & (np.abs(c) > 1e-3).all(1) & ~((first > 0.999) & (first < 1.001))
        np.testing.assert_array_equal((row >= 0)[clear], np.isfinite(first)[clear])
        hit = clear & (row >= 0)
        self.assertTrue((np.abs(found.t - first)[hit] < 1e-3).all())
        self.assertTrue((found.t <= first + 1e-6)[hit].all())
        self.assertGreater(hit.sum(), 50)
        self.assertGreater((clear & (row < 0)).sum(), 30)

    def test_filters_and_missing_bodies_are_left_out(self):
        ball, low = swath.Convex.sphere(0.5), np.array([[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0]], F32)
        world, centre = swath.Broadphase(), low + F32(0.5)
        ids = world.insert(low, low + F32(1), kind=["fixed", "sleeping", "fixed", "fixed"], categories=np.array([1, 2, 4, 8], np.uint32), owner=np.array([0, 0, 7, 0], np.uint32))
        bvh = swath.Bvh(low, low + F32(1), categories=np.array([1, 2, 4, 8], np.uint32))
        along = (np.array([[-3, 0.5, 0.5]], F32), np.array([[20, 0, 0]], F32))
        bodies = swath.Bodies([ball] * 4, centre)
        with_ids = swath.Bodies([ball] * 3, centre[1:], ids=ids[1:])
        mover = ([ball], *along)
        self.assertEqual(bvh.cast_geometries(bodies, *along, mask=6)[0].tolist(), [1])
        self.assertEqual(bvh.sweep_geometries(bodies, *mover, mask=12)[0].tolist(), [2])
        self.assertEqual(bvh.overlap_geometries(bodies, [ball] * 2, centre[:2], mask=1)[1].tolist(), [0])
        # The first box has no body.
        self.assertEqual(world.cast_geometries(with_ids, *along)[0].tolist(), [ids[1]])
        self.assertEqual(world.cast_geometries(with_ids, *along, without_kind="sleeping")[0].tolist(), [ids[2]])
        self.assertEqual(world.sweep_geometries(with_ids, *mover, without_kind="sleeping", without_owner=7)[0].tolist(), [ids[3]])
        self.assertEqual(world.overlap_geometries(with_ids, [ball], centre[:1])[1].tolist(), [])
        # A body that is elsewhere, or at an invalid position, is not found; a stale id finds nothing.
        self.assertEqual(bvh.cast_geometries(bodies.moved_to(centre + F32([0, 0, 9])), *along)[0].tolist(), [-1])
        hostile = centre.copy()
        hostile[0], hostile[1, 2] = np.nan, np.inf
        moved = bodies.moved_to(hostile, rotation=np.array([[0, 0, 0, 1]] * 2 + [[0, 0, 0, 0]] + [[0, 0, 0, 9]], F32))
        self.assertEqual([row for row, _ in moved.rejected], [0, 1, 2])
        self.assertEqual((len(moved), bodies.rejected), (4, []))
        self.assertEqual(bvh.cast_geometries(moved, *along)[0].tolist(), [3])
        world.remove(ids[1:2])
        self.assertEqual(world.cast_geometries(with_ids, *along)[0].tolist(), [ids[2]])

    def test_invalid_rows_find_nothing(self):
        scene, ball = self.scene, swath.Convex.sphere(0.5)
        hostile = np.array([[np.nan, 0, 0], [np.inf, 0, 0], [0, -np.inf, 0], [2.0**121, 0, 0], [3, 3, 3]], F32)
        away, shapes = np.full((5, 3), 5, F32), [swath.Convex.sphere(3.0)] * 5
        row, found = scene.bvh.sweep_geometries(scene.of_rows, shapes, hostile, away)
        self.assertEqual((row >= 0).tolist(), [False] * 4 + [True])
        self.assertEqual([row for row, _ in found.rejected], [0, 1, 2, 3])
        starts, rows = scene.bvh.overlap_geometries(scene.of_rows, shapes, hostile)
        self.assertEqual(starts[4], 0)
        self.assertGreater(starts[5], 0)
        row, state, fraction, _, _ = scene.bvh.cast_geometries(scene.of_rows, hostile[:4], away[:4])
        self.assertEqual((row.tolist(), state.tolist(), np.isinf(fraction).all()), ([-1] * 4, [0] * 4, True))
        empty, none = swath.Bvh(hostile[:0], hostile[:0]), swath.Bodies([], hostile[:0])
        self.assertEqual(empty.sweep_geometries(none, [ball], hostile[4:], away[4:])[0].tolist(), [-1])
        self.assertEqual(empty.overlap_geometries(none, [], hostile[:0])[0].tolist(), [0])

    def test_wrong_bodies_are_errors(self):
        scene, ball, one = self.scene, swath.Convex.sphere(0.5), np.zeros((1, 3), F32)
        ids = np.zeros(2, np.uint64)
        cases = [
            (ValueError, "bodies: those of a Bvh have no ids", lambda: scene.bvh.cast_geometries(scene.of_ids, one, one)),
            (ValueError, "bodies: those of a Broadphase need ids", lambda: scene.world.cast_geometries(scene.of_rows, one, one)),
            (ValueError, "bodies: expected one for each of 60 boxes, got 1", lambda: scene.bvh.sweep_geometries(swath.Bodies([ball], one), [ball], one, one)),
            (TypeError, "bodies: expected Bodies, got list", lambda: scene.bvh.overlap_geometries([], [ball], one)),
            (ValueError, "ids: rows 0 and 1 have the same id 0", lambda: swath.Bodies([ball] * 2, np.zeros((2, 3), F32), ids=ids)),
            (ValueError, "ids: expected 1 rows, as shapes has, got 2", lambda: swath.Bodies([ball], one, ids=ids)),
            (ValueError, "position: expected one row for each of 2 shapes, got 1", lambda: swath.Bodies([ball] * 2, one)),
            (ValueError, "position: expected one row for each of 60 shapes, got 1", lambda: scene.of_rows.moved_to(one)),
            (ValueError, "window: ", lambda: scene.bvh.sweep_geometries(scene.of_rows, [ball], one, one, window=(1, 0))),
            (ValueError, "tolerance: ", lambda: scene.bvh.sweep_geometries(scene.of_rows, [ball], one, one, tolerance=-1)),
            (TypeError, "shapes: expected a sequence of Convex", lambda: swath.Bodies([3], one)),
        ]  # fmt: skip
        for error, message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(error, f"^{message}"):
                call()

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_forked_process_is_an_error_or_has_one_thread(self):
        scene, place = self.scene, np.full((3000, 3), 3, F32)
        balls = [swath.Convex.sphere(0.5)] * 3000
        low, high, _ = swath.bounds_over(scene.shapes, scene.position, np.zeros((60, 3), F32), rotation=scene.rotation)
        two, one = swath.Bvh(low, high, threads=2), swath.Bvh(low, high, threads=1)
        pipeline = swath.Pipeline(threads=2)
        for call in (
            lambda: two.cast_geometries(scene.of_rows, place, place),
            lambda: two.sweep_geometries(scene.of_rows, balls, place, place),
            lambda: two.overlap_geometries(scene.of_rows, balls, place),
            lambda: pipeline.tick(balls, place, place),
        ):
            self.assertRegex(in_forked_process(call), "forked.*'spawn', or threads=1")
        rows = lambda: one.cast_geometries(scene.of_rows, place, place)[0].tolist()
        self.assertEqual(in_forked_process(rows), rows())

    def test_a_broadphase_takes_one_query_at_a_time_and_a_hierarchy_many(self):
        """Goal: the lock of the interpreter is released, and a busy broadphase is an error. Method: a long query in a thread."""
        scene, n = self.scene, 20_000
        place, balls = np.full((n, 3), 3, F32), [swath.Convex.sphere(1.0)] * n
        failures, done = [], threading.Event()

        def long_query():
            scene.world.sweep_geometries(scene.of_ids, balls, place, place)
            done.set()

        thread = threading.Thread(target=long_query)
        thread.start()
        while not done.is_set():
            self.assertEqual(scene.bvh.overlap_geometries(scene.of_rows, balls[:1], place[:1])[0][0], 0)
            try:
                scene.world.cast_geometries(scene.of_ids, place[:1], place[:1])
            except RuntimeError as error:
                failures.append(str(error))
        thread.join()
        self.assertGreater(len(failures), 0)
        self.assertRegex(failures[0], "another call uses this Broadphase")
