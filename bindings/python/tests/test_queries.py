"""Queries of a bounding volume hierarchy against every comparison."""

import unittest

import numpy as np
import swath
from support import F32, allowed, boxes, distances, entries, overlap


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
                with self.assertRaisesRegex(ValueError, "max_distance: expected"):
                    self.bvh.nearest(points, wrong)
        for limit in (0.0, -0.0, 0.5, np.inf):
            self.assertEqual(self.bvh.cast(self.low[:5], self.low[:5], limit)[0].shape, (5,))
        for wrong in (float("nan"), -1.0):
            with self.assertRaisesRegex(ValueError, "margin"):
                swath.Broadphase(threads=1).insert(self.low, self.high, margin=wrong)
            with self.assertRaisesRegex(ValueError, "within_km: expected 0 to 1000, got"):
                swath.screen_conjunctions(swath.catalogue(10), 60.0, within_km=wrong)

    def test_all_hits_of_a_ray_are_in_order(self):
        random = np.random.default_rng(17)
        origin = (random.random((300, 3), dtype=F32) * F32(3) - F32(1)).astype(F32)
        direction = (random.random((300, 3), dtype=F32) - F32(0.5)).astype(F32)
        origin[3, 0] = np.nan
        with np.errstate(divide="ignore", invalid="ignore"):
            table = entries(origin, direction, self.low, self.high)
        table[3] = np.inf
        for limit, count in [(None, 80), (2.0, 15)]:
            starts, rows, fractions = self.bvh.cast_all(origin, direction, limit)
            self.assertEqual((len(starts), rows.dtype, fractions.dtype), (301, np.uint32, F32))
            self.assertGreater(len(rows), count)
            for i in range(300):
                part = slice(starts[i], starts[i + 1])
                expected = np.flatnonzero(table[i] <= (limit or np.finfo(F32).max))
                self.assertEqual(sorted(rows[part].tolist()), expected.tolist())
                np.testing.assert_allclose(fractions[part], table[i, rows[part]], rtol=1e-5, atol=1e-6)
                self.assertTrue((np.diff(fractions[part]) >= 0).all())

    def test_moving_boxes_hit_the_first_box(self):
        """Goal: a moving box stops at the first box on its path. Method: it is a ray against boxes that are enlarged by its size."""
        random = np.random.default_rng(18)
        low = (random.random((300, 3), dtype=F32) * F32(3) - F32(1)).astype(F32)
        delta = (random.random((300, 3), dtype=F32) * F32(2) - F32(1)).astype(F32)
        size = F32(0.0625)
        row, t = self.bvh.sweep(low, low + size, delta)
        with np.errstate(divide="ignore"):
            table = entries(low, delta, self.low - size, self.high)
        expected = np.where(table <= 1.0, table, np.inf).min(1)
        np.testing.assert_allclose(t, expected, rtol=1e-5, atol=1e-6)
        self.assertTrue(((row == -1) == np.isinf(expected)).all())
        self.assertGreater((row >= 0).sum(), 20)
        low[5], delta[6] = np.inf, np.nan
        self.assertEqual(self.bvh.sweep(low, low + size, delta)[0][[5, 6]].tolist(), [-1, -1])

    def test_k_nearest_are_those_of_every_comparison(self):
        points = np.random.default_rng(19).random((100, 3), dtype=F32)
        table = np.sort(distances(points, self.low, self.high), axis=1)
        for k in (1, 5, 900):
            row, distance = self.bvh.nearest(points, k=k)
            self.assertEqual((row.shape, row.dtype), ((100, k), np.int64))
            np.testing.assert_allclose(distance[:, :800], table[:, :k], atol=1e-6)
            self.assertTrue((row[:, 800:] == -1).all() and np.isinf(distance[:, 800:]).all())
        for wrong in (0, -1, 2**64, 2**30):
            with self.assertRaisesRegex(ValueError, "k: expected an integer from 1 to"):
                self.bvh.nearest(points, k=wrong)
        with self.assertRaisesRegex(TypeError, "k: expected an integer.*got float"):
            self.bvh.nearest(points, k=1.5)

    def test_filters_exclude_boxes(self):
        random = np.random.default_rng(20)
        categories = (np.uint32(1) << random.integers(0, 32, 800, dtype=np.uint32)).astype(np.uint32)
        masks = random.integers(0, 2**32, 800, dtype=np.uint32)
        bvh = swath.Bvh(self.low, self.high, categories=categories, masks=masks)
        low, high, delta = boxes(100, 23, 0.3)
        query = dict(categories=0xF0F0_F0F0, mask=0x0FFF_0FFF)
        one = lambda x: np.array([x], np.uint32)
        may = allowed(one(query["categories"]), one(query["mask"]), categories, masks)[0]
        kept = np.flatnonzero(may)
        self.assertTrue(100 < len(kept) < 700)
        # A hierarchy of these boxes alone has the same answers, by other rows.
        alone = swath.Bvh(self.low[kept], self.high[kept])
        starts, rows = bvh.overlaps(low, high, **query)
        np.testing.assert_array_equal(rows, np.argwhere(overlap(low, high, self.low, self.high) & may[None])[:, 1])
        same = lambda rows: np.where(rows >= 0, kept[rows], -1)
        for found, expected in [
            (bvh.cast(low, delta, **query), alone.cast(low, delta)),
            (bvh.sweep(low, high, delta, **query), alone.sweep(low, high, delta)),
            (bvh.nearest(low, k=3, **query), alone.nearest(low, k=3)),
            (bvh.cast_all(low, delta, **query)[1:], alone.cast_all(low, delta)[1:]),
        ]:
            np.testing.assert_array_equal(found[0], same(expected[0].astype(np.int64)))
            np.testing.assert_array_equal(found[1], expected[1])
        with self.assertRaisesRegex(ValueError, "masks: expected one value for each of 800 rows, got 5"):
            swath.Bvh(self.low, self.high, masks=masks[:5])
