from collections.abc import Iterable, Sequence
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bodies", "Compound", "Convex", "FirstTime", "FirstTimes", "HeightField", "Mesh", "Motion", "Shape", "bounds_over", "cast",
    "distance", "distances", "each_part", "first_time", "first_times", "overlaps", "overlaps_pairs",
]

_F32 = NDArray[np.float32]
_F64 = NDArray[np.float64]
_U32 = NDArray[np.uint32]
_U64 = NDArray[np.uint64]
_U8 = NDArray[np.uint8]
_Vector = Sequence[float] | _F32 | _F64
_Bool = NDArray[np.bool_]
_Tuple = tuple[float, float, float]
_Quaternion = tuple[float, float, float, float]
_Window = tuple[float, float] | Sequence[float] | _F32
_Touch = Literal["hit", "if_closing", "ignore"]
Shape = Convex | Compound | Mesh | HeightField

@final
class Convex:
    """A convex shape, in coordinates of its body. Its origin is the position of a ``Motion``, about which the body rotates."""
    @staticmethod
    def hull(points: _F32) -> Convex:
        """The convex hull of points, ``(n, 3)``."""
    @staticmethod
    def sphere(radius: float) -> Convex:
        """A ball about the origin. With the radius 0 it is a point."""
    @staticmethod
    def cuboid(half_extents: _Vector) -> Convex:
        """A box about the origin. ``half_extents`` are three lengths; zero makes it flat."""
    @staticmethod
    def capsule(half_height: float, radius: float) -> Convex:
        """A capsule along the y axis: a segment from ``-half_height`` to ``half_height``, rounded by ``radius``."""
    @staticmethod
    def cylinder(half_height: float, radius: float) -> Convex:
        """A cylinder along the y axis, from ``-half_height`` to ``half_height``."""
    @staticmethod
    def cone(half_height: float, radius: float) -> Convex:
        """A cone along the y axis, with its disc at ``-half_height`` and its tip at ``half_height``."""
    @staticmethod
    def segment(a: _Vector, b: _Vector) -> Convex:
        """The segment between two points, three numbers each."""
    @staticmethod
    def triangle(a: _Vector, b: _Vector, c: _Vector) -> Convex:
        """A triangle of three corners, three numbers each, which may be collinear or equal."""
    def rounded(self, radius: float) -> Convex:
        """The same shape with all points within ``radius`` of it."""
    def scaled(self, factors: _Vector) -> Convex:
        """The same shape, scaled on each of its own axes by one of three ``factors``.

        A negative factor mirrors it, zero makes it flat. The factors of a rounded shape must have the same magnitude.
        """

@final
class Compound:
    """Convex shapes that move as one body, each with a position and a rotation in the axes of the body.

    ``shapes`` are ``Convex``; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have a row
    for each. Without ``rotation``, no part is rotated. The parts may overlap. ``len(compound)`` is the number of parts, and the
    number of a part is its row. A compound without parts touches nothing. ``threads`` is the number of threads of the build,
    which end with it. Several threads may use one object at once.
    """
    def __new__(
        cls, shapes: Iterable[Convex], position: _F32, *, rotation: _F32 | None = None, threads: int | None = None
    ) -> Compound: ...
    def __len__(self) -> int: ...

@final
class Mesh:
    """Triangles that move as one body.

    ``vertices`` are points, ``(n, 3)`` float32, and ``triangles`` are three indices of vertices each, ``(m, 3)`` uint32,
    counter-clockwise if seen from the front. Both are copied. Triangles are surfaces: a body inside of a closed mesh that
    touches none of them does not touch the mesh. Triangles with an invalid index or number are left out, and are in the list
    ``rejected``. ``len(mesh)`` is the number of triangles, with those that are left out, and the number of a part is its row of
    ``triangles``. A mesh without triangles touches nothing.

    With ``one_sided``, a triangle stops a body whose position is in front of it, and a body whose position is behind passes
    through it. While the mesh rotates, and against another mesh or a height field, all triangles count from both sides.

    ``threads`` is the number of threads of the build, which end with it. Several threads may use one object at once.
    """
    def __new__(
        cls, vertices: _F32, triangles: _U32, *, one_sided: bool = False, threads: int | None = None
    ) -> Mesh: ...
    def __len__(self) -> int: ...
    @property
    def rejected(self) -> list[tuple[int, str]]:
        """The triangles that are left out, each with the reason."""
    def faults(self) -> list[tuple[int, str]]:
        """Lists all triangles that are invalid or suspicious, each with the reason; a triangle may have several.

        These are the triangles that are left out, and those that are degenerate, duplicated, flipped, or at an edge with more
        than two triangles. It takes longer than the build.
        """

