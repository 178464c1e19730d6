"""Saved states of a broadphase."""

import copy
import pickle
import unittest

import numpy as np
import swath
from support import boxes


class SnapshotsTest(unittest.TestCase):
    def setUp(self):
        self.low, self.high, self.delta = boxes(500, 61, 0.1)
        random = np.random.default_rng(62)
        kind = random.choice(["fixed", "dynamic", "sleeping"], 500)
        owner = random.integers(0, 9, 500, dtype=np.uint32)
        self.world = swath.Broadphase(threads=2, pairs_max=100_000)
        self.ids = self.world.insert(self.low, self.high, self.delta, kind=kind, owner=owner, user=np.arange(500, dtype=np.uint64))
        self.world.update()

    def step(self, world, tick):
        """Changes some boxes and returns the events, in the same way for each broadphase."""
        ids = world.ids()
        moved = np.ascontiguousarray(ids[tick::3])
        low, high, delta = world.boxes(moved)
        world.remove(ids[tick : tick + 9])
        moved_and_kept = world.contains(moved)
        shift = np.float32(0.03)
        world.set(moved[moved_and_kept], low[moved_and_kept] + shift, high[moved_and_kept] + shift, delta[moved_and_kept])
        world.insert(low[:5], high[:5], delta[:5])
        return [*world.update(), *world.touching(), world.pairs(), world.user(world.ids())]

    def compare(self, ticks, world):
        for tick, expected in enumerate(ticks):
            for a, b in zip(expected, self.step(world, tick), strict=True):
                np.testing.assert_array_equal(a, b)

    def test_a_restored_state_has_the_same_future(self):
        """Goal: after a restoration, ids, events, times and pairs are those that were then. Method: the same ticks again, in the same
        object, and in objects that were copied or stored as bytes."""
        saved = self.world.save()
        copies = [copy.copy(self.world), copy.deepcopy(self.world), pickle.loads(pickle.dumps(self.world))]
        other = swath.Broadphase(threads=1)
        other.restore(swath.Snapshot(bytes(saved)))
        again = swath.Broadphase()
        again.restore(pickle.loads(pickle.dumps(saved)))
        self.assertIs(copy.deepcopy(saved), saved)
        self.assertEqual((len(saved), len(other)), (500, 500))
        ticks = [self.step(self.world, tick) for tick in range(4)]
        self.assertGreater(sum(len(tick[0]) for tick in ticks), 20)
        self.assertGreater(sum(len(tick[2]) for tick in ticks), 20)
        self.world.restore(saved)
        for world in [self.world, *copies, other, again]:
            self.compare(ticks, world)

    def test_settings_are_copied(self):
        points = np.zeros((500, 3), np.float32)
        for world in (copy.copy(self.world), pickle.loads(pickle.dumps(self.world))):
            world.insert(points, points)
            with self.assertRaisesRegex(ValueError, "at most 100000 are allowed"):
                world.update()

    def test_an_empty_broadphase_can_be_stored(self):
        empty = pickle.loads(pickle.dumps(swath.Broadphase()))
        self.assertEqual((len(empty), len(empty.save())), (0, 0))
        self.assertEqual(len(empty.insert(self.low, self.high)), 500)

    @staticmethod
    def checksum(data):
        """The 64-bit FNV-1a of bytes."""
        total = 0xCBF29CE484222325
        for byte in data:
            total = (total ^ byte) * 0x100000001B3 % 2**64
        return total

    def test_damaged_bytes_are_errors(self):
        """Goal: bytes that were damaged are an error; with a forged checksum they are an error or a valid state, and end no process.
        Method: every length, every bit of some bytes, and the same with the checksum of the damaged bytes."""
        world = swath.Broadphase()
        world.insert(self.low[:20], self.high[:20], self.delta[:20], margin=0.1)
        world.update()
        data = bytes(world.save())
        for wrong in (b"", b"swath", data[:40], data[:-1], data + b"x", b"X" + data[1:]):
            with self.assertRaisesRegex(ValueError, "data: "):
                swath.Snapshot(wrong)
        header = data.index(b"\n") + 1
        errors = 0
        for at in range(header, len(data)):
            for bit in (0, 3, 7):
                damaged = bytearray(data)
                damaged[at] ^= 1 << bit
                with self.assertRaisesRegex(ValueError, "data: the snapshot is damaged"):
                    swath.Snapshot(bytes(damaged))
                damaged[header:header + 8] = self.checksum(damaged[header + 8:]).to_bytes(8, "little")
                try:
                    snapshot = swath.Snapshot(bytes(damaged))
                except ValueError:
                    errors += 1
                    continue
                other = swath.Broadphase(pairs_max=10_000)
                other.restore(snapshot)
                other.update()
        self.assertGreater(errors, 100)
        with self.assertRaisesRegex(TypeError, "data"):
            swath.Snapshot("text")
        with self.assertRaisesRegex(TypeError, "snapshot"):
            world.restore(data)
