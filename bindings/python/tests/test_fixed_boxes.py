"""Boxes that do not move, their pairs with moving boxes, and queries."""

import os
import unittest

import numpy as np
import swath
from support import F32, allowed, boxes, overlap
from test_fork import in_forked_process


class FixedBoxesTest(unittest.TestCase):
    def setUp(self):
        self.low, self.high, _ = boxes(900, 51)
        self.movers = boxes(400, 52)

    def test_union_pairs_are_those_of_brute_force_after_any_changes(self):
        """Goal: pairs, filters and flags. Method: a table in numpy, after each of many random changes."""
        random, fixed = np.random.default_rng(53), swath.FixedBoxes()
        low, high, delta = self.movers
        start, end = np.minimum(low, low + delta), np.maximum(high, high + delta)
        of_fixed = [random.integers(0, 16, 900).astype(np.uint32) for _ in range(2)]
        of_movers = [random.integers(0, 16, 400).astype(np.uint32) for _ in range(2)]
        moves, exists, place = random.random(400) < 0.7, np.zeros(900, bool), self.low.copy()
        self.assertEqual(fixed.extend(self.low[:300], self.high[:300], categories=of_fixed[0][:300], masks=of_fixed[1][:300]).tolist(), list(range(300)))
        exists[:300] = True
        for change in range(12):
            rows = random.permutation(900)[:200].astype(np.uint32)
            if change % 3 == 2:
                rows = rows[exists[rows]]
                fixed.remove(rows)
                exists[rows] = False
            else:
                place[rows] = (place[rows] + (random.random((len(rows), 3), dtype=F32) - F32(0.5)) * F32(0.3 * (change % 2))).astype(F32)
                fixed.put(rows, place[rows], place[rows] + (self.high - self.low)[rows], categories=of_fixed[0][rows], masks=of_fixed[1][rows])
                exists[rows] = True
            self.assertEqual(len(fixed), exists.sum())
            table = overlap(start, end, place, (place + (self.high - self.low)).astype(F32)) & exists[None]
            restricted = table & allowed(*of_movers, *of_fixed) & moves[:, None]
            found = fixed.union_pairs(low, high, delta, moves=moves, categories=of_movers[0], masks=of_movers[1])
            # The bounds of a path are rounded outwards.
            near = overlap(start - F32(1e-6), end + F32(1e-6), place, place + (self.high - self.low)) & exists[None] & allowed(*of_movers, *of_fixed) & moves[:, None]
            found_table = np.zeros_like(table)
            found_table[found[:, 0], found[:, 1]] = True
            self.assertTrue((found_table | ~restricted).all() and (near | ~found_table).all())
            self.assertEqual(found.tolist(), sorted(found.tolist()))
            self.assertEqual(len(found), found_table.sum())
            self.assertGreater(len(found), 10)

    def test_swept_pairs_are_those_between_two_lists(self):
        fixed, finder = swath.FixedBoxes(threads=2), swath.PairFinder()
        fixed.extend(self.low, self.high)
        low, high, delta = self.movers
        pairs, first = fixed.swept_pairs(low, high, delta)
        expected, times = finder.swept_pairs_between(low, high, delta, self.low, self.high, np.zeros_like(self.low))
        np.testing.assert_array_equal(pairs, expected)
        np.testing.assert_array_equal(first, times)
        self.assertGreater(len(pairs), 100)
        np.testing.assert_array_equal(fixed.union_pairs(low, high), finder.union_pairs_between(low, high, self.low, self.high))

    def test_queries_are_those_of_a_hierarchy(self):
        filters = dict(categories=np.arange(900, dtype=np.uint32) % 7, masks=np.arange(900, dtype=np.uint32) % 5)
        fixed, bvh = swath.FixedBoxes(), swath.Bvh(self.low, self.high, **filters)
        fixed.extend(self.low, self.high, **filters)
        low, high, delta = self.movers
        for query in (dict(), dict(categories=3, mask=5)):
            for one, other in (
                (fixed.cast(low, delta, 5.0, **query), bvh.cast(low, delta, 5.0, **query)),
                (fixed.sweep(low, high, delta, **query), bvh.sweep(low, high, delta, **query)),
                (fixed.overlaps(low, high, **query), bvh.overlaps(low, high, **query)),
                (fixed.nearest(low, 0.5, **query), bvh.nearest(low, 0.5, **query)),
                (fixed.nearest(low, k=3, **query), bvh.nearest(low, k=3, **query)),
            ):
                for a, b in zip(one, other):
                    np.testing.assert_array_equal(a, b)
                self.assertGreater((one[0] >= 0).sum(), 0)

    def test_filters_and_rows_can_be_changed(self):
        fixed, one, every = swath.FixedBoxes(), np.ones((1, 3), F32), np.arange(3, dtype=np.uint32)
        fixed.put(every * 2, np.repeat(one * 0, 3, axis=0), np.repeat(one, 3, axis=0))
        rows_of = lambda **query: fixed.union_pairs(one * 0, one, **query)[:, 1].tolist()
        self.assertEqual((len(fixed), rows_of()), (3, [0, 2, 4]))
        fixed.set_filters(every[:2] * 2, np.array([1, 2], np.uint32), 4)
        self.assertEqual((rows_of(categories=4, masks=1), rows_of(categories=8)), ([0, 4], [4]))
        fixed.put(every[:1], one * 0, one)
        self.assertEqual(rows_of(categories=8), [0, 4])
        self.assertEqual(fixed.extend(one * 0, one).tolist(), [5])
        fixed.clear()
        self.assertEqual((len(fixed), rows_of(), fixed.extend(one * 0, one).tolist()), (0, [], [0]))

    def test_hostile_boxes_are_rejected_and_change_nothing(self):
        fixed = swath.FixedBoxes(threads=1)
        low = np.array([[0, 0, 0], [np.nan, 0, 0], [0, 0, 0], [-np.inf, 0, 0], [0, 2.0**121, 0]], F32)
        high = low + F32(1)
        high[2, 1] = -1
        self.assertEqual(fixed.extend(low, high).tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(([row for row, _ in fixed.rejected], len(fixed)), ([1, 2, 3, 4], 1))
        fixed.put(np.zeros(4, np.uint32), low[1:], high[1:])
        self.assertEqual(([row for row, _ in fixed.rejected], len(fixed)), ([0, 1, 2, 3], 1))
        pairs, _ = fixed.swept_pairs(low, high, np.zeros_like(low))
        self.assertEqual((pairs.tolist(), [row for row, _ in fixed.rejected]), ([[0, 0]], [1, 2, 3, 4]))
        numbers, one = np.array([0, 3], np.uint32), np.ones((1, 3), F32)
        for call in (fixed.remove, fixed.set_filters):
            with self.assertRaisesRegex(ValueError, "^rows: element 1 of the list is for row 3, in which there is no box"):
                call(numbers)
        self.assertEqual(len(fixed), 1)
        for message, call in (
            ("rows: expected 1 rows, as min has, got 2", lambda: fixed.put(numbers, one, one)),
            ("rows: element 0 of the list is for row 134217728; rows must be below", lambda: fixed.put(np.array([2**27], np.uint32), one, one)),
            ("rows: expected a contiguous numpy array of uint32", lambda: fixed.remove(numbers.astype(np.int64))),
            ("categories: expected one value for each of 1 rows, got 2", lambda: fixed.extend(one, one, categories=numbers)),
            ("moves: expected one value for each of 1 rows, got 2", lambda: fixed.union_pairs(one, one, moves=np.ones(2, bool))),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, f"^{message}"):
                call()
        limited = swath.FixedBoxes(pairs_max=2)
        limited.extend(np.zeros((3, 3), F32), np.ones((3, 3), F32))
        with self.assertRaises(ValueError):
            limited.union_pairs(one, one)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_threads_of_the_parent_are_errors_in_a_forked_process(self):
        low, high, delta = self.movers
        shared, alone = swath.FixedBoxes(threads=2), swath.FixedBoxes(threads=1)
        for fixed in (shared, alone):
            fixed.extend(self.low, self.high)
        for call in (
            lambda: shared.extend(low, high),
            lambda: shared.put(np.arange(400, dtype=np.uint32), low, high),
            lambda: shared.remove(np.arange(400, dtype=np.uint32)),
            lambda: shared.swept_pairs(low, high, delta),
            lambda: shared.nearest(low),
        ):
            self.assertRegex(in_forked_process(call), "forked.*'spawn', or threads=1")
        pairs = lambda: alone.union_pairs(low, high, delta).tolist()
        self.assertEqual(in_forked_process(pairs), pairs())