@final
class HeightField:
    """A terrain: heights along y over a regular grid in x and z.

    ``heights`` is an array of float32 with two dimensions, which is copied: ``heights[j, i]`` is the height at
    ``x = i * spacing[0]``, ``z = j * spacing[1]``. There are at least two rows and two columns. A height that is not finite, or
    beyond ``2**120``, is a hole: triangles with this corner are left out.

    A cell is two triangles, divided by the line from its least corner to its greatest. With ``n`` columns of heights, the cell
    ``c = i + j * (n - 1)`` between ``heights[j, i]`` and ``heights[j + 1, i + 1]`` has the triangles ``2 * c``, on the side of
    greater x, and ``2 * c + 1``; the number of a part is that of its triangle. ``len(field)`` is the number of triangles, with
    those that are left out. With ``one_sided``, only the upper side counts, as in ``Mesh``.

    ``threads`` is the number of threads of the build, which end with it. Several threads may use one object at once.
    """
    def __new__(
        cls, heights: _F32, spacing: _Vector, *, one_sided: bool = False, threads: int | None = None
    ) -> HeightField: ...
    def __len__(self) -> int: ...

@final
class Motion:
    """Position, rotation, displacement, acceleration and spin of a body over a tick.

    A point of the body is at ``position + delta * t + accel * t * t / 2`` plus its rotated arm. ``rotation`` is a quaternion
    ``[x, y, z, w]`` of any length. ``spin`` is a vector of radians per tick in the axes of the world: the rotation by
    ``spin * t`` is applied after ``rotation``. The arguments are attributes too, as tuples; that of ``rotation`` has unit length.

    A link that rotates about a joint moves on an arc, but a motion is a straight line with a constant spin: put the origin on
    the axis of the joint, or add the deviation to ``target_distance``.
    """
    def __new__(
        cls, position: _Vector = (0.0, 0.0, 0.0), *, rotation: _Vector = (0.0, 0.0, 0.0, 1.0),
        delta: _Vector = (0.0, 0.0, 0.0), accel: _Vector = (0.0, 0.0, 0.0), spin: _Vector = (0.0, 0.0, 0.0),
    ) -> Motion: ...
    @staticmethod
    def between(position0: _Vector, rotation0: _Vector, position1: _Vector, rotation1: _Vector) -> Motion:
        """The motion from one pose to another, on a straight line, with a constant spin.

        The body rotates by the smaller angle, of at most half a turn, so a tick with a longer rotation needs a ``spin`` of the
        caller. At the end of the tick the body is at the second pose, except for rounding. The rotations are quaternions
        ``[x, y, z, w]`` of any length.
        """
    def at(self, t: float) -> tuple[_Tuple, _Quaternion]:
        """The position and the rotation at ``t``, a fraction of the tick, which is clamped to ``[0, 1]``."""
    @property
    def position(self) -> _Tuple:
        """The position at the start of the tick."""
    @property
    def rotation(self) -> _Quaternion:
        """The rotation at the start of the tick, a quaternion ``(x, y, z, w)`` of unit length."""
    @property
    def delta(self) -> _Tuple:
        """The displacement over the tick without the acceleration."""
    @property
    def accel(self) -> _Tuple:
        """The acceleration, in length per tick squared."""
    @property
    def spin(self) -> _Tuple:
        """The rotation over the tick, a vector of radians in the axes of the world."""

@final
class Bodies:
    """Shapes at rest, for queries of the shapes in the boxes of a ``Bvh`` or a ``Broadphase``.

    ``shapes`` are of any class; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have a
    row for each. Without ``rotation``, no body is rotated. For a ``Bvh``, body ``i`` is in box ``i``. For a ``Broadphase``,
    ``ids``, ``(n,)`` uint64, are those of the boxes; each occurs once, and a box without a body is not found. Each box must
    contain its body, as those of ``bounds_over`` do; what is outside of it may not be found. ``len(bodies)`` is the number of
    bodies. Several threads may use one object at once.
    """
    def __new__(
        cls, shapes: Iterable[Shape], position: _F32, *, rotation: _F32 | None = None, ids: _U64 | None = None
    ) -> Bodies: ...
    def moved_to(self, position: _F32, *, rotation: _F32 | None = None) -> Bodies:
        """Returns the same bodies, with the same ids, at other positions and rotations. The shapes are not read again."""
    def __len__(self) -> int: ...
    @property
    def rejected(self) -> list[tuple[int, str]]:
        """The rows with an invalid position or rotation, each with the reason. They are not found."""

