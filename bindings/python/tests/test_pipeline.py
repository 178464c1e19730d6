"""Impacts of bodies of all shapes in a tick, pairs between two lists, and the table of kinds."""

import unittest

import numpy as np
import swath
from support import F32, boxes
from test_meshes import floor, mixed, motions

COLUMNS = ("state", "t", "normal", "on_a", "on_b", "closing", "depth", "parts")


def impacts_of(found):
    return {tuple(pair): (int(state), float(t)) for pair, state, t in zip(found.pairs.tolist(), found.state, found.t)}


class PipelineTest(unittest.TestCase):
    def test_impacts_are_those_of_all_pairs(self):
        """Goal: no impact is missed, added or changed. Method: first times of every pair, for convex shapes and for all classes."""
        random = np.random.default_rng(21)
        hulls = [swath.Convex.hull((random.random((9, 3)) - 0.5).astype(F32)) for _ in range(60)]
        every = np.array([(a, b) for a in range(60) for b in range(a + 1, 60)], np.uint32)
        for shapes in (hulls, mixed(60, 22)):
            columns = motions(60, 23, place=6.0)
            for search in (dict(), dict(touch="hit"), dict(rounds_max=3)):
                all_pairs = swath.first_times(shapes, pairs=every, **columns, **search)
                found = swath.Pipeline(**search).tick(shapes, **columns)
                expected = {tuple(every[row].tolist()): all_pairs.state[row] for row in np.flatnonzero(all_pairs.state)}
                impacts = impacts_of(found.impacts)
                # The pipeline searches in the window in which the bounds touch.
                if "rounds_max" not in search:
                    self.assertEqual(set(impacts), set(expected))
                    self.assertEqual({pair: state for pair, (state, _) in impacts.items()}, expected)
                    times = {tuple(every[row].tolist()): all_pairs.t[row] for row in np.flatnonzero(all_pairs.state)}
                    for pair, (_, t) in impacts.items():
                        self.assertAlmostEqual(t, times[pair], delta=2e-3)
                else:
                    self.assertLessEqual({pair for pair, state in expected.items() if state != 3}, set(impacts))
                self.assertTrue((np.diff(found.impacts.t) >= 0).all())
                self.assertGreater(len(found.impacts), 30)
                self.assertEqual((len(found.sensed), len(found.slow), found.rejected), (0, 0, []))

    def test_ball_falls_on_a_floor(self):
        """Goal: all columns of an impact. Method: closed form."""
        falls = dict(position=np.array([[0, 0, 0], [2, 3, 1]], F32), delta=np.array([[0, 0, 0], [0, -5, 0]], F32))
        found = swath.Pipeline(threads=1).tick([floor(), swath.Convex.sphere(0.5)], **falls).impacts
        self.assertEqual((found.pairs.tolist(), found.state.tolist(), found.parts.tolist()), ([[0, 1]], [1], [[0, 0]]))
        self.assertTrue(0.5 - 1e-3 < found.t[0] <= 0.5 <= found.last[0])
        np.testing.assert_allclose(found.normal, [[0, 1, 0]], atol=1e-6)
        np.testing.assert_allclose(found.on_a, [[2, 0, 1]], atol=1e-3)
        np.testing.assert_allclose(found.on_b, [[2, 0, 1]], atol=1e-2)
        np.testing.assert_allclose(found.closing, [5], rtol=1e-5)
        self.assertEqual((found.depth.tolist(), len(found)), ([0.0], 1))
        early = swath.Pipeline(target_distance=0.5).tick([floor(), swath.Convex.sphere(0.5)], **falls).impacts
        self.assertTrue(0.4 - 1e-3 < early.t[0] <= 0.4)
        accel = np.array([[0, 0, 0], [0, -10, 0]], F32)
        accelerated = swath.Pipeline().tick([floor(), swath.Convex.sphere(0.5)], accel=accel, **falls).impacts
        exact = (-5 + np.sqrt(25 + 2 * 10 * 2.5)) / 10
        self.assertTrue(exact - 1e-3 < accelerated.t[0] <= exact + 1e-7)

    def test_settings_and_properties_of_bodies(self):
        """Goal: each argument has its effect. Method: a ball that flies through three gates, and one that creeps."""
        gate, ball = swath.Convex.cuboid([0.125, 1, 1]), swath.Convex.sphere(0.25)
        shapes = [gate] * 3 + [ball] * 2
        position = np.array([[1, 0, 0], [2, 0, 0], [3, 0, 0], [0, 0, 0], [4, 0, 0]], F32)
        delta = np.array([[0, 0, 0]] * 3 + [[8, 0, 0], [-1, 0, 0]], F32)
        moves = np.array([False] * 3 + [True] * 2)
        tick = lambda pipeline=swath.Pipeline(), **of: pipeline.tick(shapes, position, delta, **{"moves": moves, **of})
        pairs = lambda found: sorted(map(tuple, found.pairs.tolist()))
        self.assertEqual(pairs(tick().impacts), [(0, 3), (1, 3), (2, 3), (2, 4), (3, 4)])
        self.assertEqual(pairs(tick(swath.Pipeline(impacts_per_body=1)).impacts), [(0, 3), (1, 3), (2, 3), (3, 4)])
        sensor = np.array([True, False, False, False, False])
        found = tick(sensor=sensor)
        self.assertEqual((pairs(found.sensed), (0, 3) in pairs(found.impacts)), ([(0, 3)], False))
        slow = tick(swath.Pipeline(fast=4.0))
        self.assertEqual((slow.slow.tolist(), pairs(slow.impacts)), ([[2, 4]], [(0, 3), (1, 3), (2, 3), (3, 4)]))
        self.assertIn((2, 4), pairs(tick(swath.Pipeline(fast=4.0), ccd=np.arange(5) == 4).impacts))
        self.assertEqual(pairs(tick(categories=np.array([1, 2, 2, 3, 2], np.uint32), masks=np.array([3, 3, 3, 1, 3], np.uint32)).impacts), [(0, 3), (2, 4)])
        self.assertEqual(pairs(tick(moves=False).impacts), [])
        wall = swath.Compound([gate] * 2, np.array([[1, 0, 0], [2, 0, 0]], F32))
        both = np.array([[0, 0, 0], [8, 0, 0]], F32)
        for which, parts in (("first", [[0, 0]]), ("each", [[0, 0], [1, 0]])):
            found = swath.Pipeline(part_impacts=which).tick([wall, ball], np.zeros((2, 3), F32), both).impacts
            self.assertEqual(found.parts.tolist(), parts)

    def test_invalid_bodies_are_rejected_and_change_nothing_else(self):
        shapes, columns = mixed(40, 24), motions(40, 25, place=3.0)
        before = impacts_of(swath.Pipeline().tick(shapes, **columns).impacts)
        hostile = {name: column.copy() for name, column in columns.items()}
        hostile["position"][3, 1], hostile["delta"][7, 0], hostile["accel"][9, 2] = np.nan, np.inf, 2.0**121
        hostile["spin"][11, 0], hostile["rotation"][13] = np.nan, 0
        found = swath.Pipeline().tick(shapes, **hostile)
        rows = {3, 7, 9, 11, 13}
        self.assertEqual({row for row, _ in found.rejected}, rows)
        self.assertEqual(impacts_of(found.impacts), {pair: of for pair, of in before.items() if not rows & set(pair)})
        self.assertGreater(len(found.impacts), 10)
        nothing = swath.Pipeline().tick([], np.zeros((0, 3), F32), np.zeros((0, 3), F32))
        self.assertEqual((len(nothing.impacts), nothing.impacts.pairs.shape), (0, (0, 2)))

    def test_ticks_have_the_same_bits_on_any_number_of_threads(self):
        shapes, columns = mixed(200, 26), motions(200, 27, place=6.0)
        pipelines = [swath.Pipeline(threads=threads) for threads in (1, 2, None)]
        for _ in range(2):
            first, *others = [pipeline.tick(shapes, **columns).impacts for pipeline in pipelines]
            self.assertGreater(len(first), 100)
            for other in others:
                for name in ("pairs", "last", *COLUMNS):
                    np.testing.assert_array_equal(getattr(other, name), getattr(first, name))

    def test_wrong_settings_are_errors_that_name_them(self):
        ball, one = swath.Convex.sphere(1.0), np.zeros((1, 3), F32)
        cases = [
            (ValueError, "target_distance: ", lambda: swath.Pipeline(target_distance=np.nan)),
            (ValueError, "target_distance: ", lambda: swath.Pipeline(target_distance=-1)),
            (ValueError, "tolerance: ", lambda: swath.Pipeline(tolerance=2)),
            (ValueError, "fast: expected 0 or more, got NaN", lambda: swath.Pipeline(fast=np.nan)),
            (ValueError, "fast: expected 0 or more, got -1", lambda: swath.Pipeline(fast=-1)),
            (ValueError, "rounds_max: ", lambda: swath.Pipeline(rounds_max=0)),
            (ValueError, "touch: expected 'hit'", lambda: swath.Pipeline(touch="no")),
            (ValueError, "part_impacts: expected 'first' or 'each', got 'all'", lambda: swath.Pipeline(part_impacts="all")),
            (ValueError, "impacts_per_body: ", lambda: swath.Pipeline(impacts_per_body=-1)),
            (ValueError, "moves: expected one value for each of 1 rows, got 2", lambda: swath.Pipeline().tick([ball], one, one, moves=np.ones(2, bool))),
            (TypeError, "sensor: ", lambda: swath.Pipeline().tick([ball], one, one, sensor=3)),
            (ValueError, "accel: expected one row for each of 1 shapes, got 0", lambda: swath.Pipeline().tick([ball], one, one, accel=one[:0])),
            (TypeError, "shapes: ", lambda: swath.Pipeline().tick([None], one, one)),
        ]  # fmt: skip
        for error, message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(error, f"^{message}"):
                call()
        balls, place = [ball] * 100, np.zeros((100, 3), F32)
        limited = swath.Pipeline(pairs_max=10)
        with self.assertRaises(ValueError):
            limited.tick(balls, place, place)
        self.assertEqual(len(limited.tick(balls[:4], place[:4], place[:4]).impacts), 6)


