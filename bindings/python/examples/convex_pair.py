"""First times of convex shapes under constant acceleration, compared with the published algorithm in plain Python.

The published algorithm ("gjk-toi") is conservative advancement (Mirtich 1996) with closest points by GJK (Gilbert, Johnson
and Keerthi 1988): the gap along the closest direction is a quadratic function of time, so advance both hulls to its first
root, and repeat. It stops at an absolute distance, and after ten steps it reports a contact whatever the distance is. The
implementation here is written from that description. It is a yardstick of speed and, with enough steps, an independent
answer; it does not prove a bound. All pairs are computed by both, from the same points and motions:

1. the pair "a thrown crate and a beam" of the viewer (`cargo run --release --example viewer`, page "A convex pair");
2. random hulls of 12 points, half of them aimed at each other.

Run: python convex_pair.py [pairs]
"""

import itertools
import sys
import time

import numpy as np
import swath

TOLERANCE = 1e-7
PUBLISHED_STEPS = 10
STEPS = 200


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


def first_root(gap, speed, accel):
    """The first time s >= 0 at which ``gap + speed * s + accel * s**2 / 2`` is zero; infinity without one."""
    if accel == 0.0:
        return gap / -speed if speed < 0.0 else np.inf
    square = speed * speed - 2.0 * accel * gap
    if square < 0.0:
        return np.inf
    # This form of the roots does not subtract nearly equal numbers.
    q = -(speed + np.copysign(np.sqrt(square), speed))
    roots = [q / accel, 2.0 * gap / q if q != 0.0 else np.inf]
    return min((root for root in roots if root >= 0.0), default=np.inf)


def conservative_advancement(a, b, delta, accel, steps):
    """First time in [0, 1] at which hull ``b``, which moves relative to hull ``a``, touches it, or None.

    Also returns whether the last step was reached, so that the contact is a guess.
    """
    t = 0.0
    for _ in range(steps):
        gap = gjk(a, b + t * delta + 0.5 * t * t * accel)
        distance = np.sqrt(gap @ gap)
        if distance < TOLERANCE:
            return t, False
        normal = gap / distance
        t += first_root(distance, (delta + t * accel) @ normal, accel @ normal)
        if t > 1.0:
            return None, False
    return t, True


def turned(points, degrees):
    """Points turned about x, then y, then z."""
    for axis, angle in enumerate(np.radians(degrees)):
        turn, (u, v) = np.eye(3), [k for k in range(3) if k != axis]
        turn[u, u] = turn[v, v] = np.cos(angle)
        turn[v, u] = np.sin(angle) * (1 if axis != 1 else -1)
        turn[u, v] = -turn[v, u]
        points = points @ turn.T
    return points


def crate(half, degrees):
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=3))) * half
    return turned(corners, degrees).astype(np.float32)


def clocked(call):
    clock = time.perf_counter()
    result = call()
    return result, time.perf_counter() - clock


def pair_of_the_viewer():
    """A crate that is thrown at a moving beam, in free fall."""
    a, b = crate([1.7, 0.16, 0.4], [0, 0, 25]), crate([0.7, 0.5, 0.6], [20, 0, 10])
    position_a, position_b = [-0.6, 1.5, 0.0], [4.1, 0.9, 0.5]
    delta_a, delta_b, accel_b = [0.9, 0.2, 0.0], [-3.6, 3.6, -0.4], [0.0, -6.4, 0.0]
    shape_a, shape_b = swath.Convex.hull(a), swath.Convex.hull(b)
    motion_a = swath.Motion(position_a, delta=delta_a)
    motion_b = swath.Motion(position_b, delta=delta_b, accel=accel_b)
    search = lambda: swath.first_time(shape_a, motion_a, shape_b, motion_b)
    search()
    found, ours = clocked(lambda: [search() for _ in range(1000)][-1])
    points = [p.astype(float) + np.float32(at) for p, at in [(a, position_a), (b, position_b)]]
    delta = np.float32(delta_b).astype(float) - np.float32(delta_a)
    published = lambda: conservative_advancement(*points, delta, np.float32(accel_b).astype(float), PUBLISHED_STEPS)
    (expected, guess), python = clocked(published)
    print("a thrown crate and a beam, one call at a time")
    print(f"  swath {ours / 1000 * 1e6:9.2f} us, t = {found.t:.7f}")
    print(f"  numpy {python * 1e6:9.2f} us, t = {expected:.7f}, {python / ours * 1000:.0f} times as long")
    if guess or found.state != "impact" or not expected - 1e-5 < found.t <= expected + 1e-6:
        sys.exit("the answers differ")


def random_pairs(count):
    random = np.random.default_rng(1)
    points = [(random.random((12, 3)) - 0.5).astype(np.float32) for _ in range(2 * count)]
    position = ((random.random((2 * count, 3)) - 0.5) * 6).astype(np.float32)
    delta = ((random.random((2 * count, 3)) - 0.5) * 2).astype(np.float32)
    accel = ((random.random((2 * count, 3)) - 0.5) * 2).astype(np.float32)
    # Half of the pairs are aimed at each other.
    delta[::4] += position[1::4] - position[::4]
    pairs = np.arange(2 * count, dtype=np.uint32).reshape(count, 2)

    shapes = [swath.Convex.hull(p) for p in points]
    search = lambda: swath.first_times(shapes, position, delta, pairs, accel=accel, touch="hit")
    search()
    found, ours = clocked(search)
    state, t = found.state, found.t

    world = lambda row: points[row].astype(float) + position[row]
    relative = lambda of, a, b: of[b].astype(float) - of[a]
    advance = lambda a, b, steps: conservative_advancement(
        world(a), world(b), relative(delta, a, b), relative(accel, a, b), steps
    )
    published, python = clocked(lambda: [advance(a, b, PUBLISHED_STEPS) for a, b in pairs])
    guesses = sum(guess for _, guess in published)
    exact = [advance(*pairs[k], STEPS)[0] if guess else found for k, (found, guess) in enumerate(published)]
    wrong = sum(guess and exact[k] is None for k, (_, guess) in enumerate(published))

    touch = (state == 1) | (state == 2)
    late = missed = grazing = 0
    for k, expected in enumerate(exact):
        if expected is None:
            # Within the tolerance of either method, a pair may graze.
            grazing += bool(touch[k])
        elif not touch[k]:
            missed += 1
        elif state[k] == 1 and t[k] > expected + 1e-5:
            late += 1
    print(f"{count} pairs of hulls with 12 points under acceleration, {touch.sum()} of them touch; one call for all")
    print(f"  swath {ours / count * 1e6:9.2f} us a pair")
    print(f"  numpy {python / count * 1e6:9.2f} us a pair, {python / ours:.0f} times as long")
    print(f"  missed {missed}, late {late}, only swath reports {grazing}")
    print(f"  after {PUBLISHED_STEPS} steps the published algorithm guesses {guesses} contacts, {wrong} of them wrong")
    if missed or late or grazing > max(1, count // 50):
        sys.exit("the answers differ")


pair_of_the_viewer()
random_pairs(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
