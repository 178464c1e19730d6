"""First times in a part of the tick, limits of rounds, and the contacts of all parts."""

import unittest

import numpy as np
import swath
from support import F32
from test_meshes import STILL, floor, mixed, motions

NAMES = ["separated", "impact", "overlapping", "unresolved"]


class WindowTest(unittest.TestCase):
    def test_ball_that_passes_another_is_found_only_in_windows_with_a_contact(self):
        """Goal: the state and the time in any window. Method: balls on a line, whose contact is the interval [0.1, 0.9]."""
        ball, passing = swath.Convex.sphere(0.5), swath.Motion([-1.25, 0, 0], delta=[2.5, 0, 0])
        random, counts = np.random.default_rng(1), dict.fromkeys(NAMES, 0)
        for window in np.sort(random.random((900, 2)), axis=1).tolist() + [[0.0, 1.0], [0.5, 0.5], [1.0, 1.0]]:
            found = swath.first_time(ball, passing, ball, STILL, window=window)
            start, end = np.array(window, F32)
            near, far = 0.1, 0.9
            if min(abs(np.subtract.outer([near, far], window)).flat) < 1e-3:
                continue
            counts[found.state] += 1
            if end < near or start > far:
                self.assertEqual((found.state, found.t, found.t_safe), ("separated", None, end))
            elif start < near:
                self.assertEqual(found.state, "impact")
                self.assertTrue(near - 1e-4 < found.t <= near + 1e-7, found.t)
            else:
                self.assertEqual((found.state, found.t, found.t_safe), ("overlapping", start, start))
                self.assertAlmostEqual(found.depth, 1 - abs(-1.25 + 2.5 * start), places=4)
        self.assertGreater(min(counts[name] for name in NAMES[:3]), 10)

    def test_windows_of_pairs_give_the_results_of_single_searches(self):
        """Goal: one window for all pairs, or one for each, as ``first_time`` has it. Method: random convex shapes, and shapes of all kinds."""
        random = np.random.default_rng(2)
        hulls = [swath.Convex.hull((random.random((9, 3)) - 0.5).astype(F32)) for _ in range(40)]
        pairs = random.integers(0, 40, (600, 2)).astype(np.uint32)
        windows = np.sort(random.random((600, 2)), axis=1).astype(F32)
        for shapes, window in ((hulls, windows), (hulls, (0.25, 0.5)), (mixed(40, 3), [0.25, 0.5]), (mixed(40, 3), np.array([0.125, 0.875], F32))):
            columns = motions(40, 4, place=6.0)
            # They all fly towards the origin.
            columns["delta"] = (columns["position"] * F32(-2) + columns["delta"] * F32(0.1)).astype(F32)
            found = swath.first_times(shapes, pairs=pairs, window=window, **columns)
            bodies = [swath.Motion(**{name: column[row] for name, column in columns.items()}) for row in range(40)]
            self.assertEqual(found.rejected, [])
            for row, (a, b) in enumerate(pairs):
                of_row = windows[row] if window is windows else window
                one = swath.first_time(shapes[a], bodies[a], shapes[b], bodies[b], window=of_row)
                self.assertEqual((NAMES[found.state[row]], found.t[row]), (one.state, one.t_safe))
            self.assertGreater((found.state == 1).sum(), 5)
            self.assertGreater((found.state == 0).sum(), 5)

    def test_hostile_windows_and_rounds_are_errors(self):
        ball, one = swath.Convex.sphere(0.5), np.zeros((2, 3), F32)
        pairs = np.array([[0, 1]], np.uint32)
        for window in ([-0.1, 1], [0, 1.1], [0.6, 0.5], [np.nan, 1], [0, np.nan], [-np.inf, np.inf]):
            with self.assertRaisesRegex(ValueError, "^window: "):
                swath.first_time(ball, STILL, ball, STILL, window=window)
            for of in (window, np.array([window], F32)):
                with self.assertRaisesRegex(ValueError, "^window: "):
                    swath.first_times([ball] * 2, one, one, pairs, window=of)
        windows = np.array([[0, 1]] * 2, F32)
        for error, message, change in (
            (ValueError, "window: expected one row for each of 1 pairs, got 2", dict(window=windows)),
            (ValueError, "window: expected a contiguous numpy array of float32", dict(window=windows.astype(np.float64))),
            (ValueError, "window: expected a sequence of 2 numbers", dict(window=[1, 2, 3])),
            (TypeError, "window: expected a sequence of 2 numbers, got float", dict(window=0.5)),
            (ValueError, "rounds_max: expected an integer from 1 to 4294967295, got 0", dict(rounds_max=0)),
            (ValueError, "rounds_max", dict(rounds_max=2**32)),
        ):
            with self.assertRaisesRegex(error, f"^{message}"):
                swath.first_times([ball] * 2, one, one, pairs, **change)
        with self.assertRaisesRegex(ValueError, "^window: one for each pair needs shapes that are all Convex"):
            swath.first_times([ball, floor()], one, one, pairs, window=windows[:1])

    def test_search_with_few_rounds_is_unresolved_at_a_safe_time(self):
        """Goal: a search that gives up is no hit and no miss. Method: spinning cuboids, with the rounds of a full search as reference."""
        cube, columns, unresolved = swath.Convex.cuboid([0.5, 0.3, 0.2]), motions(60, 5), 0
        bodies = [swath.Motion(**{name: column[row] for name, column in columns.items()}) for row in range(60)]
        for a, b in zip(bodies[::2], bodies[1::2]):
            full = swath.first_time(cube, a, cube, b)
            short = swath.first_time(cube, a, cube, b, rounds_max=1)
            self.assertIn(short.state, (full.state, "unresolved"))
            self.assertLessEqual(short.t_safe, full.t_safe)
            unresolved += short.state == "unresolved"
        self.assertGreater(unresolved, 5)


