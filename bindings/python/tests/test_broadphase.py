"""Pairs of boxes under ids, and their events."""

import threading
import unittest

import numpy as np
import swath
from support import F32, allowed, boxes, overlap


class BroadphaseTest(unittest.TestCase):
    def test_events_are_the_differences_of_the_pairs(self):
        low, high, delta = boxes(800, 31, 0.1)
        world = swath.Broadphase()
        ids = world.insert(low, high, delta)
        self.assertEqual((ids.dtype, len(world), len(set(ids.tolist()))), (np.uint64, 800, 800))
        row = {int(id): k for k, id in enumerate(ids)}
        pairs = lambda found: {(row[a], row[b]) for a, b in found.tolist()}
        before = set()
        for _ in range(3):
            begun, first, ended = world.update()
            touching, times = world.touching()
            swept = swath.PairFinder().swept_pairs(low, high, delta)
            now = {tuple(pair) for pair in swept[0].tolist()}
            self.assertGreater(len(now), 100)
            self.assertEqual(pairs(touching), now)
            self.assertEqual((pairs(begun), pairs(ended)), (now - before, before - now))
            by_pair = dict(zip(map(tuple, swept[0].tolist()), swept[1].tolist()))
            for (a, b), t in zip(touching.tolist(), times.tolist()):
                self.assertEqual(by_pair[row[a], row[b]], t)
            self.assertEqual(len(first), len(begun))
            low, high, before = low + delta, high + delta, now
            world.set(ids, low, high, delta)

    def test_fixed_boxes_do_not_pair_and_stale_ids_are_errors(self):
        low, high, _ = boxes(300, 32, 0.3)
        world = swath.Broadphase(threads=1)
        ids = world.insert(low, high, kind="fixed")
        self.assertEqual(len(world.update()[0]), 0)
        world.set_kind(ids[:1], "dynamic")
        self.assertGreater(len(world.update()[0]), 0)
        world.remove(ids[:1])
        begun, _, ended = world.update()
        self.assertEqual(len(begun), 0)
        self.assertTrue((ended[:, 0] == ids[0]).all() and len(ended) > 0)
        with self.assertRaisesRegex(ValueError, "it was removed"):
            world.remove(ids[:1])
        with self.assertRaisesRegex(ValueError, "kind: expected"):
            world.set_kind(ids[1:2], "static")
        with self.assertRaisesRegex(ValueError, "ids: .*uint64"):
            world.remove(ids.astype(np.int64))
        bad = low.copy()
        bad[3] = np.nan
        self.assertEqual(world.insert(bad, high)[3], 2**64 - 1)
        self.assertEqual([row for row, _ in world.rejected], [3])

    def test_displacement_alone_keeps_the_boxes(self):
        low, high, delta = boxes(400, 33, 0.2)
        world, both = swath.Broadphase(threads=1), swath.Broadphase(threads=1)
        ids = world.insert(low, high)
        both.insert(low, high)
        world.set_delta(ids, delta)
        both.set(ids, low, high, delta)
        for found, wanted in zip(world.update(), both.update()):
            self.assertEqual(found.tolist(), wanted.tolist())
        bad = delta.copy()
        bad[7] = np.nan
        world.set_delta(ids, bad)
        self.assertEqual([row for row, _ in world.rejected], [7])
        with self.assertRaisesRegex(ValueError, "delta"):
            world.set_delta(ids[:3], delta[:2])
        world.remove(ids[:1])
        with self.assertRaisesRegex(ValueError, "it was removed"):
            world.set_delta(ids, delta)

    def test_id_of_the_first_box_is_zero(self):
        low, high, _ = boxes(3, 1)
        world = swath.Broadphase()
        self.assertEqual(world.insert(low, high)[0], 0)
        self.assertFalse(world.contains(np.array([2**64 - 1], np.uint64))[0])

    def test_one_call_inserts_rows_of_all_kinds(self):
        """Goal: columns of descriptions have the effect of one call for each row. Method: the pairs of both, and columns that are read back."""
        low, high, delta = boxes(300, 33, 0.2)
        random = np.random.default_rng(34)
        kind = random.choice(["fixed", "kinematic", "dynamic", "sleeping"], 300)
        columns = dict(
            margin=random.choice([0.0, 0.05], 300).astype(F32),
            categories=(np.uint32(1) << random.integers(0, 32, 300, dtype=np.uint32)).astype(np.uint32),
            masks=random.integers(0, 2**32, 300, dtype=np.uint32) | np.uint32(7),
            owner=random.integers(0, 40, 300, dtype=np.uint32),
            enabled=random.random(300) < 0.9,
            user=random.integers(0, 2**64, 300, dtype=np.uint64),
        )
        at_once, one_by_one = swath.Broadphase(), swath.Broadphase()
        ids = at_once.insert(low, high, delta, kind=kind, **columns)
        for row in range(300):
            part = slice(row, row + 1)
            of_row = {name: column[row] for name, column in columns.items()}
            one_by_one.insert(low[part], high[part], delta[part], kind=str(kind[row]), **of_row)
        for a, b in zip(at_once.update(), one_by_one.update()):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(at_once.pairs(), one_by_one.pairs())
        self.assertGreater(len(at_once.pairs()), 20)
        np.testing.assert_array_equal(at_once.user(ids), columns["user"])
        np.testing.assert_array_equal(at_once.ids(), ids)
        moves = np.isin(kind, ["kinematic", "dynamic"])
        for found, expected in zip(at_once.boxes(ids), (low, high, np.where(moves[:, None], delta, 0))):
            np.testing.assert_array_equal(found, expected)
        # A list of names is as good as an array.
        self.assertEqual(len(swath.Broadphase().insert(low[:2], high[:2], kind=["fixed", "dynamic"])), 2)
        self.assertEqual(len(swath.Broadphase().insert(low[:0], high[:0], kind=[], user=columns["user"][:0])), 0)

    def test_filters_owners_and_flags_decide_about_pairs(self):
        """Goal: pairs are those that overlap and that filters, owners and flags allow. Method: every comparison, after an insertion and
        after changes."""
        low, high, _ = boxes(400, 35, 0.4)
        random = np.random.default_rng(36)

        def draw():
            return dict(
                categories=random.integers(0, 2**32, 400, dtype=np.uint32) & random.integers(0, 2**32, 400, dtype=np.uint32),
                masks=(np.uint32(1) << random.integers(0, 32, 400, dtype=np.uint32)).astype(np.uint32),
                owner=random.integers(0, 20, 400, dtype=np.uint32),
                enabled=random.random(400) < 0.8,
            )

        def expected(of):
            same = (of["owner"][:, None] == of["owner"][None]) & (of["owner"] != 0)[None]
            both = of["enabled"][:, None] & of["enabled"][None]
            may = allowed(of["categories"], of["masks"], of["categories"], of["masks"]) & ~same & both
            return np.argwhere(np.triu(overlap(low, high, low, high) & may, 1))

        of = draw()
        world = swath.Broadphase()
        ids = world.insert(low, high, **of)
        before = set()
        for _ in range(3):
            begun, _, ended = world.update()
            rows = expected(of)
            self.assertGreater(len(rows), 20)
            np.testing.assert_array_equal(world.pairs(), ids[rows])
            now = {tuple(pair) for pair in ids[rows].tolist()}
            self.assertEqual({tuple(pair) for pair in begun.tolist()}, now - before)
            self.assertEqual({tuple(pair) for pair in ended.tolist()}, before - now)
            for row in (0, 7):
                np.testing.assert_array_equal(world.pairs(ids[row]), ids[rows[(rows == row).any(1)]])
            of, before = draw(), now
            world.set_filter(ids, of["categories"], of["masks"])
            world.set_owner(ids, of["owner"])
            world.set_enabled(ids, of["enabled"])
        world.set_enabled(ids, False)
        world.update()
        self.assertEqual(len(world.pairs()), 0)

    def test_margins_reach_as_far_as_they_are_long(self):
        low = np.array([[0, 0, 0], [1.5, 0, 0]], F32)
        world = swath.Broadphase()
        ids = world.insert(low, low + F32(1))
        self.assertEqual(len(world.update()[0]), 0)
        world.set_margin(ids, np.array([0.2, 0.25], F32))
        self.assertEqual(len(world.update()[0]), 0)
        world.set_margin(ids[:1], 0.3)
        self.assertEqual(len(world.update()[0]), 1)
        for wrong in (-1.0, float("nan"), 1e300, np.array([0.0, np.inf], F32)):
            with self.assertRaisesRegex(ValueError, "margin: .*a margin is negative, NaN or beyond"):
                world.set_margin(ids, wrong)
        # A fat box that would reach too far is rejected.
        far = np.full((1, 3), 1.3e36, F32)
        lonely = world.insert(far, far)
        world.set_margin(lonely, 1e36)
        self.assertEqual([row for row, _ in world.rejected], [0])

    def test_resting_pairs_stay_only_if_they_touch_at_the_start(self):
        """Goal: two boxes that become fixed keep their pair if they touch at the start of the tick, and lose it if only their paths do.
        Of boxes with margins, the fat boxes count, which contain the paths."""
        low = np.array([[0, 0, 0], [0.5, 0, 0], [5, 0, 0], [8, 0, 0]], F32)
        delta = np.array([[0, 0, 0], [0, 0, 0], [3, 0, 0], [0, 0, 0]], F32)
        world = swath.Broadphase()
        ids = world.insert(low, low + F32(1), delta)
        self.assertEqual(len(world.update()[0]), 2)
        world.set_kind(ids, ["fixed", "sleeping", "fixed", "fixed"])
        begun, _, ended = world.update()
        self.assertEqual((begun.tolist(), ended.tolist()), ([], [ids[2:].tolist()]))
        self.assertEqual((world.touching()[0].tolist(), world.pairs().tolist()), ([], [ids[:2].tolist()]))
        np.testing.assert_array_equal(world.boxes(ids)[2], np.zeros((4, 3), F32))
        world.clear()
        ids = world.insert(low, low + F32(1), delta, margin=0.125)
        self.assertEqual(len(world.update()[0]), 2)
        world.set_kind(ids, "fixed")
        self.assertEqual([len(part) for part in world.update()], [0, 0, 0])
        self.assertEqual(len(world.pairs()), 2)

    def test_ids_exist_until_their_boxes_are_removed(self):
        low, high, delta = boxes(50, 37)
        world = swath.Broadphase()
        ids = world.insert(low, high, delta, user=np.arange(50, dtype=np.uint64))
        world.update()
        world.remove(ids[::2].copy())
        np.testing.assert_array_equal(world.contains(ids), np.arange(50) % 2 == 1)
        np.testing.assert_array_equal(world.ids(), ids[1::2])
        world.update()
        # The numbers of boxes that were removed before this update can still be read, as those of pairs that ended.
        np.testing.assert_array_equal(world.user(ids), np.arange(50))
        np.testing.assert_array_equal(world.user(np.stack([ids, ids[::-1]], axis=1))[:, 1], np.arange(50)[::-1])
        world.update()
        edits = [
            lambda ids: world.set_kind(ids, "fixed"),
            lambda ids: world.set_filter(ids, 1, 1),
            lambda ids: world.set_owner(ids, 5),
            lambda ids: world.set_enabled(ids, False),
            lambda ids: world.set_margin(ids, 0.5),
            lambda ids: world.set_user(ids, 3),
            lambda ids: world.set(ids, low[: len(ids)], high[: len(ids)]),
            world.renew,
            world.remove,
        ]
        before = world.save()
        for edit in edits + [world.boxes, world.user]:
            with self.assertRaisesRegex(ValueError, "ids: row 1: there is no proxy 0 of generation 0; it was removed"):
                edit(np.array([ids[1], ids[0]], np.uint64))
        with self.assertRaisesRegex(ValueError, "ids: row 0: the id stands for no proxy"):
            world.remove(np.array([2**64 - 1], np.uint64))
        for one in (lambda: world.pairs(ids[0]), lambda: world.contact(int(ids[1]), int(ids[0]))):
            with self.assertRaisesRegex(ValueError, "there is no proxy 0"):
                one()
        # A call that fails changes nothing, and one without ids either.
        for edit in edits:
            edit(ids[:0])
        self.assertEqual(bytes(world.save()), bytes(before))
        world.set_user(ids[1:2], 2**64 - 1)
        self.assertEqual(world.user(ids[1:2]).tolist(), [2**64 - 1])
        world.clear()
        self.assertEqual((len(world), world.contains(ids).any(), world.pairs().shape), (0, False, (0, 2)))

    def test_renewed_pairs_begin_again_and_shifted_boxes_keep_theirs(self):
        low = np.array([[0, 0, 0], [0.5, 0, 0]], F32)
        world = swath.Broadphase()
        ids = world.insert(low, low + F32(1))
        self.assertEqual(len(world.update()[0]), 1)
        world.renew(ids[:1])
        begun, _, ended = world.update()
        self.assertEqual((len(begun), len(ended)), (1, 0))
        world.shift_origin([16.0, -8.0, 0.0])
        begun, _, ended = world.update()
        self.assertEqual((len(begun), len(ended)), (0, 0))
        np.testing.assert_array_equal(world.boxes(ids)[0], low - np.array([16, -8, 0], F32))
        for wrong in ([float("nan"), 0, 0], [1e37, 0, 0], [1e300, 0, 0]):
            with self.assertRaisesRegex(ValueError, "offset: "):
                world.shift_origin(wrong)
        with self.assertRaisesRegex(ValueError, "offset: expected a sequence of 3 numbers"):
            world.shift_origin([1.0, 2.0])

    def test_contact_is_that_of_the_true_boxes(self):
        low = np.array([[0, 0, 0], [4, 0, 0], [0, 0.75, 0], [0, 9, 0]], F32)
        delta = np.array([[4, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], F32)
        world = swath.Broadphase()
        a, b, c, d = world.insert(low, low + F32(1), delta, margin=0.5).tolist()
        flies, inside, apart = world.contact(a, b), world.contact(a, c), world.contact(a, d)
        self.assertEqual((flies.state, flies.normal, flies.closing, flies.translation), ("touching", (1.0, 0.0, 0.0), True, None))
        self.assertTrue(0.7499 < flies.first <= 0.75 and flies.last == 1.0)
        self.assertEqual((inside.state, inside.first, inside.translation), ("overlapping", 0.0, (0.0, 0.25, 0.0)))
        self.assertEqual((apart.state, apart.first, apart.last, apart.normal, apart.closing), ("separated", None, None, None, False))
        self.assertIn("touching", repr(flies))
        for wrong in (-1, 2**64):
            with self.assertRaisesRegex(ValueError, "b: expected an integer from 0 to"):
                world.contact(a, wrong)
        with self.assertRaisesRegex(TypeError, "a: expected an integer.*got str"):
            world.contact("a", b)

    def test_limit_of_pairs_is_an_error_that_changes_nothing(self):
        low = np.zeros((200, 3), F32)
        world = swath.Broadphase(pairs_max=1000)
        world.insert(low, low)
        with self.assertRaisesRegex(ValueError, "is 19900, and at most 1000 are allowed; raise the limit `pairs_max`"):
            world.update()
        self.assertEqual(len(world.pairs()), 0)
        with self.assertRaisesRegex(ValueError, "pairs_max"):
            swath.tick(low, low, low, touch="hit", pairs_max=1000)

    def test_a_second_call_at_the_same_time_is_an_error(self):
        low, high, delta = boxes(20_000, 38)
        world = swath.Broadphase(threads=1)
        ids = world.insert(low, high, delta)
        errors, ended = [], threading.Event()

        def work():
            for _ in range(2000):
                if ended.is_set():
                    break
                try:
                    world.set(ids, low, high, delta)
                    world.update()
                except RuntimeError as error:
                    errors.append(str(error))
                    ended.set()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIn("another call uses this Broadphase; use one object for each thread, or a lock", errors)
        world.update()
        self.assertEqual(len(world.touching()[0]), len(swath.PairFinder().swept_pairs(low, high, delta)[0]))
