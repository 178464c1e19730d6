from collections.abc import Callable, Sequence
from typing import Literal, Self, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Broadphase",
    "Bvh",
    "Convex",
    "FirstTime",
    "Motion",
    "PairFinder",
    "catalogue",
    "distance",
    "edge_edge",
    "first_time",
    "first_times",
    "level",
    "screen_conjunctions",
    "tick",
    "vertex_face",
]

_F32 = NDArray[np.float32]
_F64 = NDArray[np.float64]
_U32 = NDArray[np.uint32]
_I64 = NDArray[np.int64]
_U64 = NDArray[np.uint64]
_U8 = NDArray[np.uint8]
_Vector = Sequence[float]
_Kind = Literal["fixed", "kinematic", "dynamic", "sleeping"]
_Touch = Literal["hit", "if_closing", "ignore"]

def level() -> str:
    """Name of the SIMD level that is used on this CPU: portable4, avx2 or avx512 on x86-64."""

@final
class PairFinder:
    """Finds all pairs of boxes that meet in a tick. Keep it between ticks: its memory is used again.

    ``threads`` is the number of threads, by default one for each logical core. ``pairs_max`` limits the number of
    pairs of a call; one with more is a ``ValueError``.
    """

    def __new__(cls, *, threads: int | None = None, pairs_max: int | None = None) -> Self: ...
    def union_pairs(self, min: _F32, max: _F32, delta: _F32 | None = None) -> _U32:
        """Pairs whose swept bounds share a point, as an array ``(pairs, 2)``, sorted, each ``a < b``.

        ``min`` and ``max`` are the corners of the boxes at the start of the tick, ``(n, 3)``.
        """

    def union_pairs_between(self, min_a: _F32, max_a: _F32, min_b: _F32, max_b: _F32) -> _U32:
        """Pairs of a box of one list and a box of another that share a point, ``(pairs, 2)``, sorted.

        The first column is a row of ``min_a`` and ``max_a``, ``(n, 3)`` each; the second a row of ``min_b`` and
        ``max_b``, ``(m, 3)`` each. ``rejected`` contains the invalid rows of the first list, then those of the second.
        """

    def swept_pairs(self, min: _F32, max: _F32, delta: _F32) -> tuple[_U32, _F32]:
        """Pairs that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each, ``(pairs,)``.

        A first time is never later than the exact one, and no contact is missed.
        """

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that the last call rejected, each with the reason."""

@final
class Broadphase:
    """Boxes that stay from tick to tick, under ids, and the pairs that begin and end.

    An id is a number that no other box of this object ever has; ``id >> 32`` is an index that is less than the largest number of
    boxes that existed at once. A new pair needs a dynamic box, or a kinematic and a sleeping one. A pair whose two boxes become fixed or
    sleeping stays, without an event, until one of them changes. ``threads`` is the number of threads, by default one for each logical core.
    """

    def __new__(cls, *, threads: int | None = None) -> Self: ...
    def __len__(self) -> int: ...
    def insert(
        self, min: _F32, max: _F32, delta: _F32 | None = None, *, kind: _Kind = "dynamic", margin: float = 0.0
    ) -> _U64:
        """Inserts a box for each row of ``min`` and ``max``, ``(n, 3)``, and returns their ids, ``(n,)``.

        ``delta`` is the displacement over the tick, ``(n, 3)``. A rejected row gets the id ``2**64 - 1``. With a ``margin``, a
        length, a box is kept enlarged by it until its path leaves this fat box; the reported pairs are then those of fat boxes.
        """

    def set(self, ids: _U64, min: _F32, max: _F32, delta: _F32 | None = None) -> None:
        """Sets the box and the displacement of each id, ``(n,)``. Rejected rows change nothing; a stale id is a ``ValueError``."""

    def set_kind(self, ids: _U64, kind: _Kind) -> None: ...
    def remove(self, ids: _U64) -> None:
        """Removes each id; a stale one is a ``ValueError``, and then none is removed."""

    def update(self) -> tuple[_U64, _F32, _U64]:
        """Finds the pairs that touch in this tick, and compares them with those of the last update.

        Returns the pairs that begin, ``(k, 2)`` ids, with their first times, ``(k,)``, and the pairs that ended, ``(m, 2)``.
        """

    def touching(self) -> tuple[_U64, _F32]:
        """The pairs of the last update in which a box is dynamic or kinematic, ``(k, 2)`` ids, with their first times
        as fractions of the tick, ``(k,)``. Pairs whose two boxes are fixed or sleeping are left out."""

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that the last call of ``insert`` or ``set`` rejected, each with the reason."""

