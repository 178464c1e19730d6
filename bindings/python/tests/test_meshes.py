"""Compounds, meshes and height fields: first times, overlaps, boxes and casts."""

import os
import time
import unittest

import numpy as np
import swath
from support import F32, distances_of_triangles, entries_of_triangles, moved, rotated

NAMES = ["separated", "impact", "overlapping", "unresolved"]
STILL = swath.Motion()


def floor(**settings):
    """A square of side 10 around the origin, of the triangles 0 (x > z) and 1 (x < z), with the front above."""
    vertices = np.array([[-5, 0, -5], [5, 0, -5], [5, 0, 5], [-5, 0, 5]], F32)
    return swath.Mesh(vertices, np.array([[0, 2, 1], [0, 3, 2]], np.uint32), **settings)


def soup(n, seed, side=1.0):
    """Random triangles in the unit cube, no two of which share a vertex: vertices, indices and corners."""
    random = np.random.default_rng(seed)
    centres = random.random((n, 1, 3))
    vertices = (centres + (random.random((n, 3, 3)) - 0.5) * side).astype(F32).reshape(-1, 3)
    triangles = np.arange(3 * n, dtype=np.uint32).reshape(n, 3)
    return vertices, triangles, vertices[triangles]


def motions(n, seed, place=2.0, speed=4.0):
    """Random arguments of motions."""
    random = np.random.default_rng(seed)
    vectors = lambda size: ((random.random((n, 3)) - 0.5) * size).astype(F32)
    return dict(position=vectors(place), delta=vectors(speed), accel=vectors(speed), spin=vectors(3.0),
                rotation=random.standard_normal((n, 4)).astype(F32))


def mixed(n, seed):
    """Shapes of all classes."""
    random = np.random.default_rng(seed)
    shapes = []
    for k in range(n):
        vertices, triangles, _ = soup(12, seed + k)
        quaternions = random.standard_normal((2, 4)).astype(F32)
        pieces = [swath.Convex.cone(0.4, 0.2), swath.Convex.cuboid([0.3, 0.1, 0.2])]
        shapes.append([
            lambda: swath.Convex.hull(vertices[:8]),
            lambda: swath.Mesh(vertices, triangles),
            lambda: swath.Compound(pieces, (random.random((2, 3)) - 0.5).astype(F32), rotation=quaternions),
            lambda: swath.HeightField((random.random((4, 5)) * 0.3).astype(F32), [0.25, 0.5]),
        ][k % 4]())
    return shapes