class EachPartTest(unittest.TestCase):
    def test_ball_that_flies_along_posts_touches_each_at_its_time(self):
        """Goal: times, parts and order. Method: closed form, posts at distances of 1 in an order of their own."""
        order = np.random.default_rng(6).permutation(9)
        place = np.zeros((9, 3), F32)
        place[:, 0] = order + 1
        posts = swath.Compound([swath.Convex.cuboid([0.125, 1, 1])] * 9, place)
        flies = swath.Motion([0, 0, 0], delta=[8, 0, 0])
        found = swath.each_part(swath.Convex.sphere(0.25), flies, posts, STILL)
        exact = (np.arange(1, 10) - 0.375) / 8
        exact = exact[exact <= 1]
        self.assertEqual(len(found), len(exact))
        np.testing.assert_array_equal(found.parts, [[0, part] for part in np.argsort(order)[: len(exact)]])
        self.assertTrue(((found.t <= exact + 1e-7) & (found.t > exact - 1e-4)).all(), found.t)
        np.testing.assert_array_equal(found.state, 1)
        np.testing.assert_allclose(found.normal, [[1, 0, 0]] * len(exact), atol=1e-6)
        np.testing.assert_allclose(found.closing, 8, rtol=1e-5)
        window = swath.each_part(swath.Convex.sphere(0.25), flies, posts, STILL, window=(0.2, 0.5))
        np.testing.assert_array_equal(window.t, found.t[(found.t >= 0.2) & (found.t <= 0.5)])

    def test_parts_are_those_that_alone_touch(self):
        """Goal: no part is missed and none is added. Method: each convex part by itself, at its place, in ``first_time``."""
        random, touched = np.random.default_rng(7), 0
        for case in range(20):
            pieces = [swath.Convex.hull((random.random((6, 3)) - 0.5).astype(F32)) for _ in range(7)]
            place = ((random.random((7, 3)) - 0.5) * 2).astype(F32)
            compound = swath.Compound(pieces, place)
            moves = swath.Motion([3, 0, 0], delta=((random.random(3) - 0.5) * 3 - [4, 0, 0]).tolist())
            body = swath.Convex.cuboid([0.2, 0.3, 0.4])
            found = swath.each_part(compound, STILL, body, moves)
            alone = [swath.first_time(piece, swath.Motion(at), body, moves) for piece, at in zip(pieces, place)]
            self.assertEqual(set(found.parts[:, 0].tolist()), {row for row, one in enumerate(alone) if one.state != "separated"})
            for part, t, state in zip(found.parts[:, 0], found.t, found.state):
                self.assertEqual(NAMES[state], alone[part].state)
                self.assertAlmostEqual(t, alone[part].t, places=3)
            self.assertTrue((np.diff(found.t) >= 0).all())
            touched += len(found)
        self.assertGreater(touched, 20)