@final
class Bvh:
    """A bounding volume hierarchy over boxes that do not move, ``(n, 3)`` corners each."""

    def __new__(cls, min: _F32, max: _F32, *, threads: int | None = None) -> Self: ...
    def __len__(self) -> int: ...
    def cast(self, origin: _F32, direction: _F32, max_fraction: float = ...) -> tuple[_I64, _F32]:
        """The first box that each ray hits: its row or -1, and the fraction of ``direction`` or infinity.

        A ray ends at ``max_fraction``, which is not negative and by default infinite.
        """

    def overlaps(self, min: _F32, max: _F32) -> tuple[_I64, _U32]:
        """The stored boxes that each box overlaps: those of row ``i`` are ``rows[starts[i]:starts[i + 1]]``.

        Returns ``starts`` with ``n + 1`` elements, and ``rows``.
        """

    def nearest(self, points: _F32, max_distance: float = ...) -> tuple[_I64, _F32]:
        """The box nearest to each point: its row or -1, and the distance or infinity."""

    @property
    def rejected(self) -> list[tuple[int, str]]:
        """Rows that were rejected, each with the reason."""

@final
class Convex:
    """A convex shape, in coordinates of its body."""

    @staticmethod
    def hull(points: _F32) -> Convex:
        """The convex hull of points, ``(n, 3)``."""

    @staticmethod
    def sphere(radius: float) -> Convex: ...
    @staticmethod
    def cuboid(half_extents: _Vector) -> Convex: ...
    @staticmethod
    def capsule(half_height: float, radius: float) -> Convex:
        """A capsule along the y axis."""

    def rounded(self, radius: float) -> Convex:
        """The same shape with all points within ``radius`` of it."""

@final
class Motion:
    """Position, rotation, displacement, acceleration and spin of a body over a tick.

    A point of the body is at ``position + delta * t + accel * t * t / 2`` plus its rotated arm.
    """

    def __new__(
        cls,
        position: _Vector = ...,
        *,
        rotation: _Vector = ...,
        delta: _Vector = ...,
        accel: _Vector = ...,
        spin: _Vector = ...,
    ) -> Self: ...

@final
class FirstTime:
    """When two shapes first touch."""

    state: Literal["impact", "overlapping", "separated", "unresolved"]
    t: float | None
    """First time of contact, 0 if they overlap at the start, None without a known contact."""
    t_safe: float
    """Time that is proved to be free of contact."""
    normal: tuple[float, float, float] | None
    """Unit normal at that time, from ``a`` to ``b``."""
    on_a: tuple[float, float, float] | None
    on_b: tuple[float, float, float] | None
    closing: float | None
    """Closing speed along the normal, in length per tick."""
    depth: float | None

def first_time(
    a: Convex,
    motion_a: Motion,
    b: Convex,
    motion_b: Motion,
    *,
    target_distance: float = 0.0,
    tolerance: float = ...,
    touch: _Touch = "if_closing",
) -> FirstTime:
    """When two convex shapes first come within ``target_distance`` of each other. Never late, never missed."""

def first_times(
    shapes: Sequence[Convex],
    position: _F32,
    delta: _F32,
    pairs: _U32,
    *,
    accel: _F32 | None = None,
    spin: _F32 | None = None,
    target_distance: float = 0.0,
    tolerance: float = ...,
    touch: _Touch = "if_closing",
    threads: int | None = None,
) -> tuple[_U8, _F32, _F32]:
    """First times of many pairs of bodies.

    ``position``, ``delta``, ``accel`` and ``spin`` have a row for each shape, ``pairs`` has two bodies in each row.
    Returns for each pair: 0 separated, 1 impact, 2 overlapping at the start, 3 unresolved; the first time, or the time
    proved free of contact; and the unit normal from the first to the second, or zeros.
    """