class FirstTimeOfPartsTest(unittest.TestCase):
    def test_ball_falls_on_a_floor_at_the_exact_time(self):
        """Goal: the time, the normal, the points and the triangle. Method: a plane of two triangles, closed form, 200 places."""
        random = np.random.default_rng(1)
        mesh, radius, checked = floor(), 0.5, 0
        for x, z, height, fall in random.random((200, 4)) * [8, 8, 3, 9] + [-4, -4, 1, 1]:
            ball = swath.Motion([x, height, z], delta=[0, -fall, 0])
            found = swath.first_time(swath.Convex.sphere(radius), ball, mesh, STILL)
            exact = (height - radius) / fall
            if exact > 1.001:
                self.assertEqual((found.state, found.part_a, found.part_b), ("separated", None, None))
            if exact > 0.999 or abs(x - z) < 0.01:
                continue
            self.assertEqual((found.state, found.part_a, found.part_b), ("impact", 0, 0 if x > z else 1))
            self.assertTrue(exact - 1e-4 < found.t <= exact + 1e-7, (found.t, exact))
            np.testing.assert_allclose(found.normal, [0, -1, 0], atol=1e-6)
            np.testing.assert_allclose(found.on_b, [x, 0, z], atol=1e-3)
            self.assertAlmostEqual(found.closing, fall, places=4)
            # The other way round, the parts are exchanged and the normal is reversed.
            other = swath.first_time(mesh, STILL, swath.Convex.sphere(radius), ball)
            self.assertEqual((other.t, other.part_a, other.part_b), (found.t, found.part_b, 0))
            np.testing.assert_array_equal(other.normal, -np.array(found.normal))
            checked += 1
        self.assertGreater(checked, 60)

    def test_ball_falls_on_a_slope_of_a_height_field(self):
        """Goal: axes, spacing, and the numbers of triangles. Method: heights of a plane, closed form of a ball and a plane."""
        spacing, slope, radius, checked = np.array([0.5, 0.25]), np.array([0.5, -0.25]), 0.2, 0
        rows, columns = 17, 9
        z, x = np.mgrid[0:rows, 0:columns] * spacing[::-1, None, None]
        field = swath.HeightField((x * slope[0] + z * slope[1]).astype(F32), spacing)
        self.assertEqual(len(field), 2 * (rows - 1) * (columns - 1))
        normal = np.array([-slope[0], 1, -slope[1]])
        length = np.linalg.norm(normal)
        random = np.random.default_rng(2)
        for px, pz, fall in random.random((200, 3)) * [3, 3, 4] + [0.5, 0.5, 4]:
            exact = (4 - px * slope[0] - pz * slope[1] - radius * length) / fall
            found = swath.first_time(swath.Convex.sphere(radius), swath.Motion([px, 4, pz], delta=[0, -fall, 0]), field, STILL)
            touch = np.array([px, 4 - fall * exact, pz]) - radius * normal / length
            cell, inside = np.divmod(touch[[0, 2]] / spacing, 1)
            # Near an edge it may be either triangle.
            if exact > 0.999 or min(inside.min(), (1 - inside).min(), abs(inside[0] - inside[1])) < 0.01:
                continue
            self.assertEqual(found.state, "impact")
            self.assertTrue(exact - 1e-3 < found.t <= exact + 1e-6, (found.t, exact))
            self.assertEqual(found.part_b, 2 * (cell[0] + cell[1] * (columns - 1)) + (0 if inside[0] > inside[1] else 1))
            np.testing.assert_allclose(found.normal, -normal / length, atol=1e-3)
            np.testing.assert_allclose(found.on_b, touch, atol=1e-3)
            checked += 1
        self.assertGreater(checked, 60)

    def test_height_that_is_not_finite_is_a_hole(self):
        """Goal: a ball falls through the triangles at an invalid height, and hits the others. Method: a flat field, a ray down the
        middle of each triangle, balls over the hole."""
        for hole in (np.nan, np.inf, -np.inf, 1.4e36):
            heights = np.zeros((4, 6), F32)
            heights[2, 3] = hole
            field = swath.HeightField(heights, [1.0, 1.0])
            small, large = swath.Convex.sphere(0.1), swath.Convex.sphere(2.0)
            falls = swath.Motion([3.1, 3, 2.2], delta=[0, -9, 0])
            self.assertEqual(swath.first_time(small, falls, field, STILL).state, "separated")
            self.assertEqual(swath.first_time(large, falls, field, STILL).state, "impact")
            middle = []
            for triangle in range(len(field)):
                i, j = triangle // 2 % 5, triangle // 2 // 5
                middle.append([i + 2 / 3, 1, j + 1 / 3] if triangle % 2 == 0 else [i + 1 / 3, 1, j + 2 / 3])
            middle = np.array(middle, F32)
            state, fraction, normal, part = swath.cast(field, STILL, middle, np.array([[0, -2, 0]] * 30, F32))
            cell = np.floor(middle).astype(int)
            corners = {k: {(i, j), (i + 1, j + 1), (i + 1, j) if k % 2 == 0 else (i, j + 1)} for k, (i, _, j) in enumerate(cell)}
            solid = np.array([(3, 2) not in corners[k] for k in range(30)])
            self.assertEqual(solid.sum(), 24)
            np.testing.assert_array_equal(state == 1, solid)
            np.testing.assert_array_equal(part[solid], np.flatnonzero(solid))
            np.testing.assert_allclose(fraction[solid], 0.5, atol=1e-6)
            np.testing.assert_array_equal(normal[~solid], 0)

    def test_ball_among_random_triangles_touches_none_before_its_time(self):
        """Goal: never late, never missed. Method: the distance of the centre from 60 triangles in float64, at 200 times and at the
        time that is found, for 300 balls with a target distance or none."""
        vertices, triangles, corners = soup(60, 3)
        mesh, random, hits = swath.Mesh(vertices, triangles), np.random.default_rng(4), 0
        for k in range(300):
            start = (random.random(3) * 5 - 2).astype(F32)
            delta = ((random.random(3) - start) * 1.5).astype(F32)
            radius, target = F32(random.random() * 0.2), F32(0.0 if k % 2 == 0 else 0.1)
            found = swath.first_time(
                swath.Convex.sphere(radius), swath.Motion(start, delta=delta), mesh, STILL, target_distance=target, touch="hit")
            self.assertNotEqual(found.state, "unresolved")
            at = lambda t: start + delta.astype(np.float64) * np.atleast_1d(t)[:, None]
            gap = lambda t: distances_of_triangles(at(t), corners) - radius - target
            if found.state == "overlapping":
                self.assertLess(gap(0.0).min(), 1e-6)
                continue
            self.assertGreater(gap(np.linspace(0, found.t_safe, 200)).min(), -1e-6)
            if found.state == "impact":
                of_parts = gap(found.t)[0]
                self.assertLess(of_parts.min(), 1e-4)
                self.assertLess(of_parts[found.part_b], of_parts.min() + 1e-4)
                hits += 1
        self.assertGreater(hits, 60)

    def test_compound_is_as_early_as_the_first_of_its_parts(self):
        """Goal: poses of parts, and which part touches. Method: each part as a ``Convex`` with the composed position and rotation,
        without a spin; and as a hull of its points in the axes of the body, with a spin."""
        random, overlaps, hits = np.random.default_rng(6), 0, {False: 0, True: 0}
        for k in range(400):
            spins = k % 2 == 1
            count = 1 + k % 5
            points = [(random.random((8, 3)) * 0.6 - 0.3).astype(F32) for _ in range(count)]
            position = (random.random((count, 3)) * 2 - 1).astype(F32)
            rotation = random.standard_normal((count, 4)).astype(F32)
            parts = [swath.Convex.hull(of) for of in points]
            compound = swath.Compound(parts, position, rotation=rotation)
            self.assertEqual(len(compound), count)
            of_body, of_other = ({name: of[0] for name, of in motions(1, 7 * k + seed, 4.0, 5.0).items()} for seed in (0, 1))
            # They fly at each other.
            of_body["delta"] = ((of_other["position"] - of_body["position"]) * F32(1.5)).astype(F32)
            of_body["spin"] *= F32(spins)
            other, motion_other = swath.Convex.cuboid([0.3, 0.2, 0.4]), swath.Motion(**of_other)
            first = []
            for row in range(count):
                if spins:
                    part = swath.Convex.hull((rotated(rotation[row], points[row]) + position[row]).astype(F32))
                    motion = of_body
                else:
                    a, b = (of / np.linalg.norm(of) for of in (of_body["rotation"].astype(np.float64), rotation[row].astype(np.float64)))
                    product = np.append(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3]), a[3] * b[3] - a[:3] @ b[:3])
                    part = parts[row]
                    motion = of_body | dict(position=rotated(a, position[row]) + of_body["position"], rotation=product)
                first.append(swath.first_time(part, swath.Motion(**motion), other, motion_other, touch="hit"))
            found = swath.first_time(compound, swath.Motion(**of_body), other, motion_other, touch="hit")
            overlap = [of.state == "overlapping" for of in first]
            if any(overlap):
                depths = [of.depth or 0 for of in first]
                # A touch by less than the rounding of the positions may be an impact at 0.
                if max(depths) > 1e-5:
                    self.assertEqual(found.state, "overlapping")
                    self.assertAlmostEqual(found.depth, max(depths), places=4)
                    self.assertAlmostEqual(depths[found.part_a], max(depths), places=4)
                    overlaps += 1
                continue
            times = np.array([of.t if of.state == "impact" else np.inf for of in first])
            earliest = first[times.argmin()]
            if found.state == "separated" or not np.isfinite(times.min()):
                # A graze may be found by one and not by the other.
                self.assertTrue(found.state == "separated" and not np.isfinite(times.min()) or (found.t or earliest.t) > 0.99)
                continue
            self.assertAlmostEqual(found.t, times.min(), delta=1e-3)
            self.assertLess(times[found.part_a], times.min() + 1e-3)
            self.assertEqual(found.part_b, 0)
            hits[spins] += 1
        self.assertGreater(min(overlaps, *hits.values()), 10)

    def test_batch_is_equal_to_single_calls(self):
        shapes, columns = mixed(40, 11), motions(40, 12)
        pairs = np.random.default_rng(13).integers(0, 40, (300, 2), dtype=np.uint32)
        single = [swath.Motion(**{name: of[row] for name, of in columns.items()}) for row in range(40)]
        for settings in (dict(), dict(target_distance=0.2, tolerance=1e-3, touch="hit")):
            found = swath.first_times(shapes, pairs=pairs, **columns, **settings)
            for k, (a, b) in enumerate(pairs):
                one = swath.first_time(shapes[a], single[a], shapes[b], single[b], **settings)
                self.assertEqual((NAMES[found.state[k]], found.t[k]), (one.state, F32(one.t_safe)))
                for name in ("normal", "on_a", "on_b", "closing", "depth"):
                    expected = getattr(one, name)
                    np.testing.assert_array_equal(getattr(found, name)[k], np.array(expected if expected is not None else 0, F32))
                np.testing.assert_array_equal(found.parts[k], [one.part_a or 0, one.part_b or 0])
                self.assertEqual(one.part_a is None, one.state in ("separated", "unresolved"))
            self.assertEqual((found.parts.dtype, found.parts.shape), (np.uint32, (300, 2)))
            self.assertGreater((found.state == 1).sum(), 20)
            self.assertGreater((found.parts != 0).sum(), 20)

    def test_convex_pairs_have_the_same_bits_beside_a_mesh(self):
        """Goal: a batch of convex shapes, one with a mesh, and single calls have the same answers for pairs of convex shapes."""
        columns = motions(31, 21)
        shapes = [swath.Convex.capsule(0.3, 0.2), swath.Convex.cuboid([0.3, 0.2, 0.1])] * 15
        pairs = np.array([[a, b] for a in range(30) for b in range(a)], np.uint32)
        alone = swath.first_times(shapes, pairs=pairs, **{name: of[:30] for name, of in columns.items()})
        beside = swath.first_times([*shapes, floor()], pairs=pairs, **columns)
        for name in ("state", "t", "normal", "on_a", "on_b", "closing", "depth", "parts"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(beside, name))
        self.assertEqual(alone.parts.any(), False)

    def test_results_do_not_depend_on_the_number_of_threads(self):
        vertices, triangles, _ = soup(20_000, 31, side=0.05)
        triangles[-100:] = triangles[:100]
        heights = (np.random.default_rng(32).random((200, 150)) * 0.01).astype(F32)
        columns, pairs = motions(200, 33, 1.0, 1.0), np.array([[0, k] for k in range(1, 200)] + [[1, k] for k in range(2, 200)], np.uint32)
        origin, direction = columns["position"], columns["delta"]
        answers = []
        for threads in (1, 2, None):
            mesh = swath.Mesh(vertices, triangles, threads=threads)
            field = swath.HeightField(heights, [0.01, 0.01], threads=threads)
            compound = swath.Compound(
                [swath.Convex.sphere(0.02)] * 3000, vertices[:3000].copy(), threads=threads)
            shapes = [mesh, field, compound] + [swath.Convex.sphere(0.01), swath.Convex.cuboid([0.01, 0.02, 0.03])] * 98 + [compound]
            found = swath.first_times(shapes, pairs=pairs, threads=threads, **columns)
            answer = [found.state, found.t, found.normal, found.on_a, found.on_b, found.closing, found.depth, found.parts]
            for shape in (mesh, field, compound):
                answer += swath.cast(shape, STILL, origin, direction, threads=threads)
            answers.append(answer + [mesh.faults()] + list(swath.bounds_over(shapes, **columns)))
        self.assertGreater((answers[0][0] == 1).sum(), 20)
        self.assertEqual([row for row, _ in answers[0][20]], list(range(19_900, 20_000)))
        for answer in answers[1:]:
            self.assertEqual(len(answer), len(answers[0]))
            for one, other in zip(answers[0], answer):
                np.testing.assert_array_equal(one, other)

    def test_front_of_a_one_sided_mesh_stops_and_its_back_lets_pass(self):
        ball = swath.Convex.sphere(0.25)
        field = np.zeros((3, 3), F32)
        for make in (floor, lambda **settings: swath.HeightField(field, [4.0, 4.0], **settings)):
            falls, rises = (swath.Motion([2, y, 1], delta=[0, -2 * y, 0]) for y in (2.0, -2.0))
            for one_sided, expected in [(False, ("impact", "impact")), (True, ("impact", "separated"))]:
                shape = make(one_sided=one_sided)
                self.assertEqual(tuple(swath.first_time(ball, motion, shape, STILL).state for motion in (falls, rises)), expected)
                # A ball whose centre is below the surface overlaps only the one that counts from both sides.
                self.assertTrue(swath.overlaps(ball, swath.Motion([2, 0.125, 1]), shape, STILL))
                self.assertIs(swath.overlaps(shape, STILL, ball, swath.Motion([2, -0.125, 1])), not one_sided)
                rays = np.array([[2, 1, 1], [2, -1, 1]], F32), np.array([[0, -2, 0], [0, 2, 0]], F32)
                state, fraction, normal, _ = swath.cast(shape, STILL, *rays)
                np.testing.assert_array_equal(state, [1, 0 if one_sided else 1])
                np.testing.assert_allclose(fraction, [0.5, np.inf if one_sided else 0.5], atol=1e-6)
                np.testing.assert_array_equal(normal, [[0, 1, 0], [0, 0 if one_sided else -1, 0]])

    def test_overlap_is_a_distance_of_a_triangle_that_is_not_positive(self):
        """Goal: overlaps of a mesh. Method: distances of 400 balls from 30 triangles in float64, in the axes of a mesh at a pose."""
        vertices, triangles, corners = soup(30, 41, side=0.5)
        mesh, random, answers = swath.Mesh(vertices, triangles), np.random.default_rng(42), []
        for k in range(400):
            pose = {name: of[0] for name, of in motions(1, k).items() if name in ("position", "rotation")}
            centre = (rotated(pose["rotation"], random.random(3) * 1.6 - 0.3) + pose["position"]).astype(F32)
            radius = F32(random.random() * 0.3)
            placed = rotated(pose["rotation"], corners.reshape(-1, 3)) + pose["position"]
            gap = distances_of_triangles(centre[None], placed.reshape(-1, 3, 3)).min() - radius
            if abs(gap) < 1e-5:
                continue
            for a in ((swath.Convex.sphere(radius), swath.Motion(centre)), (mesh, swath.Motion(**pose))):
                b = (mesh, swath.Motion(**pose)) if isinstance(a[0], swath.Convex) else (swath.Convex.sphere(radius), swath.Motion(centre))
                self.assertIs(swath.overlaps(*a, *b), bool(gap < 0))
            answers.append(gap < 0)
        self.assertGreater(sum(answers), 80)
        self.assertLess(sum(answers), 300)

    def test_boxes_over_the_tick_contain_all_vertices(self):
        """Goal: each vertex is in the box of its body at each time. Method: meshes, height fields and compounds of points that rotate,
        spin and accelerate, at 33 times in float64; a fall without a rotation has the exact box."""
        random, n, shapes, points = np.random.default_rng(51), 30, [], []
        for k in range(n):
            vertices, triangles, _ = soup(10, 60 + k)
            if k % 3 == 0:
                shapes.append(swath.Mesh(vertices, triangles))
            elif k % 3 == 1:
                shapes.append(swath.Compound([swath.Convex.sphere(0.0)] * len(vertices), vertices))
            else:
                heights = random.random((3, 4)).astype(F32)
                z, x = np.mgrid[0:3, 0:4] * np.array([0.5, 0.25])[:, None, None]
                vertices = np.stack([x, heights, z], 2).reshape(-1, 3)
                shapes.append(swath.HeightField(heights, [0.25, 0.5]))
            points.append(vertices)
        columns = motions(n, 52)
        low, high, path = swath.bounds_over(shapes, **columns)
        wide = swath.bounds_over(shapes, margin=0.25, **columns)
        np.testing.assert_allclose(wide[1], high + 0.25, atol=1e-5)
        for k in range(n):
            for t in np.linspace(0, 1, 33):
                of = moved(points[k], t, **{name: column[k] for name, column in columns.items()})
                self.assertTrue((of >= low[k] + path[k] * t - 1e-5).all() and (of <= high[k] + path[k] * t + 1e-5).all())
        low, high, path = swath.bounds_over([floor()], np.ones((1, 3), F32), np.array([[0, -3, 0]], F32))
        np.testing.assert_allclose([low[0], high[0], path[0]], [[-4, 1, -4], [6, 1, 6], [0, -3, 0]], atol=1e-5)
        columns["position"][4] = np.nan
        low, _, _ = swath.bounds_over(shapes, **columns)
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(low).all(1)), [4])


