"""Queries of a broadphase against every comparison."""

import unittest

import numpy as np
import swath
from support import F32, allowed, boxes, distances, entries, overlap

NO_ID = 2**64 - 1
KINDS = np.array(["fixed", "kinematic", "dynamic", "sleeping"])


class BroadphaseQueriesTest(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(51)
        self.random = random
        self.low, self.high, self.delta = boxes(600, 52, 0.15)
        self.kind = random.choice(KINDS, 600)
        self.owner = random.integers(0, 5, 600, dtype=np.uint32)
        self.enabled = random.random(600) < 0.9
        self.categories = (np.uint32(1) << random.integers(0, 32, 600, dtype=np.uint32)).astype(np.uint32)
        self.masks = random.integers(0, 2**32, 600, dtype=np.uint32)
        self.world = swath.Broadphase()
        self.ids = self.world.insert(
            self.low, self.high, self.delta, kind=self.kind, owner=self.owner, enabled=self.enabled,
            categories=self.categories, masks=self.masks, margin=random.choice([0.0, 0.1], 600).astype(F32),
        )  # fmt: skip

    def conditions(self):
        """Arguments of queries, and the rows that they consider."""
        one = lambda x: np.array([x], np.uint32)
        may = allowed(one(0x00F0_F0F0), one(0xFFFF), self.categories, self.masks)[0]
        self.assertTrue(50 < may.sum() < 550)
        return [
            ({}, self.enabled),
            ({"categories": 0x00F0_F0F0, "mask": 0xFFFF}, self.enabled & may),
            ({"without_owner": 3}, self.enabled & (self.owner != 3)),
            ({"without_kind": "fixed"}, self.enabled & (self.kind != "fixed")),
            ({"without_kind": ["dynamic", "sleeping"], "without_owner": np.uint32(1)},
             self.enabled & np.isin(self.kind, KINDS[:2]) & (self.owner != 1)),
        ]  # fmt: skip

    def compare_nearest(self, found, table, count):
        """Compares the first of each row of a table of values with ids and values that were found, several or one for each row."""
        ids, values = (column.reshape(len(table), -1) for column in found)
        order = np.argsort(table, axis=1, kind="stable")[:, : ids.shape[1]]
        expected = np.take_along_axis(table, order, 1)
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
        misses = np.isinf(expected)
        self.assertTrue(((ids == NO_ID) == misses).all())
        rows = {int(id): row for row, id in enumerate(self.ids)}
        hits = [(i, rows[int(id)], value) for i, line in enumerate(ids) for id, value in zip(line, values[i]) if id != NO_ID]
        for i, row, value in hits:
            self.assertAlmostEqual(table[i, row], float(value), places=5)
        self.assertGreater(len(hits), count)

    def test_casts_hit_the_first_box(self):
        random = self.random
        origin = (random.random((200, 3), dtype=F32) * F32(3) - F32(1)).astype(F32)
        direction = (random.random((200, 3), dtype=F32) - F32(0.5)).astype(F32)
        for arguments, rows in self.conditions():
            with np.errstate(divide="ignore"):
                table = np.where(rows[None], entries(origin, direction, self.low, self.high), np.inf)
            self.compare_nearest(self.world.cast(origin, direction, **arguments), table, 5)
        near = np.where(table <= 1.0, table, np.inf)
        self.compare_nearest(self.world.cast(origin, direction, 1.0, **arguments), near, 0)

    def test_sweeps_hit_the_first_box(self):
        """Goal: a moving box stops at the first box on its path. Method: it is a ray against boxes that are enlarged by its size."""
        random = self.random
        low = (random.random((200, 3), dtype=F32) * F32(3) - F32(1)).astype(F32)
        size = F32(0.0625)
        delta = (random.random((200, 3), dtype=F32) * F32(2) - F32(1)).astype(F32)
        for arguments, rows in self.conditions():
            with np.errstate(divide="ignore"):
                table = entries(low, delta, self.low - size, self.high)
            table = np.where(rows[None] & (table <= 1.0), table, np.inf)
            self.compare_nearest(self.world.sweep(low, low + size, delta, **arguments), table, 5)

    def test_overlaps_are_those_of_every_comparison(self):
        low, high, _ = boxes(150, 53, 0.3)
        for arguments, rows in self.conditions():
            starts, ids = self.world.overlaps(low, high, **arguments)
            table = overlap(low, high, self.low, self.high) & rows[None]
            self.assertGreater(table.sum(), 20)
            self.assertEqual((starts.dtype, ids.dtype, starts[-1]), (np.int64, np.uint64, len(ids)))
            for i in range(150):
                np.testing.assert_array_equal(ids[starts[i] : starts[i + 1]], self.ids[table[i]])

    def test_nearest_boxes_are_those_of_every_comparison(self):
        points = self.random.random((150, 3), dtype=F32)
        for arguments, rows in self.conditions():
            table = np.where(rows[None], distances(points, self.low, self.high), np.inf)
            self.compare_nearest(self.world.nearest(points, **arguments), table, 100)
            found = self.world.nearest(points, k=7, **arguments)
            self.assertEqual(found[0].shape, (150, 7))
            self.compare_nearest(found, table, 1000)
            near = np.where(table <= 0.05, table, np.inf)
            self.compare_nearest(self.world.nearest(points, 0.05, k=7, **arguments), near, 5)

    def test_queries_see_changes_before_an_update(self):
        point = np.array([[50, 50, 50]], F32)
        one = self.world.insert(point, point, kind="sleeping")
        self.assertEqual(self.world.nearest(point)[0].tolist(), one.tolist())
        self.world.remove(one)
        self.assertNotEqual(self.world.nearest(point)[0].tolist(), one.tolist())

    def test_hostile_arguments(self):
        world, low, high = self.world, self.low[:4].copy(), self.high[:4].copy()
        low[1], high[2] = np.nan, -np.inf
        self.assertEqual([int(id) == NO_ID for id in world.nearest(low)[0]], [False, True, False, False])
        self.assertEqual(int(world.cast(low, low)[0][1]), NO_ID)
        starts, _ = world.overlaps(low, high)
        self.assertEqual(np.diff(starts)[[1, 2]].tolist(), [0, 0])
        self.assertEqual(world.sweep(low, high, low)[0][[1, 2]].tolist(), [NO_ID] * 2)
        none = low[:0]
        self.assertEqual([len(part) for part in world.cast(none, none)], [0, 0])
        self.assertEqual([part.shape for part in world.nearest(none, k=3)], [(0, 3)] * 2)
        self.assertEqual([len(part) for part in world.overlaps(none, none)], [1, 0])
        for wrong in (float("nan"), -1.0):
            with self.assertRaisesRegex(ValueError, "max_fraction: expected"):
                world.cast(low, low, wrong)
            with self.assertRaisesRegex(ValueError, "max_distance: expected"):
                world.nearest(low, wrong)
        for wrong in (0, -1, 2**40):
            with self.assertRaisesRegex(ValueError, "k: expected an integer from 1 to"):
                world.nearest(low, k=wrong)
        with self.assertRaisesRegex(ValueError, "direction: expected 4 rows, as origin has, got 1"):
            world.cast(low, low[:1])
        with self.assertRaisesRegex(ValueError, "delta: expected 4 rows, as min has, got 1"):
            world.sweep(low, low, low[:1])
        with self.assertRaisesRegex(ValueError, "mask: expected an integer from 0 to 4294967295, got -1"):
            world.cast(low, low, mask=-1)
        with self.assertRaisesRegex(ValueError, "without_kind: expected 'fixed', .*got 'static'"):
            world.overlaps(low, low, without_kind=["fixed", "static"])
        with self.assertRaisesRegex(TypeError, "without_owner: expected an integer.*got list"):
            world.overlaps(low, low, without_owner=[1, 2])
        with self.assertRaisesRegex(ValueError, "points: .*ascontiguousarray"):
            world.nearest(low[::2])