def distance(
    a: Convex, motion_a: Motion, b: Convex, motion_b: Motion
) -> tuple[float, tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
    """Distance at the start of the tick, negative if they overlap; its normal from ``a`` to ``b``; nearest points."""

def vertex_face(
    start: _F64,
    end: _F64,
    faces: _U32,
    pairs: _U32,
    *,
    minimum_separation: float = 0.0,
    tolerance: float = ...,
    threads: int | None = None,
) -> tuple[_U8, _F64, _F64, _F64]:
    """When vertices and faces of a moving mesh first come within ``minimum_separation``. Never late, never missed.

    ``start`` and ``end`` are the positions of all vertices at the two ends of the tick, ``(n, 3)`` float64; each vertex
    moves on a straight line. ``faces`` are three vertices each, ``(m, 3)``; ``pairs`` a vertex and a face each,
    ``(k, 2)``. A vertex always touches its own faces, so leave such pairs out. The distance at a contact is at most
    ``minimum_separation + tolerance``, which are lengths in the units of the positions.

    Returns for each pair:

    * the state, ``(k,)``: 0 no contact or an invalid vertex, 1 contact, 3 unresolved;
    * the first time as a fraction of the tick, ``(k,)``; 1 without a contact, and the time that is proved to be free of
      contact if the search is unresolved;
    * the unit normal at that time from the vertex to the face, ``(k, 3)``, or zeros;
    * the nearest point of the face ``[a, b, c]`` at that time, ``(k, 2)``: the barycentric coordinates of ``b`` and ``c``.
    """

def edge_edge(
    start: _F64,
    end: _F64,
    edges: _U32,
    pairs: _U32,
    *,
    minimum_separation: float = 0.0,
    tolerance: float = ...,
    threads: int | None = None,
) -> tuple[_U8, _F64, _F64, _F64]:
    """When edges of a moving mesh first come within ``minimum_separation``. Never late, never missed.

    As ``vertex_face``, but ``edges`` are two vertices each, ``(m, 2)``, and ``pairs`` two edges each, ``(k, 2)``. The
    normal is that from the first edge to the second, and the coordinates are the fractions along the first and along the second.
    """

def tick(
    min: _F32,
    max: _F32,
    delta: _F32,
    *,
    accel: _F32 | None = None,
    impacts_per_body: int = 0,
    threads: int | None = None,
) -> tuple[_U32, _F32, _F32, _U8]:
    """Impacts of moving boxes in a tick, in the order of time.

    Returns pairs ``(k, 2)``, times ``(k,)``, unit normals from the first box to the second ``(k, 3)``, and states ``(k,)``: 1 the
    boxes touch from that time on, 2 they overlap at the start of the tick, so that the time is 0; 3 unresolved: they do not touch
    before that time, and the normal is zero.

    ``impacts_per_body`` limits the impacts: one is returned if it is among the first ``impacts_per_body`` of at least
    one of its bodies; 0 is no limit.
    """

def catalogue(objects: int, seed: int = 1) -> _F64:
    """Draws Kepler elements of objects around the Earth, ``(objects, 6)``.

    Columns: semi-major axis in km, eccentricity, inclination, right ascension of the node, argument of the perigee and mean
    anomaly, in radians.
    """

def screen_conjunctions(
    elements: _F64,
    seconds: float,
    *,
    within_km: float = 5.0,
    tick_seconds: float = 60.0,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> tuple[_U32, _F64, _F64, _F64]:
    """All approaches of objects in orbit within ``within_km``, sorted by time.

    ``seconds`` is rounded up to whole ticks of ``tick_seconds``, which is between 0.001 and 600. Of each
    pair, the closest approach in a tick is found; approaches that continue from one tick to the next are one.

    Returns pairs ``(k, 2)``, the seconds since the start, the distances in km and the relative speeds in km/s.
    ``progress`` is called with the number of ticks done and of all ticks, at most about a hundred times. An exception that
    it raises ends the screening. With ``threads``, it is called on one of these threads.
    """
