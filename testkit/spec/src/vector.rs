//! Vectors and rotation matrices in `f64`.

/// A point or a direction.
pub(super) type Vector = [f64; 3];

pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn times(a: Vector, by: f64) -> Vector {
    a.map(|x| x * by)
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Vector) -> f64 {
    libm::sqrt(dot(a, a))
}

/// Returns the unit vector along `a`, or `None` for a zero vector.
pub(super) fn unit(a: Vector) -> Option<Vector> {
    // Normalise twice, because the square of a very short vector loses digits or underflows.
    let greatest = a.into_iter().fold(0.0, |so_far: f64, x| so_far.max(x.abs()));
    let even = (greatest > 0.0).then(|| a.map(|x| x / greatest))?;
    Some(times(even, 1.0 / length(even)))
}

/// A rotation matrix, given by its rows.
pub(super) type Turn = [Vector; 3];

pub(super) fn turned(turn: &Turn, a: Vector) -> Vector {
    [dot(turn[0], a), dot(turn[1], a), dot(turn[2], a)]
}

/// Applies the inverse rotation.
pub(super) fn turned_back(turn: &Turn, a: Vector) -> Vector {
    plus(plus(times(turn[0], a[0]), times(turn[1], a[1])), times(turn[2], a[2]))
}

/// Returns the rotation matrix of a quaternion `[x, y, z, w]` of any nonzero length.
pub(super) fn turn_of(quaternion: [f64; 4]) -> Turn {
    let [x, y, z, w] = quaternion;
    let twice = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [1.0 - (y * y + z * z) * twice, (x * y - w * z) * twice, (x * z + w * y) * twice],
        [(x * y + w * z) * twice, 1.0 - (x * x + z * z) * twice, (y * z - w * x) * twice],
        [(x * z - w * y) * twice, (y * z + w * x) * twice, 1.0 - (x * x + y * y) * twice],
    ]
}

/// Returns `turn` followed by the rotation about `vector` by its length, in radians (Rodrigues).
pub(super) fn turned_by(vector: Vector, turn: &Turn) -> Turn {
    let angle = length(vector);
    if angle == 0.0 {
        return *turn;
    }
    let axis = times(vector, 1.0 / angle);
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let half = libm::sin(angle / 2.0);
    let less = 2.0 * half * half; // 1 - cosine, without its cancellation
    let [x, y, z] = axis;
    let about = [
        [cosine + less * x * x, less * x * y - sine * z, less * x * z + sine * y],
        [less * x * y + sine * z, cosine + less * y * y, less * y * z - sine * x],
        [less * x * z - sine * y, less * y * z + sine * x, cosine + less * z * z],
    ];
    let columns = [0, 1, 2].map(|k| turned(&about, [turn[0][k], turn[1][k], turn[2][k]]));
    [0, 1, 2].map(|row| columns.map(|column| column[row]))
}