class SweptPairsBetweenTest(unittest.TestCase):
    def test_pairs_between_lists_are_those_of_one_list(self):
        """Goal: pairs, times, filters and flags. Method: ``swept_pairs`` of both lists as one, whose pairs within a list are dropped."""
        a, b = boxes(700, 31), boxes(500, 32)
        both = [np.concatenate(columns) for columns in zip(a, b)]
        random = np.random.default_rng(33)
        categories, masks = (random.integers(0, 16, 1200).astype(np.uint32) for _ in range(2))
        moves, finder = random.random(1200) < 0.5, swath.PairFinder()
        split = lambda name, of: {f"{name}_a": of[:700], f"{name}_b": of[700:]}
        for of_both, of_lists in (
            ({}, {}),
            (dict(moves=moves), split("moves", moves)),
            (dict(categories=categories, masks=masks), {**split("categories", categories), **split("masks", masks)}),
        ):
            pairs, first = finder.swept_pairs(*both, **of_both)
            between = (pairs[:, 0] < 700) & (pairs[:, 1] >= 700)
            found, t = finder.swept_pairs_between(*a, *b, **of_lists)
            np.testing.assert_array_equal(found, pairs[between] - np.array([[0, 700]], np.uint32))
            np.testing.assert_array_equal(t, first[between])
            self.assertGreater(len(found), 50)

    def test_hostile_boxes_are_rejected(self):
        low = np.array([[0, 0, 0], [np.nan, 0, 0], [0, 0, 0]], F32)
        high, still = np.ones((3, 3), F32), np.zeros((3, 3), F32)
        high[2] = -1
        finder = swath.PairFinder()
        pairs, first = finder.swept_pairs_between(low, high, still, low, high, still)
        self.assertEqual((pairs.tolist(), first.tolist()), ([[0, 0]], [0.0]))
        self.assertEqual([row for row, _ in finder.rejected], [1, 2, 1, 2])
        with self.assertRaisesRegex(ValueError, "^delta_b: expected 3 rows, as min_b has, got 1"):
            finder.swept_pairs_between(low, high, still, low, high, still[:1])
        with self.assertRaisesRegex(ValueError, "^moves_b: expected one value for each of 3 rows, got 1"):
            finder.swept_pairs_between(low, high, still, low, high, still, moves_b=np.ones(1, bool))


