"""Candidate pairs of a cloth between two frames, and their first times of contact.

The script goes through the broadphase and the narrowphase of cloth simulation step by step: boxes around the paths of all
vertices, edges and faces; pairs of boxes that overlap; first times of these pairs. A sample of the times is compared with
the roots of the cubic equation of coplanarity (X. Provot, "Collision and self-collision handling in cloth model", 1997).

Run: python cloth.py                      # a cloth that falls on a ball, generated here
     python cloth.py START.ply END.ply    # two frames of one mesh, for example of the data of Scalable-CCD
"""

import sys
import time

import numpy as np
import swath

SAMPLE = 400


# --- 1. Two frames of a mesh: positions (n, 3) float64 in both, and faces (m, 3) uint32. ---


def read_ply(path):
    """Vertices and triangles of a binary PLY file with x, y and z first and one list of indices for each face."""
    with open(path, "rb") as file:
        header = []
        while not header or header[-1] != "end_header":
            line = file.readline()
            if not line or (not header and line.strip() != b"ply"):
                sys.exit(f"{path}: not a PLY file")
            header.append(line.decode("ascii").strip())
        data = file.read()
    order = {"binary_little_endian": "<", "binary_big_endian": ">"}.get(header[1].split()[1])
    if order is None:
        sys.exit(f"{path}: expected a binary PLY file, got {header[1]!r}")
    types = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8"}
    rows, current = {}, None
    for words in map(str.split, header):
        if words[0] == "element":
            current = rows.setdefault(words[1], (int(words[2]), []))[1]
        elif words[0] == "property" and words[1] == "list":
            # All faces are triangles; the number of indices is checked below.
            current += [("count", order + types[words[2]]), ("indices", order + types[words[3]], 3)]
        elif words[0] == "property":
            current.append((words[2], order + types[words[1]]))
    # The rows of an element follow those of the one before.
    if list(rows)[:2] != ["vertex", "face"]:
        sys.exit(f"{path}: expected the elements vertex and face, in this order, got {list(rows)}")
    count, columns = rows["vertex"]
    vertices = np.frombuffer(data, np.dtype(columns), count)
    faces_at = vertices.nbytes
    count, columns = rows["face"]
    faces = np.frombuffer(data, np.dtype(columns), count, faces_at)
    if (faces["count"] != 3).any():
        sys.exit(f"{path}: a face is not a triangle")
    positions = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return positions, faces["indices"].astype(np.uint32)


def grid_faces(rows, columns, first=0):
    """Two triangles for each cell of a grid of vertices."""
    at = first + np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    return np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in [(a, b, c), (a, c, d)]]).astype(np.uint32)


def cloth_on_ball(side=140, seed=1):
    """A cloth that hangs above a ball of radius 1 and falls on it; its hem swings inwards."""
    random = np.random.default_rng(seed)
    x, z = np.meshgrid(np.linspace(-1.6, 1.6, side), np.linspace(-1.6, 1.6, side), indexing="ij")
    away = np.hypot(x, z)
    height = np.where(away < 1.0, np.sqrt(np.maximum(1.0 - away**2, 0.0)), 1.0 - away) + 0.03
    height += 0.004 * random.standard_normal(x.shape)
    cloth = np.stack([x, height, z], axis=-1).reshape(-1, 3)
    fall = np.stack([-0.03 * x * away, -0.05 + 0.004 * random.standard_normal(x.shape), -0.03 * z * away], axis=-1)

    theta, phi = np.meshgrid(np.linspace(0.01, np.pi - 0.01, 60), np.linspace(0.0, 2.0 * np.pi, 121), indexing="ij")
    ball = np.stack([np.sin(theta) * np.cos(phi), np.cos(theta), np.sin(theta) * np.sin(phi)], axis=-1).reshape(-1, 3)
    start = np.concatenate([cloth, ball])
    end = np.concatenate([cloth + fall.reshape(-1, 3), ball])
    faces = np.concatenate([grid_faces(side, side), grid_faces(60, 121, len(cloth))])
    return start, end, faces


# --- 2. Candidate pairs: the boxes around the paths of two elements overlap. ---


def boxes(start, end, elements):
    """Boxes around the paths of elements, ``(n, 3)`` float32, rounded outwards."""
    low = np.minimum(start, end)[elements].min(1)
    high = np.maximum(start, end)[elements].max(1)
    low_f32, high_f32 = low.astype(np.float32), high.astype(np.float32)
    low_f32 = np.where(low_f32 > low, np.nextafter(low_f32, np.float32(-np.inf)), low_f32)
    high_f32 = np.where(high_f32 < high, np.nextafter(high_f32, np.float32(np.inf)), high_f32)
    return low_f32, high_f32


def apart(pairs, first, second):
    """The pairs whose two elements share no vertex."""
    a, b = first[pairs[:, 0]], second[pairs[:, 1]]
    share = np.zeros(len(pairs), bool)
    for p in range(a.shape[1]):
        for q in range(b.shape[1]):
            share |= a[:, p] == b[:, q]
    return pairs[~share]


