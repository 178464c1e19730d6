"""Impacts of a tick."""

import unittest

import numpy as np
import swath
from support import F32, boxes


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

    def test_touch_decides_about_surfaces_that_touch_at_the_start(self):
        """Goal: boxes that slide along each other have an impact only with "hit", and those that overlap always have one."""
        low = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [20, 0, 0], [20.5, 0, 0]], F32)
        delta = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], F32)
        impacts = lambda **touch: {tuple(pair) for pair in swath.tick(low, low + F32(1), delta, **touch)[0].tolist()}
        swept = {tuple(pair) for pair in swath.PairFinder().swept_pairs(low, low + F32(1), delta)[0].tolist()}
        self.assertEqual(swept, {(0, 1), (0, 2), (1, 2), (3, 4)})
        self.assertEqual(impacts(touch="hit"), swept)
        self.assertEqual(impacts(), impacts(touch="if_closing"))
        self.assertLess(impacts(), swept)
        self.assertIn((3, 4), impacts(touch="ignore"))
        with self.assertRaisesRegex(ValueError, "touch: expected 'hit', 'if_closing' or 'ignore', got 'no'"):
            impacts(touch="no")
