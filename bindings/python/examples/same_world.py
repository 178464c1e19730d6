"""The small world of bindings/SAME_WORLD.md: a line for each part, with the number of answers and their hash.

The programs in Rust and in C print the same lines; the file bindings/same_world.txt contains them.

Run: python same_world.py
"""

import itertools

import numpy as np
import swath

BOXES, RAYS, CONVEX_PAIRS, HULL_POINTS, TICKS = 3000, 1000, 500, 8, 4
F32 = np.float32


def numbers(state):
    """A linear congruential generator; its upper 16 bits."""
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state >> 16


class Vectors:
    """Draws vectors whose components are exact in float32."""

    def __init__(self, state):
        self.numbers = numbers(state)

    def positive(self, parts):
        return [next(self.numbers) / parts for _ in range(3)]

    def signed(self, parts):
        return [(next(self.numbers) - 32768) / parts for _ in range(3)]


def report(name, *columns):
    """Prints the number of rows of the columns, and the hash over the words of all rows in order."""
    rows = len(columns[0])
    words = [np.asarray(column).reshape(rows, -1) for column in columns]
    words = np.hstack([word.astype(F32).view(np.uint32) if word.dtype.kind == "f" else word.astype(np.uint32) for word in words])
    report_words(name, rows, words)


def report_words(name, rows, words):
    """Prints the number of answers, and 64-bit FNV-1a over their words."""
    state = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(words, "<u4").tobytes():
        state = ((state ^ byte) * 0x100000001B3) % 2**64
    print(f"{name} {rows} {state:016x}")


def boxes():
    draw = numbers(1)
    low, high, delta = (np.empty((BOXES, 3), F32) for _ in range(3))
    for row, axis in itertools.product(range(BOXES), range(3)):
        low[row, axis] = next(draw) / 1024
        high[row, axis] = low[row, axis] + F32(next(draw) % 4096 / 1024)
        delta[row, axis] = (next(draw) - 32768) / 8192
    return low, high, delta


def events(low, high, delta):
    """Pairs that begin, ended and touch in ticks in which boxes are removed and moved, as rows of words."""
    low, high = low.copy(), high.copy()
    world = swath.Broadphase()
    row = np.arange(BOXES)
    # The number of the caller is the row. It can be read of removed boxes too.
    kind = np.where(row % 4 == 0, "fixed", "dynamic")
    ids = world.insert(low, high, delta, kind=kind, user=row.astype(np.uint64))
    words = []
    for tick in range(TICKS):
        begun, first, ended = world.update()
        touching, time = world.touching()
        for pairs, times in [(begun, first), (ended, None), (touching, time)]:
            for k, pair in enumerate(world.user(pairs)):
                words.append([*pair.tolist()] if times is None else [*pair.tolist(), int(times[k : k + 1].view(np.uint32)[0])])
        world.remove(ids[row % 50 == tick])
        moved = (row % 50 > tick) & (row % 4 != 0) & (row % 3 == tick % 3)
        low[moved] += delta[moved]
        high[moved] += delta[moved]
        world.set(ids[moved], low[moved], high[moved], delta[moved])
    return words


def main():
    low, high, delta = boxes()
    finder = swath.PairFinder()
    report("union", finder.union_pairs(low, high, delta))
    report("swept", *finder.swept_pairs(low, high, delta))

    draw = Vectors(2)
    segments = np.array([(draw.positive(1024), draw.signed(1024)) for _ in range(RAYS)], F32)
    start, direction = np.ascontiguousarray(segments[:, 0]), np.ascontiguousarray(segments[:, 1])
    # A miss is the row -1, which is 4294967295 as a word.
    row, fraction = swath.Bvh(low, high).cast(start, direction, 1.0)
    report("casts", row & 0xFFFFFFFF, fraction)

    draw = Vectors(3)
    shapes, motions = [], []
    for _ in range(2 * CONVEX_PAIRS):
        shapes.append(swath.Convex.hull(np.array([draw.signed(32768) for _ in range(HULL_POINTS)], F32)))
        motions.append((draw.positive(8192), draw.signed(8192), draw.signed(16384), draw.signed(16384)))
    position, displacement, accel, spin = (np.array(column, F32) for column in zip(*motions))
    pairs = np.arange(2 * CONVEX_PAIRS, dtype=np.uint32).reshape(-1, 2)
    times = swath.first_times(shapes, position, displacement, pairs, accel=accel, spin=spin)
    report("first_times", times.state, times.t, times.normal)

    at = [swath.Motion(place) for place in position.tolist()]
    found = [swath.distance(shapes[a], at[a], shapes[b], at[b])[:2] for a, b in pairs]
    report("distances", np.array([distance for distance, _ in found], F32), np.array([normal for _, normal in found], F32))

    words = events(low, high, delta)
    report_words("events", len(words), np.array([word for answer in words for word in answer], np.uint32))


main()