# --- 3. The same first times by the roots of a cubic, for a few pairs. ---


def coplanar_times(x, v):
    """Times in [0, 1] at which four moving points are in one plane: roots of a cubic, in order."""
    p, dp = x[1:] - x[0], v[1:] - v[0]
    determinant = lambda a, b, c: np.dot(a, np.cross(b, c))
    cubic = [
        determinant(dp[0], dp[1], dp[2]),
        determinant(p[0], dp[1], dp[2]) + determinant(dp[0], p[1], dp[2]) + determinant(dp[0], dp[1], p[2]),
        determinant(p[0], p[1], dp[2]) + determinant(p[0], dp[1], p[2]) + determinant(dp[0], p[1], p[2]),
        determinant(p[0], p[1], p[2]),
    ]
    roots = np.roots(cubic) if np.any(cubic) else np.zeros(0)
    real = roots.real[np.abs(roots.imag) < 1e-9]
    return np.sort(real[(real >= 0.0) & (real <= 1.0)])


def first_root(kind, x, v, margin):
    """The first root at which the elements meet, at least ``margin`` inside of both; None without one."""
    for t in coplanar_times(x, v):
        a, b, c, d = x + t * v
        if kind == "vertex-face":
            solution = np.linalg.lstsq(np.stack([c - b, d - b], axis=1), a - b, rcond=None)[0]
            inside = solution.min() >= margin and solution.sum() <= 1.0 - margin
        else:
            solution = np.linalg.lstsq(np.stack([b - a, c - d], axis=1), c - a, rcond=None)[0]
            inside = solution.min() >= margin and solution.max() <= 1.0 - margin
        if inside:
            return t
    return None


def compare(kind, start, end, vertices, hit, t):
    """Compares a sample of the results with the roots. Returns the numbers of contacts, missed and late ones."""
    contacts = missed = late = 0
    # Half of the sample are hits, as far as there are so many.
    random = np.random.default_rng(2)
    some = [rows[random.permutation(len(rows))[: SAMPLE // 2]] for rows in (np.flatnonzero(hit), np.flatnonzero(~hit))]
    for k in np.concatenate(some):
        x = start[vertices[k]]
        expected = first_root(kind, x, end[vertices[k]] - x, 1e-6)
        if expected is not None:
            contacts += 1
            missed += not hit[k]
            late += bool(hit[k] and t[k] > expected + 1e-7)
    return contacts, missed, late


def main():
    if len(sys.argv) == 3:
        (start, faces), (end, other) = read_ply(sys.argv[1]), read_ply(sys.argv[2])
        if start.shape != end.shape or not np.array_equal(faces, other):
            sys.exit("the two files are not frames of one mesh")
    elif len(sys.argv) == 1:
        start, end, faces = cloth_on_ball()
    else:
        sys.exit("usage: cloth.py [START.ply END.ply]")

    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    edges = np.ascontiguousarray(np.unique(edges, axis=0))
    vertices = np.arange(len(start), dtype=np.uint32)[:, None]
    print(f"{len(start)} vertices, {len(edges)} edges, {len(faces)} faces")

    finder = swath.PairFinder()
    around = {name: boxes(start, end, of) for name, of in [("v", vertices), ("e", edges), ("f", faces)]}
    clock = time.perf_counter()
    found_vf = finder.union_pairs_between(*around["v"], *around["f"])
    found_ee = finder.union_pairs(*around["e"])
    clock = time.perf_counter() - clock
    vf, ee = apart(found_vf, vertices, faces), apart(found_ee, edges, edges)
    print(f"candidate pairs in {clock * 1e3:.1f} ms; those that share a vertex are dropped")

    wrong = 0
    earliest = []
    for kind, pairs, search, elements, of_pair in [
        ("vertex-face", vf, swath.vertex_face, faces, lambda p: np.hstack([p[:, :1], faces[p[:, 1]]])),
        ("edge-edge", ee, swath.edge_edge, edges, lambda p: np.hstack([edges[p[:, 0]], edges[p[:, 1]]])),
    ]:
        clock = time.perf_counter()
        state, t, normal, coordinates = search(start, end, elements, pairs)
        clock = time.perf_counter() - clock
        hit = state == 1
        contacts, missed, late = compare(kind, start, end, of_pair(pairs), hit, t)
        wrong += missed + late
        print(f"{kind:<12}{len(pairs):>10} pairs {clock / max(len(pairs), 1) * 1e9:>8.0f} ns a pair {hit.sum():>8} touch")
        print(f"{'':<12}of {contacts} contacts by the roots of a cubic: {missed} missed, {late} late")
        if hit.any():
            first = np.flatnonzero(hit)[np.argmin(t[hit])]
            earliest.append((t[first], kind, *map(int, pairs[first])))
    if earliest:
        t, kind, a, b = min(earliest)
        print(f"earliest contact: t = {t:.9f}, {kind} {a} and {b}")
    if wrong:
        sys.exit("the answers differ")


main()
