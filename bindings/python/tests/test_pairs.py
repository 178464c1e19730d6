"""Pairs of moving boxes against every comparison."""

import threading
import unittest

import numpy as np
import swath
from support import F32, allowed, boxes, overlap


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

    def test_filters_and_flags_exclude_pairs(self):
        """Goal: pairs are those that overlap and that categories, masks and flags allow. Method: every comparison, with categories in
        all of the 32 bits, for one list, two lists and the pairs of a tick."""
        low, high, delta = boxes(700, 14, 0.2)
        random = np.random.default_rng(15)
        categories = (np.uint32(1) << random.integers(0, 32, 700, dtype=np.uint32)).astype(np.uint32)
        masks = random.integers(0, 2**32, 700, dtype=np.uint32)
        moves = random.random(700) < 0.5
        finder = swath.PairFinder()
        touch = np.triu(overlap(low, high, low, high), 1)
        may = allowed(categories, masks, categories, masks)
        expected = np.argwhere(touch & may)
        self.assertGreater(len(expected), 50)
        self.assertLess(len(expected), touch.sum() / 2)
        np.testing.assert_array_equal(finder.union_pairs(low, high, categories=categories, masks=masks), expected)
        expected = np.argwhere(touch & (moves[:, None] | moves[None]))
        np.testing.assert_array_equal(finder.union_pairs(low, high, moves=moves), expected)
        all_of_them, first = finder.swept_pairs(low, high, delta)
        a, b = all_of_them.T
        kept = may[a, b] & (moves[a] | moves[b])
        found, times = finder.swept_pairs(low, high, delta, moves=moves, categories=categories, masks=masks)
        np.testing.assert_array_equal(found, all_of_them[kept])
        np.testing.assert_array_equal(times, first[kept])
        half = 350
        parts = slice(None, half), slice(half, None)
        one, other = ([np.ascontiguousarray(column[part]) for column in (low, high, categories, masks)] for part in parts)
        expected = np.argwhere(overlap(*one[:2], *other[:2]) & allowed(*one[2:], *other[2:]))
        found = finder.union_pairs_between(
            *one[:2], *other[:2], categories_a=one[2], masks_a=one[3], categories_b=other[2], masks_b=other[3]
        )
        self.assertGreater(len(expected), 20)
        np.testing.assert_array_equal(found, expected)
        # One value counts for all rows; without a common bit there is no pair.
        np.testing.assert_array_equal(finder.union_pairs(low, high, categories=6, masks=4), np.argwhere(touch))
        self.assertEqual(len(finder.union_pairs(low, high, categories=2, masks=4)), 0)

    def test_flags_may_be_made_of_other_bytes(self):
        low, high, _ = boxes(3, 16)
        low[:], high[:] = 0, 1
        moves = np.array([0, 7, 0], np.uint8).view(np.bool_)
        np.testing.assert_array_equal(swath.PairFinder().union_pairs(low, high, moves=moves), [[0, 1], [1, 2]])

    def test_a_second_call_at_the_same_time_is_an_error(self):
        """Goal: two threads that use one object get an error that states what to do, and each result is complete. Method: two threads
        call until one of them gets the error."""
        low, high, delta = boxes(20_000, 17)
        finder = swath.PairFinder(threads=1)
        expected = len(finder.swept_pairs(low, high, delta)[0])
        errors, wrong, ended = [], [], threading.Event()

        def work():
            for _ in range(2000):
                if ended.is_set():
                    break
                try:
                    if len(finder.swept_pairs(low, high, delta)[0]) != expected:
                        wrong.append(1)
                except RuntimeError as error:
                    errors.append(str(error))
                    ended.set()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertIn("another call uses this PairFinder; use one object for each thread, or a lock", errors)
        self.assertEqual(len(finder.swept_pairs(low, high, delta)[0]), expected)