@final
class FirstTime:
    """When two shapes first touch."""
    state: Literal["impact", "overlapping", "separated", "unresolved"]
    """"impact", "overlapping" (at the start, or after a touch that ``"ignore"`` ignores), "separated" or "unresolved"."""
    t: float | None
    """First time of contact, a fraction of the tick, that of the start if they overlap there, None without a known contact."""
    t_safe: float
    """Time that is proved to be free of contact."""
    normal: _Tuple | None
    """Unit normal at that time, from ``a`` to ``b``; None without a known contact."""
    on_a: _Tuple | None
    """The point of ``a`` nearest to ``b`` at that time, or deepest inside it, in world coordinates."""
    on_b: _Tuple | None
    """The point of ``b`` nearest to ``a`` at that time, or deepest inside it, in world coordinates."""
    closing: float | None
    """Closing speed of these points along the normal, in length per tick; negative if they separate."""
    depth: float | None
    """Depth beyond the target distance along the normal if they overlap at the start, else None. Of shapes with parts, such as
    two meshes, it is that of the one pair ``part_a`` and ``part_b``.
    """
    part_a: int | None
    """The number of the part of ``a`` that touches, such as a triangle; 0 for a ``Convex``; None without a known contact."""
    part_b: int | None
    """The number of the part of ``b`` that touches, such as a triangle; 0 for a ``Convex``; None without a known contact."""

@final
class FirstTimes:
    """When the bodies of many pairs first touch: arrays with a row for each pair."""
    state: _U8
    """``(k,)`` uint8: 0 separated, 1 impact, 2 overlapping (at the start, or after an ignored touch), 3 unresolved."""
    t: _F32
    """``(k,)``: the first time of contact as a fraction of the tick, or the time that is proved to be free of contact, which is
    the end of the window if separated, and its start if overlapping.
    """
    normal: _F32
    """``(k, 3)``: the unit normal at that time from the first body to the second; zeros without a known contact."""
    on_a: _F32
    """``(k, 3)``: the point of the first body nearest to the second at that time, or deepest inside it, in world coordinates,
    or zeros.
    """
    on_b: _F32
    """``(k, 3)``: the point of the second body nearest to the first at that time, or deepest inside it, in world coordinates,
    or zeros.
    """
    closing: _F32
    """``(k,)``: the closing speed of these points along the normal, in length per tick, negative if they separate, or 0."""
    depth: _F32
    """``(k,)``: the depth beyond the target distance along the normal of bodies that overlap at the start, else 0. Of bodies with
    parts, such as two meshes, it is that of the one pair of ``parts``.
    """
    parts: _U32
    """``(k, 2)`` uint32: the number of the part of each body that touches, such as a triangle; 0 for a ``Convex``, and without
    a known contact.
    """
    rejected: list[tuple[int, str]]
    """The invalid bodies, as a list of their rows, each with the reason. They touch nothing."""
    def __len__(self) -> int: ...

def first_time(
    a: Shape, motion_a: Motion, b: Shape, motion_b: Motion, *, target_distance: float = 0.0,
    tolerance: float = 6.103515625e-05, touch: _Touch = "if_closing", window: _Window = (0.0, 1.0), rounds_max: int = 2048,
) -> FirstTime:
    """When two shapes first come within ``target_distance`` of each other. Never late, never missed.

    The shapes are of any class. If several parts of them touch, it is the first one, or that with the deepest overlap at the
    start. The lock of the interpreter is released if one of them is not a ``Convex``.

    ``tolerance`` limits the distance at an impact above the target, relative to the size of the smaller shape, from 0 to 1; by
    default it is 1/16384. ``touch`` states which touches at the start of the tick are impacts: every one (``"hit"``), one whose
    nearest points close (``"if_closing"``), or none (``"ignore"``; those that then move into each other have the state of an
    overlap).

    ``window`` is the part of the tick that is searched, from one time to another in ``[0, 1]``, both included; the start is
    then that of the window. ``rounds_max`` is the greatest number of rounds of the search, of shapes with parts for each pair
    of parts; a search that needs more is unresolved.
    """

def first_times(
    shapes: Iterable[Shape], position: _F32, delta: _F32, pairs: _U32, *, rotation: _F32 | None = None,
    accel: _F32 | None = None, spin: _F32 | None = None, target_distance: float = 0.0, tolerance: float = 6.103515625e-05,
    touch: _Touch = "if_closing", window: _Window = (0.0, 1.0), rounds_max: int = 2048, threads: int | None = None,
) -> FirstTimes:
    """First times of many pairs of bodies.

    ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the
    quaternions ``rotation``, ``(n, 4)`` of any length, have a row for each. Without ``rotation``, no body is rotated at the
    start. ``pairs`` has two bodies in each row, ``(k, 2)``. The other arguments are as in ``first_time``. An invalid body
    touches nothing, and is in the list ``rejected`` of the result.

    ``window`` is one for all pairs, or, if all shapes are ``Convex``, an array of float32 with one for each pair, ``(k, 2)``:
    for example from the first time of a pair of ``swept_pairs`` to 1.

    Each call reads all bodies, whatever the pairs: 100,000 take about 20 ms. For few pairs, pass only their bodies.
    """

