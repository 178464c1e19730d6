"""First times of convex shapes, compared with conservative advancement written in Python.

The comparison is the published method (Mirtich 1996; closest points by GJK, Gilbert, Johnson and Keerthi 1988) in plain
numpy: advance both shapes until the gap along the closest direction may be closed, and repeat. It serves as an independent
answer and as a yardstick of speed, and it stops at a tolerance instead of proving a bound.

Run: python convex_pair.py [pairs]
"""

import itertools
import sys
import time

import numpy as np
import swath


def closest_to_origin(simplex):
    """The point of a simplex of at most four points that is nearest to the origin, and the points that span it."""
    best = None
    for count in range(1, len(simplex) + 1):
        for chosen in itertools.combinations(simplex, count):
            base, edges = chosen[0], np.array([p - chosen[0] for p in chosen[1:]])
            weights = np.zeros(0)
            if count > 1:
                weights = np.linalg.lstsq(edges.T, -base, rcond=None)[0]
                if (weights < 0).any() or weights.sum() > 1:
                    continue
            point = base + weights @ edges if count > 1 else base
            length = point @ point
            if best is None or length < best[0]:
                best = (length, point, list(chosen))
    return best[1], best[2]


def gjk(a, b):
    """The vector from the nearest point of hull ``a`` to that of hull ``b``; zero if they overlap."""
    support = lambda d: b[np.argmax(b @ d)] - a[np.argmin(a @ d)]
    point = b[0] - a[0]
    simplex = [point]
    for _ in range(64):
        new = support(-point)
        if point @ point - point @ new <= 1e-12 * (point @ point):
            break
        simplex.append(new)
        point, simplex = closest_to_origin(simplex)
        if point @ point < 1e-18:
            return np.zeros(3)
    return point


def conservative_advancement(a, delta_a, b, delta_b, tolerance=1e-7):
    """First time in [0, 1] at which two moving hulls touch, or None."""
    t, closing = 0.0, delta_b - delta_a
    for _ in range(200):
        gap = gjk(a + t * delta_a, b + t * delta_b)
        distance = np.sqrt(gap @ gap)
        if distance < tolerance:
            return t
        speed = -(closing @ gap) / distance
        if speed <= 0.0 or t + distance / speed > 1.0:
            return None
        t += distance / speed
    return t


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    random = np.random.default_rng(1)
    points = [(random.random((12, 3)) - 0.5).astype(np.float32) for _ in range(2 * count)]
    position = ((random.random((2 * count, 3)) - 0.5) * 6).astype(np.float32)
    # Half of the pairs are aimed at each other.
    delta = ((random.random((2 * count, 3)) - 0.5) * 2).astype(np.float32)
    delta[::4] += position[1::4] - position[::4]
    pairs = np.arange(2 * count, dtype=np.uint32).reshape(count, 2)

    shapes = [swath.Convex.hull(p) for p in points]
    swath.first_times(shapes, position, delta, pairs)
    clock = time.perf_counter()
    state, t, _ = swath.first_times(shapes, position, delta, pairs, touch="hit")
    ours = time.perf_counter() - clock

    clock = time.perf_counter()
    theirs = []
    for a, b in pairs:
        world = lambda row: points[row].astype(float) + position[row].astype(float)
        theirs.append(conservative_advancement(world(a), delta[a].astype(float), world(b), delta[b].astype(float)))
    python = time.perf_counter() - clock

    impacts = (state == 1) | (state == 2)
    late = missed = grazing = 0
    for k, expected in enumerate(theirs):
        if expected is None:
            # Within the tolerance of either method, a pair may graze.
            grazing += bool(impacts[k])
        elif not impacts[k]:
            missed += 1
        elif state[k] == 1 and t[k] > expected + 1e-5:
            late += 1
    print(f"{count} pairs of hulls with 12 points, {impacts.sum()} of them touch")
    print(f"  swath {ours / count * 1e6:9.2f} us a pair")
    print(f"  numpy {python / count * 1e6:9.2f} us a pair, {python / ours:.0f} times as long")
    print(f"  missed {missed}, late {late}, only swath reports {grazing}")
    if missed or late or grazing > count // 50:
        sys.exit("the answers differ")


main()