class CastTest(unittest.TestCase):
    def test_rays_enter_the_triangles_of_moeller_and_trumbore(self):
        """Goal: states, fractions, normals and triangles. Method: 2000 rays and 300 random triangles at a pose in float64; rays near an
        edge, or with two triangles at nearly the same fraction, are left out."""
        vertices, triangles, corners = soup(300, 71, side=0.3)
        pose = {name: of[0] for name, of in motions(1, 72).items() if name in ("position", "rotation")}
        world = (rotated(pose["rotation"], corners.reshape(-1, 3)) + pose["position"]).reshape(-1, 3, 3)
        random = np.random.default_rng(73)
        origin = (random.random((2000, 3)) * 4 - 2 + world.mean((0, 1))).astype(F32)
        # Half of the rays are aimed at triangles.
        aim = np.where(np.arange(2000)[:, None] % 2 == 0, world.mean(1)[random.integers(0, 300, 2000)], random.random((2000, 3)) * 4 - 2)
        direction = ((aim - origin) * random.uniform(0.3, 2, (2000, 1))).astype(F32)
        face = np.cross(world[:, 1] - world[:, 0], world[:, 2] - world[:, 0])
        face /= np.linalg.norm(face, axis=1, keepdims=True)
        for one_sided in (False, True):
            mesh = swath.Mesh(vertices, triangles, one_sided=one_sided)
            entry, inside, back = entries_of_triangles(origin, direction, world)
            if one_sided:
                entry = np.where(back, np.inf, entry)
            for most in (None, 0.5):
                state, fraction, normal, part = swath.cast(mesh, swath.Motion(**pose), origin, direction, most)
                self.assertEqual([of.dtype for of in (state, fraction, normal, part)], [np.uint8, F32, F32, np.uint32])
                allowed = np.where(entry <= (np.inf if most is None else most), entry, np.inf)
                exact, nearest = allowed.min(1), allowed.argmin(1)
                clear = (np.abs(inside) > 1e-4).all(1) & (np.isinf(exact) | (np.sort(allowed, 1)[:, 1] > exact + 1e-4))
                if most is not None:
                    clear &= (np.abs(entry - most) > 1e-4).all(1)
                self.assertGreater(clear.sum(), 1500)
                hit = clear & np.isfinite(exact)
                np.testing.assert_array_equal(state[clear], np.isfinite(exact[clear]))
                self.assertGreater(hit.sum(), 100)
                self.assertGreater((clear & ~hit).sum(), 100)
                np.testing.assert_array_equal(part[hit], nearest[hit])
                # The poses differ by rounding, so compare along the normal.
                speed = (face[nearest] * direction).sum(1)
                late = (fraction[hit] - exact[hit]) * np.abs(speed[hit])
                self.assertTrue((late < 2e-7).all() and (late > -1e-6).all(), (late.min(), late.max()))
                toward = np.where(speed[:, None] > 0, -face[nearest], face[nearest])
                np.testing.assert_allclose(normal[hit], toward[hit], atol=1e-4)
                missed = clear & ~hit
                self.assertTrue(np.isinf(fraction[missed]).all() and not normal[missed].any() and not part[missed].any())

    def test_rays_enter_convex_shapes_and_compounds(self):
        """Goal: starts inside, and parts. Method: three balls in a row at a pose, closed form."""
        centres = np.array([[-3, 0, 0], [0, 0, 0], [3, 0, 0]], F32)
        compound = swath.Compound([swath.Convex.sphere(1.0)] * 3, centres)
        # A quarter turn about y moves x to -z.
        motion = swath.Motion([0, 2, 0], rotation=[0, 1, 0, 1], delta=[5, 5, 5], spin=[1, 1, 1])
        origin = np.array([[0, 2, -9], [0, 2, 9], [0, 2.5, 3], [0, 2, -1.5], [0, 9, 0]], F32)
        direction = np.array([[0, 0, 2], [0, 0, -2], [0, 0, 1], [0, 0, 1], [1, 0, 0]], F32)
        state, fraction, normal, part = swath.cast(compound, motion, origin, direction)
        np.testing.assert_array_equal(state, [1, 1, 2, 1, 0])
        np.testing.assert_allclose(fraction, [2.5, 2.5, 0, 0.5, np.inf], atol=1e-5)
        np.testing.assert_array_equal(part, [2, 0, 0, 1, 0])
        np.testing.assert_allclose(normal, [[0, 0, -1], [0, 0, 1], [0, 0, 0], [0, 0, -1], [0, 0, 0]], atol=1e-5)
        state, fraction, normal, part = swath.cast(swath.Convex.sphere(1.0), motion, origin, direction)
        np.testing.assert_array_equal(state, [1, 1, 0, 1, 0])
        np.testing.assert_allclose(fraction, [4, 4, np.inf, 0.5, np.inf], atol=1e-5)
        np.testing.assert_array_equal(part, [0] * 5)

    def test_invalid_rays_miss_and_invalid_arguments_are_errors(self):
        origin, direction = np.array([[0, 1, 0]] * 4, F32), np.array([[0, -2, 0]] * 4, F32)
        origin[1, 0], direction[2, 1] = np.nan, np.inf
        state, fraction, normal, part = swath.cast(floor(), STILL, origin, direction)
        np.testing.assert_array_equal(state, [1, 0, 0, 1])
        np.testing.assert_array_equal(np.isinf(fraction), [False, True, True, False])
        np.testing.assert_array_equal(normal[1:3], 0)
        empty = swath.cast(floor(), STILL, origin[:0], direction[:0])
        self.assertEqual([of.shape for of in empty], [(0,), (0,), (0, 3), (0,)])
        for error, text, call in [
            (TypeError, "shape: expected a Convex, Compound, Mesh or HeightField, got int", lambda: swath.cast(3, STILL, origin, direction)),
            (TypeError, "motion: expected Motion, got list", lambda: swath.cast(floor(), [], origin, direction)),
            (ValueError, "direction: expected 4 rows, as origin has, got 3", lambda: swath.cast(floor(), STILL, origin, direction[:3])),
            (ValueError, "origin: .*float32.*float64", lambda: swath.cast(floor(), STILL, origin.astype(float), direction)),
            (ValueError, "max_fraction: expected", lambda: swath.cast(floor(), STILL, origin, direction, -1.0)),
            (ValueError, "threads: expected", lambda: swath.cast(floor(), STILL, origin, direction, threads=0)),
        ]:
            with self.assertRaisesRegex(error, text):
                call()