def each_part(
    a: Shape, motion_a: Motion, b: Shape, motion_b: Motion, *, target_distance: float = 0.0, tolerance: float =
    6.103515625e-05, touch: _Touch = "if_closing", window: _Window = (0.0, 1.0), rounds_max: int = 2048,
) -> FirstTimes:
    """When each part of one shape first touches each part of another, as if no other parts were there.

    The arguments are those of ``first_time``. The result has a row for each two parts that touch, overlap at the start or are
    unresolved, in the order of time, then of the parts; an overlap counts as the start. ``rejected`` is empty. Each contact on
    an edge between two triangles has the normal of the face of its own triangle, also where the shapes do not close along it
    and ``first_time`` returns no impact.
    """

def bounds_over(
    shapes: Iterable[Shape], position: _F32, delta: _F32, *, rotation: _F32 | None = None, accel: _F32 | None = None,
    spin: _F32 | None = None, margin: float = 0.0,
) -> tuple[_F32, _F32, _F32]:
    """Moving boxes that contain bodies during the whole tick, for a ``Broadphase`` or a ``PairFinder``.

    ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the
    quaternions ``rotation``, ``(n, 4)`` of any length, have a row for each. Returns ``min``, ``max`` and ``delta``, ``(n, 3)`` each. The
    box of an accelerated body contains it on a straight path. All boxes are enlarged by ``margin``, a length, on each side:
    with half a target distance, two boxes touch whenever their bodies are within the target. The box of an invalid body is NaN,
    so that other functions reject it.
    """

def distance(
    a: Shape, motion_a: Motion, b: Shape, motion_b: Motion
) -> tuple[float, _Tuple, _Tuple, _Tuple]:
    """Distance of two shapes of any class at the start of the tick, negative if they overlap; its normal from ``a`` to ``b``; the nearest points of
    both. It is the least distance of all their parts, and triangles count from both sides.

    If shapes with parts overlap, it is the distance of the first parts that were found to overlap, and not the depth of the shapes.
    A shape without parts is infinitely far from all others.
    """

def distances(
    shapes: Iterable[Convex], position: _F32, pairs: _U32, *, rotation: _F32 | None = None, threads: int | None = None
) -> tuple[_F32, _F32, _F32, _F32]:
    """Distances of many pairs of convex shapes at rest, each as ``distance`` returns it.

    ``shapes`` are ``Convex``; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have a row
    for each. Without ``rotation``, no body is rotated. ``pairs`` has two bodies in each row, ``(k, 2)``.

    Returns the distance of each pair, ``(k,)``, negative if the shapes overlap; its normal from the first body to the second,
    ``(k, 3)``; and the nearest points of both, ``(k, 3)`` each. A pair with an invalid body is infinitely far apart.
    """

def overlaps_pairs(
    shapes: Iterable[Shape], position: _F32, pairs: _U32, *, rotation: _F32 | None = None, threads: int | None = None
) -> _Bool:
    """Whether the two bodies of each pair overlap or touch at rest, each as ``overlaps`` returns it: ``(k,)`` bool.

    ``shapes`` are of any class. The other arguments are as in ``distances``. An invalid body overlaps nothing.
    """

def overlaps(a: Shape, motion_a: Motion, b: Shape, motion_b: Motion) -> bool:
    """Whether two shapes of any class overlap or touch at the start of the tick: less work than the distance.

    A triangle of a one-sided mesh or height field counts if the position of the other body is in front of it, or is on the
    surface of that body and touches the triangle; against another mesh or height field it counts from both sides.
    """

def cast(
    shape: Shape, motion: Motion, origin: _F32, direction: _F32, max_fraction: float | None = None, *,
    threads: int | None = None,
) -> tuple[_U8, _F32, _F32, _U32]:
    """Where rays first enter a shape at the start of the tick.

    ``origin`` and ``direction`` are ``(k, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None is no end.
    An invalid ray misses. A triangle is entered from both sides, or from its front only if its mesh or height field is
    one-sided.

    Returns for each ray:

    * the state, ``(k,)`` uint8: 0 it misses, 1 it enters the shape or starts on its surface, 2 it starts inside, 3 unresolved;
    * the fraction of ``direction`` at which it enters, ``(k,)``, never late: infinite for a miss, 0 inside, and the fraction
      that is proved to be free if unresolved;
    * the unit normal of the surface there, ``(k, 3)``, out of a convex part or to that side of a triangle from which the ray
      enters; zeros without an entry;
    * the part that it enters or is inside of, ``(k,)`` uint32; 0 for a miss and for a ``Convex``.
    """