class KindTableTest(unittest.TestCase):
    KINDS = ("fixed", "kinematic", "dynamic", "sleeping")

    def test_only_kinds_of_the_table_pair(self):
        """Goal: the pairs of an update. Method: boxes of all kinds in one place, and tables of every pair of kinds."""
        kinds = [kind for kind in self.KINDS for _ in range(2)]
        low, high = np.zeros((8, 3), F32), np.ones((8, 3), F32)
        names = lambda ids, pairs: {tuple(sorted(kinds[ids.tolist().index(of)] for of in pair)) for pair in pairs.tolist()}

        def pairs_of(*tables):
            world = swath.Broadphase()
            for table in tables:
                world.set_kind_table(table)
            ids = world.insert(low, high, kind=kinds)
            return names(ids, world.update()[0])

        default = {tuple(sorted(("dynamic", kind))) for kind in self.KINDS} | {("kinematic", "sleeping")}
        self.assertEqual(pairs_of(), default)
        self.assertEqual(pairs_of([], None), default)
        self.assertEqual(pairs_of([]), set())
        for a in self.KINDS:
            for b in self.KINDS:
                self.assertEqual(pairs_of([(a, b)]), {tuple(sorted((a, b)))})
        self.assertEqual(pairs_of(iter([["fixed", "dynamic"], ("kinematic", "kinematic")])), {("dynamic", "fixed"), ("kinematic", "kinematic")})

    def test_update_ends_pairs_of_kinds_that_no_longer_pair(self):
        world = swath.Broadphase()
        world.insert(np.zeros((2, 3), F32), np.ones((2, 3), F32))
        self.assertEqual(len(world.update()[0]), 1)
        world.set_kind_table([])
        self.assertEqual(len(world.update()[2]), 1)

    def test_wrong_tables_are_errors_and_change_nothing(self):
        world = swath.Broadphase()
        for error, table in ((TypeError, 3), (ValueError, ["dynamic"]), (ValueError, [("dynamic",)]), (ValueError, [("dynamic",) * 3]), (ValueError, [("dynamic", "static")]), (TypeError, [("dynamic", 3)]), (TypeError, [5])):
            with self.assertRaisesRegex(error, "^pairs: "):
                world.set_kind_table(table)
        world.insert(np.zeros((2, 3), F32), np.ones((2, 3), F32))
        self.assertEqual(len(world.update()[0]), 1)