class ShapesWithPartsTest(unittest.TestCase):
    def test_invalid_triangles_are_rejected_and_suspicious_ones_are_listed(self):
        vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [np.nan, 0, 0], [1, 0, 1], [0, 2e36, 0], [5, 5, 5]], F32)
        triangles = np.array(
            [[0, 2, 1], [0, 1, 3], [1, 2, 0], [6, 6, 0], [0, 7, 1], [1, 4, 2], [0, 1, 5], [0, 1, 2**32 - 1]], np.uint32)
        mesh = swath.Mesh(vertices, triangles)
        self.assertEqual(len(mesh), 8)
        self.assertEqual([row for row, _ in mesh.rejected], [1, 4, 6, 7])
        for (_, reason), text in zip(mesh.rejected, ["NaN", "vertex that does not exist", "beyond 2", "vertex that does not exist"]):
            self.assertRegex(reason, text)
        faults = mesh.faults()
        self.assertEqual(faults, sorted(faults, key=lambda fault: fault[0]))
        for triangle, text in [(1, "NaN"), (2, "earlier triangle has the same vertices"), (3, "no area"), (4, "does not exist"), (5, "front")]:
            self.assertTrue(any(row == triangle and text in reason for row, reason in faults), (triangle, faults))
        self.assertEqual((floor().rejected, floor().faults()), ([], []))
        # The numbers of the others stay.
        down = np.array([[0.9, 1, 0.8]], F32), np.array([[0, -2, 0]], F32)
        self.assertEqual(swath.cast(mesh, STILL, *down)[3][0], 5)

    def test_arrays_are_copied(self):
        vertices, triangles = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0]], F32), np.array([[0, 1, 2]], np.uint32)
        heights, position = np.zeros((2, 2), F32), np.zeros((1, 3), F32)
        shapes = [
            swath.Mesh(vertices, triangles), swath.HeightField(heights, [1.0, 1.0]), swath.Compound([swath.Convex.sphere(0.0)], position)]
        for array in (vertices, triangles, heights, position):
            array[:] = 77
        zeros = np.zeros((3, 3), F32)
        low, high, _ = swath.bounds_over(shapes, zeros, zeros)
        self.assertTrue((low >= -1e-5).all() and (high <= 1 + 1e-5).all())

    @unittest.skipUnless(os.path.exists("/proc/self/task"), "the system does not list threads")
    def test_threads_of_a_build_end_with_it(self):
        vertices, triangles, _ = soup(5000, 81)
        heights, balls = np.zeros((100, 100), F32), [swath.Convex.sphere(1.0)] * 5000
        before, shapes = len(os.listdir("/proc/self/task")), []
        for _ in range(5):
            shapes.append(swath.Mesh(vertices, triangles, threads=8))
            shapes.append(swath.HeightField(heights, [1.0, 1.0], threads=8))
            shapes.append(swath.Compound(balls, vertices[:5000], threads=8))
        until = time.monotonic() + 20
        while len(os.listdir("/proc/self/task")) > before and time.monotonic() < until:
            time.sleep(0.01)
        self.assertLessEqual(len(os.listdir("/proc/self/task")), before)
        self.assertEqual([len(shape) for shape in shapes[-3:]], [5000, 2 * 99 * 99, 5000])

    def test_shapes_without_parts_touch_nothing(self):
        none, zeros = np.zeros((0, 3), F32), np.zeros((2, 3), F32)
        for shape in (
            swath.Mesh(none, none.astype(np.uint32)),
            swath.Mesh(np.full((3, 3), np.nan, F32), np.array([[0, 1, 2]], np.uint32)),
            swath.Compound([], none),
            swath.HeightField(np.full((2, 2), np.nan, F32), [1.0, 1.0]),
        ):
            ball = swath.Convex.sphere(10.0)
            self.assertEqual(swath.first_time(shape, STILL, ball, swath.Motion(delta=[1, 1, 1])).state, "separated")
            self.assertEqual(swath.first_times([shape, ball], zeros, zeros, np.array([[0, 1]], np.uint32)).state[0], 0)
            self.assertFalse(swath.overlaps(shape, STILL, ball, STILL))
            self.assertEqual(swath.cast(shape, STILL, zeros, zeros + F32(1))[0].tolist(), [0, 0])

    def test_invalid_shapes_are_errors_that_name_the_argument(self):
        vertices, triangles = np.zeros((3, 3), F32), np.array([[0, 1, 2]], np.uint32)
        ball, heights = swath.Convex.sphere(1.0), np.zeros((2, 3), F32)
        one, mesh = np.zeros((1, 3), F32), floor()
        for error, text, call in [
            (ValueError, r"vertices: .*float32 with shape \(n, 3\), got float64", lambda: swath.Mesh(vertices.astype(float), triangles)),
            (ValueError, r"vertices: .*got shape \[3, 2\]", lambda: swath.Mesh(vertices[:, :2].copy(), triangles)),
            (ValueError, "vertices: .*gaps", lambda: swath.Mesh(vertices[::2], triangles)),
            (TypeError, "vertices: .*got list", lambda: swath.Mesh([[0, 0, 0]], triangles)),
            (ValueError, r"triangles: .*uint32 with shape \(n, 3\), got int64", lambda: swath.Mesh(vertices, triangles.astype(int))),
            (ValueError, "triangles: .*uint32", lambda: swath.Mesh(vertices, triangles[0])),
            (TypeError, "one_sided: expected True or False, got str", lambda: swath.Mesh(vertices, triangles, one_sided="yes")),
            (ValueError, "threads: expected an integer from 1", lambda: swath.Mesh(vertices, triangles, threads=0)),
            (ValueError, "heights: .*float32 with two dimensions, got float64", lambda: swath.HeightField(heights.astype(float), [1, 1])),
            (ValueError, "heights: .*two dimensions, got float32 with shape", lambda: swath.HeightField(heights[0], [1, 1])),
            (ValueError, "heights: .*1 by 1", lambda: swath.HeightField(heights[:1, :1].copy(), [1, 1])),
            (ValueError, "heights: .*3 by 1", lambda: swath.HeightField(heights[:1], [1, 1])),
            (ValueError, "heights: .*0 by 0", lambda: swath.HeightField(np.zeros((0, 0), F32), [1, 1])),
            (ValueError, "heights: .*gaps", lambda: swath.HeightField(heights.T, [1, 1])),
            (ValueError, "spacing: the spacing is invalid", lambda: swath.HeightField(heights, [1, 0])),
            (ValueError, "spacing: the spacing is invalid", lambda: swath.HeightField(heights, [np.nan, 1])),
            (ValueError, "spacing: the spacing is invalid", lambda: swath.HeightField(heights, [-1, 1])),
            (ValueError, "spacing: the spacing is invalid", lambda: swath.HeightField(heights, [1e36, 1])),
            (ValueError, "spacing: expected a sequence of 2 numbers", lambda: swath.HeightField(heights, [1, 1, 1])),
            (TypeError, "spacing: expected a sequence of 2 numbers, got int", lambda: swath.HeightField(heights, 1)),
            (TypeError, "shapes: expected a sequence of Convex, got one with Mesh in row 1", lambda: swath.Compound([ball, mesh], vertices[:2])),
            (TypeError, "shapes: expected a sequence of Convex, got Convex", lambda: swath.Compound(ball, one)),
            (ValueError, "position: expected 1 rows, as shapes has, got 3", lambda: swath.Compound([ball], vertices)),
            (ValueError, "position: row 1: .*NaN", lambda: swath.Compound([ball] * 2, np.array([[0, 0, 0], [0, np.nan, 0]], F32))),
            (ValueError, "rotation: row 0: .*zero", lambda: swath.Compound([ball], one, rotation=np.zeros((1, 4), F32))),
            (ValueError, "rotation: expected 1 rows", lambda: swath.Compound([ball], one, rotation=np.ones((2, 4), F32))),
            (ValueError, "shapes: .*beyond 2", lambda: swath.Compound([swath.Convex.sphere(1.2e36)], np.full((1, 3), 1.2e36, F32))),
            (TypeError, "b: expected a Convex, Compound, Mesh or HeightField, got Motion", lambda: swath.first_time(mesh, STILL, STILL, STILL)),
            (TypeError, "motion_b: expected Motion, got Mesh", lambda: swath.first_time(mesh, STILL, mesh, mesh)),
            (TypeError, "a: expected a Convex, Compound, Mesh or HeightField, got str", lambda: swath.overlaps("mesh", STILL, mesh, STILL)),
            (TypeError, "b: expected a Convex, Compound, Mesh or HeightField, got Motion", lambda: swath.distance(ball, STILL, STILL, STILL)),
            (TypeError, "shapes: expected a sequence of Convex, Compound, Mesh or HeightField, got Mesh", lambda: swath.bounds_over(mesh, one, one)),
            (TypeError, "Compound, Mesh or HeightField, got one with NoneType in row 1", lambda: swath.bounds_over([mesh, None], one, one)),
            (ValueError, "pairs: pair 0 refers to row 5", lambda: swath.first_times([mesh], one, one, np.array([[0, 5]], np.uint32))),
            (ValueError, "position: expected one row for each of 2 shapes", lambda: swath.first_times([mesh] * 2, one, one, np.zeros((1, 2), np.uint32))),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_exceptions_of_arguments_are_not_replaced(self):
        def shapes():
            yield swath.Convex.sphere(1.0)
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            swath.Compound(shapes(), np.zeros((1, 3), F32))

    def test_invalid_bodies_touch_nothing_and_are_listed(self):
        position, delta = np.zeros((3, 3), F32), np.zeros((3, 3), F32)
        position[1, 2] = np.inf
        found = swath.first_times([floor(), floor(), swath.Convex.sphere(1.0)], position, delta, np.array([[0, 1], [0, 2], [1, 2]], np.uint32))
        np.testing.assert_array_equal(found.state, [0, 2, 0])
        self.assertEqual([row for row, _ in found.rejected], [1])
