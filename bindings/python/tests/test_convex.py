"""First times and distances of convex shapes."""

import math
import unittest

import numpy as np
import swath
from support import F32, moved, rotated


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
        quaternions = random.standard_normal((n, 4)).astype(F32)
        found = swath.first_times(shapes, position, delta, pairs, rotation=quaternions, spin=spin)
        names = ["separated", "impact", "overlapping", "unresolved"]
        motion = lambda i: swath.Motion(position[i], rotation=quaternions[i], delta=delta[i], spin=spin[i])
        for k, (a, b) in enumerate(pairs):
            one = swath.first_time(shapes[a], motion(a), shapes[b], motion(b))
            self.assertEqual(names[found.state[k]], one.state)
            self.assertEqual(found.t[k], F32(one.t_safe))
            for name in ("normal", "on_a", "on_b", "closing", "depth"):
                expected = getattr(one, name)
                np.testing.assert_array_equal(getattr(found, name)[k], np.array(expected if expected is not None else 0, F32))
        self.assertEqual((len(found), found.rejected), (400, []))
        self.assertGreater((found.state == 1).sum(), 10)
        self.assertGreater((found.state == 2).sum(), 3)

    def test_rotation_at_the_start_is_that_of_the_quaternion(self):
        """Goal: a batch reads rotations, of any length. Method: a plate that is turned by a quarter about z, and a ball that flies at it."""
        plate, ball = swath.Convex.cuboid([4.0, 0.5, 4.0]), swath.Convex.sphere(0.5)
        position, delta = np.zeros((2, 3), F32), np.zeros((2, 3), F32)
        position[1, 0], delta[1, 0] = -5.0, 8.0
        pairs = np.array([[0, 1]], np.uint32)
        quarter = np.array([[0, 0, 5, 5], [0, 0, 0, 1e-20]], F32)
        # The face is at -0.5 when the plate is upright, and its edge at -4 when it lies.
        for rotation, expected in [(quarter, 4.0 / 8.0), (None, 0.5 / 8.0)]:
            found = swath.first_times([plate, ball], position, delta, pairs, rotation=rotation)
            self.assertEqual(found.state[0], 1)
            self.assertTrue(expected - 1e-3 < found.t[0] <= expected)
            np.testing.assert_allclose(found.normal[0], [-1, 0, 0], atol=1e-6)
            self.assertAlmostEqual(float(found.closing[0]), 8.0, places=3)
            self.assertAlmostEqual(float(found.on_b[0, 0]), -5.0 + 8.0 * found.t[0] + 0.5, places=3)

    def test_invalid_bodies_touch_nothing_and_are_listed(self):
        ball = swath.Convex.sphere(1.0)
        position, delta = np.zeros((4, 3), F32), np.zeros((4, 3), F32)
        rotation = np.array([[0, 0, 0, 1]] * 4, F32)
        position[1, 2], rotation[2] = np.nan, 0
        pairs = np.array([[0, 1], [0, 2], [0, 3]], np.uint32)
        found = swath.first_times([ball] * 4, position, delta, pairs, rotation=rotation)
        np.testing.assert_array_equal(found.state, [0, 0, 2])
        self.assertEqual([row for row, _ in found.rejected], [1, 2])
        self.assertRegex(found.rejected[1][1], "rotation is zero, NaN")
        low, _, _ = swath.bounds_over([ball] * 4, position, delta, rotation=rotation)
        np.testing.assert_array_equal(np.isnan(low).all(1), [False, True, True, False])
        with self.assertRaisesRegex(ValueError, "pairs: pair 1 refers to row 4"):
            swath.first_times([ball] * 4, position, delta, np.array([[0, 1], [4, 2]], np.uint32))
        with self.assertRaisesRegex(ValueError, "rotation: expected one row for each of 4 shapes, got 3"):
            swath.first_times([ball] * 4, position, delta, pairs, rotation=rotation[:3])
        with self.assertRaisesRegex(TypeError, "shapes: expected a sequence of Convex, Compound, Mesh or HeightField, got one with int in row 1"):
            swath.first_times([ball, 3], position, delta, pairs)
        for name in ("target_distance", "tolerance"):
            with self.assertRaisesRegex(ValueError, f"{name}: "):
                swath.first_times([ball] * 4, position, delta, pairs, **{name: -1.0})
        empty = swath.first_times([], position[:0], delta[:0], pairs[:0])
        self.assertEqual((len(empty), empty.normal.shape), (0, (0, 3)))

    def test_boxes_over_the_tick_contain_the_bodies_and_find_their_pairs(self):
        """Goal: each vertex is in the box of its body at each time, and a pair finder with these boxes finds each pair that touches.
        Method: hulls that rotate, spin and accelerate, their vertices at 33 times in float64, and first times of all pairs."""
        random = np.random.default_rng(5)
        n = 40
        points = [(random.random((9, 3)) - 0.5).astype(F32) for _ in range(n)]
        shapes = [swath.Convex.hull(of) for of in points]
        position = (random.random((n, 3)) * 4).astype(F32)
        delta, accel, spin = ((random.random((n, 3)) * 3 - 1.5).astype(F32) for _ in range(3))
        rotation = random.standard_normal((n, 4)).astype(F32)
        motion = dict(rotation=rotation, accel=accel, spin=spin)
        low, high, path = swath.bounds_over(shapes, position, delta, **motion)
        wide = swath.bounds_over(shapes, position, delta, margin=0.25, **motion)
        np.testing.assert_allclose(wide[0], low - 0.25, atol=1e-5)
        for k in range(n):
            for t in np.linspace(0, 1, 33):
                of = moved(points[k], t, position[k], delta[k], rotation[k], accel[k], spin[k])
                self.assertTrue((of >= low[k] + path[k] * t - 1e-5).all() and (of <= high[k] + path[k] * t + 1e-5).all())
        pairs = np.array([[a, b] for a in range(n) for b in range(a + 1, n)], np.uint32)
        found = swath.first_times(shapes, position, delta, pairs, **motion)
        touching = {tuple(pair) for pair in pairs[found.state != 0].tolist()}
        candidates = {tuple(pair) for pair in swath.PairFinder().swept_pairs(low, high, path)[0].tolist()}
        self.assertGreater(len(touching), 20)
        self.assertLessEqual(touching, candidates)
        with self.assertRaisesRegex(ValueError, "margin: expected a length"):
            swath.bounds_over(shapes, position, delta, margin=-1.0)

    def test_shapes_have_their_sizes(self):
        """Goal: each shape has the extent of its definition. Method: the box of each, without a motion."""
        convex = swath.Convex
        hull = convex.hull(np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], F32))
        shapes = [
            (convex.cylinder(2.0, 0.5), [-0.5, -2, -0.5], [0.5, 2, 0.5]),
            (convex.cone(2.0, 0.5), [-0.5, -2, -0.5], [0.5, 2, 0.5]),
            (convex.segment([0, 1, 2], [3, 0, 2]), [0, 0, 2], [3, 1, 2]),
            (convex.triangle([0, 0, 0], [2, 0, 0], [0, 0, 4]), [0, 0, 0], [2, 0, 4]),
            (convex.capsule(1.0, 0.5), [-0.5, -1.5, -0.5], [0.5, 1.5, 0.5]),
            (hull.scaled([2.0, -1.0, 0.0]), [0, -2, 0], [2, 0, 0]),
            (convex.cylinder(2.0, 0.5).scaled([2.0, 0.5, 2.0]).rounded(0.25), [-1.25, -1.25, -1.25], [1.25, 1.25, 1.25]),
        ]
        zeros = np.zeros((len(shapes), 3), F32)
        low, high, _ = swath.bounds_over([shape for shape, _, _ in shapes], zeros, zeros)
        np.testing.assert_allclose(low, np.array([of for _, of, _ in shapes], F32), atol=1e-6)
        np.testing.assert_allclose(high, np.array([of for _, _, of in shapes], F32), atol=1e-6)
        # The tip of the cone is at its top, the disc at its bottom.
        ball = convex.sphere(0.0)
        at = lambda y: swath.distance(convex.cone(2.0, 1.0), swath.Motion(), ball, swath.Motion([1.0, y, 0.0]))[0]
        self.assertLessEqual(at(-2.0), 1e-6)
        self.assertGreater(at(2.0), 0.2)
        with self.assertRaisesRegex(ValueError, "factors: a rounded shape is scaled unevenly"):
            convex.capsule(1.0, 0.5).scaled([1.0, 2.0, 1.0])

    def test_distances_and_overlaps_of_pairs_are_those_of_single_calls(self):
        """Goal: batches have the bits of single calls for any number of threads. Method: hulls and cones at random poses, all pairs."""
        random = np.random.default_rng(8)
        n = 24
        shapes = [swath.Convex.hull(random.random((8, 3), dtype=F32)) if i % 2 else swath.Convex.cone(0.5, 0.3) for i in range(n)]
        position = (random.random((n, 3), dtype=F32) * F32(2)).astype(F32)
        rotation = random.standard_normal((n, 4)).astype(F32)
        pairs = np.array([[a, b] for a in range(n) for b in range(a + 1, n)], np.uint32)
        found = swath.distances(shapes, position, pairs, rotation=rotation)
        inside = swath.overlaps_pairs(shapes, position, pairs, rotation=rotation, threads=1)
        self.assertEqual((inside.dtype, inside.shape), (bool, (len(pairs),)))
        motions = [swath.Motion(position[i], rotation=rotation[i]) for i in range(n)]
        for k, (a, b) in enumerate(pairs):
            one = swath.distance(shapes[a], motions[a], shapes[b], motions[b])
            for column, expected in zip(found, one):
                np.testing.assert_array_equal(column[k], np.array(expected, F32))
            self.assertEqual(inside[k], swath.overlaps(shapes[a], motions[a], shapes[b], motions[b]))
        self.assertTrue(10 < inside.sum() < len(pairs) - 10)
        for column, alone in zip(found, swath.distances(shapes, position, pairs, rotation=rotation, threads=2)):
            np.testing.assert_array_equal(column, alone)
        # Without rotations, and with a body that is invalid.
        position[1, 0] = np.nan
        far, normal, _, _ = swath.distances(shapes, position, pairs[:2])
        self.assertTrue(np.isposinf(far[0]) and np.isfinite(far[1]) and normal.shape == (2, 3))
        self.assertEqual(far[1], swath.distance(shapes[0], swath.Motion(position[0]), shapes[2], swath.Motion(position[2]))[0])
        self.assertFalse(swath.overlaps_pairs(shapes, position, pairs[:1])[0])

    def test_mistakes_in_distances_of_pairs_are_errors_that_name_the_argument(self):
        ball, mesh = swath.Convex.sphere(1.0), swath.Mesh(np.zeros((3, 3), F32), np.zeros((0, 3), np.uint32))
        two, pair = np.zeros((2, 3), F32), np.array([[0, 1]], np.uint32)
        for call in (swath.distances, swath.overlaps_pairs):
            with self.assertRaisesRegex(ValueError, "^position: expected one row for each of 2 shapes, got 1"):
                call([ball] * 2, two[:1], pair)
            with self.assertRaisesRegex(ValueError, "^rotation: expected one row for each of 2 shapes, got 1"):
                call([ball] * 2, two, pair, rotation=np.ones((1, 4), F32))
            with self.assertRaisesRegex(ValueError, "^pairs: pair 0 refers to row 7"):
                call([ball] * 2, two, np.array([[0, 7]], np.uint32))
            with self.assertRaisesRegex(ValueError, "^pairs: "):
                call([ball] * 2, two, pair.astype(np.int64))
        with self.assertRaisesRegex(TypeError, "shapes: expected a sequence of Convex, got one with Mesh in row 1"):
            swath.distances([ball, mesh], two, pair)
        self.assertEqual(swath.overlaps_pairs([ball, mesh], two, pair).tolist(), [False])

    def test_motion_between_two_poses_ends_at_the_second(self):
        """Goal: the rotation is the smaller one, for angles from 1e-7 to half a turn, and both signs of a quaternion. Method: rotations about
        random axes, whose angle and end are known in float64."""
        random = np.random.default_rng(9)
        for angle in [0.0, 1e-7, 1e-3, 0.5, 1.0, 2.0, 3.0, 3.14159]:
            for _ in range(20):
                axis, start = random.standard_normal(3), random.standard_normal(4)
                axis /= np.linalg.norm(axis)
                start /= np.linalg.norm(start)
                turn = np.append(axis * np.sin(angle / 2), np.cos(angle / 2))
                vector = start[3] * turn[:3] + turn[3] * start[:3] + np.cross(turn[:3], start[:3])
                end = np.append(vector, turn[3] * start[3] - turn[:3] @ start[:3])
                scale = random.choice([-3.0, 1.0, 1e-20])
                here, there = random.random(3) * 9, random.random(3) * 9
                motion = swath.Motion.between(here, start, there, end * scale)
                np.testing.assert_allclose(motion.spin, axis * angle, atol=1e-6)
                position, rotation = motion.at(1.0)
                np.testing.assert_allclose(position, there, atol=2e-6)
                np.testing.assert_allclose(abs(np.dot(rotation, end)), 1.0, atol=1e-6)
                points = np.eye(3)
                np.testing.assert_allclose(rotated(rotation, points), rotated(end, points), atol=2e-6)
        still = swath.Motion.between([1, 2, 3], [0, 0, 0, 1], [1, 2, 3], [0, 0, 0, -1])
        self.assertEqual((still.delta, still.spin), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
        with self.assertRaisesRegex(ValueError, "^rotation1: a rotation is zero"):
            swath.Motion.between([0, 0, 0], [0, 0, 0, 1], [0, 0, 0], [0, 0, 0, 0])
        with self.assertRaisesRegex(ValueError, "^position0: "):
            swath.Motion.between([np.nan, 0, 0], [0, 0, 0, 1], [0, 0, 0], [0, 0, 0, 1])

    def test_motion_has_its_numbers_and_a_pose_at_each_time(self):
        values = dict(delta=[1, 2, 3], accel=[0.5, 0, -2], spin=[0.25, 1.5, -2.0])
        motion = swath.Motion([4, 5, 6], rotation=[0, 0, 3, 4], **values)
        self.assertEqual(motion.position, (4.0, 5.0, 6.0))
        np.testing.assert_allclose(motion.rotation, [0, 0, 0.6, 0.8], atol=1e-7)
        for name, value in values.items():
            self.assertEqual(getattr(motion, name), tuple(value))
        again = eval(repr(motion), {"Motion": swath.Motion})
        self.assertEqual(repr(again), repr(motion))
        self.assertIn("delta=(1.0, 2.0, 3.0)", repr(motion))
        points = np.eye(3)
        for t in (0.0, 0.375, 1.0):
            position, rotation = motion.at(t)
            expected = moved(points, t, motion.position, rotation=motion.rotation, **values)
            np.testing.assert_allclose(rotated(rotation, points) + position, expected, atol=1e-5)
        self.assertEqual([motion.at(t) for t in (-1.0, 2.0)], [motion.at(0.0), motion.at(1.0)])
        with self.assertRaisesRegex(TypeError, "^t: expected a number, got str"):
            motion.at("0")
        with self.assertRaisesRegex(ValueError, "^rotation: a rotation is zero, .*; pass a quaternion of any other length"):
            swath.Motion(rotation=[0, 0, 0, 0])

    def test_distance_is_negative_inside(self):
        ball = swath.Convex.sphere(1.0)
        self.assertAlmostEqual(swath.distance(ball, swath.Motion([3, 0, 0]), ball, swath.Motion())[0], 1.0, places=6)
        self.assertLess(swath.distance(ball, swath.Motion([1, 0, 0]), ball, swath.Motion())[0], 0)

    def test_distance_of_a_mesh_is_that_of_its_nearest_triangle(self):
        """Goal: shapes of all classes have a distance. Method: a ball above a floor of two triangles, in both orders, and nothing."""
        corners = np.array([[-4, 0, -4], [4, 0, -4], [4, 0, 4], [-4, 0, 4]], F32)
        floor, ball = swath.Mesh(corners, np.array([[0, 2, 1], [0, 3, 2]], np.uint32)), swath.Convex.sphere(0.5)
        at, still = swath.Motion([1, 2, 0]), swath.Motion()
        found, normal, on_a, on_b = swath.distance(ball, at, floor, still)
        self.assertAlmostEqual(found, 1.5, places=6)
        self.assertEqual((normal, on_a, on_b), ((0, -1, 0), (1, 1.5, 0), (1, 0, 0)))
        self.assertEqual(swath.distance(floor, still, ball, at)[1], (0, 1, 0))
        self.assertLess(swath.distance(floor, still, ball, swath.Motion([1, 0.25, 0]))[0], 0)
        nothing = swath.Mesh(corners, np.zeros((0, 3), np.uint32))
        self.assertEqual(swath.distance(nothing, still, ball, at)[0], math.inf)

    def test_overlap_is_a_distance_that_is_not_positive(self):
        ball, cone = swath.Convex.sphere(1.0), swath.Convex.cone(2.0, 1.0)
        for x, expected in [(1.9, True), (2.0, True), (2.001, False)]:
            self.assertIs(swath.overlaps(ball, swath.Motion([x, 0, 0]), ball, swath.Motion()), expected)
        # Beside the tip of the cone there is room for the ball, and beside its disc there is none.
        for y, expected in [(2.0, False), (-2.0, True)]:
            self.assertIs(swath.overlaps(cone, swath.Motion(), ball, swath.Motion([1.5, y, 0.0])), expected)
        with self.assertRaises(TypeError):
            swath.overlaps(ball, ball, ball, swath.Motion())

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
