//! Where a ray enters a triangle, in exact integers.
//!
//! Coordinates are whole numbers of at most 2¹⁰, so that no product overflows. Times are fractions of the direction.

/// A vector of whole numbers.
pub type Whole = [i128; 3];

/// A fraction with a denominator above zero.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    pub over: i128,
    pub under: i128,
}

impl Ratio {
    fn new(over: i128, under: i128) -> Self {
        if under < 0 { Self { over: -over, under: -under } } else { Self { over, under } }
    }

    /// The nearest number, to within some roundings.
    pub fn value(self) -> f64 {
        self.over as f64 / self.under as f64
    }

    fn is_before(self, other: Self) -> bool {
        self.over * other.under < other.over * self.under
    }
}

/// Where a ray touches a closed triangle first.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub t: Ratio,
    /// Above zero if the ray comes from behind, below if it comes from the front, zero if it runs in the plane.
    pub pace: i128,
}

fn minus(a: Whole, b: Whole) -> Whole {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn cross(a: Whole, b: Whole) -> Whole {
    [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn dot(a: Whole, b: Whole) -> i128 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Returns where the ray from `start` along `delta` first touches a triangle, which may have no area.
pub fn first_touch(start: Whole, delta: Whole, corners: [Whole; 3]) -> Option<Entry> {
    let most = |v: &Whole| v.iter().map(|x| x.abs()).max();
    assert!([start, delta].iter().chain(&corners).all(|v| most(v) <= Some(1 << 10)), "too large");
    let [a, b, c] = corners.map(|corner| minus(corner, start));
    let normal = cross(minus(b, a), minus(c, a));
    let (height, pace) = (dot(normal, a), dot(normal, delta));
    let sides = [(a, b), (b, c), (c, a)];
    let entry = |t: Ratio| Entry { t, pace };
    let has_area = normal != [0; 3];
    let on_edge = |&(p, q): &(Whole, Whole)| cross(p, q) == [0; 3] && dot(p, q) <= 0;
    let inside = |&(p, q): &(Whole, Whole)| dot(normal, cross(p, q)) >= 0;
    if sides.iter().any(on_edge) || has_area && height == 0 && sides.iter().all(inside) {
        return Some(entry(Ratio::new(0, 1)));
    }
    if delta == [0; 3] {
        return None;
    }
    if pace != 0 {
        let t = Ratio::new(height, pace);
        let passes = |&(p, q): &(Whole, Whole)| dot(delta, cross(p, q)).signum() * pace.signum();
        return (t.over >= 0 && sides.iter().all(|side| passes(side) >= 0)).then(|| entry(t));
    }
    if has_area && height != 0 {
        return None;
    }
    let mut first: Option<Ratio> = None;
    for (p, q) in sides {
        let side = minus(q, p);
        let across = cross(delta, side);
        let square = dot(across, across);
        let mut see = |t: Ratio| {
            if t.over >= 0 && first.is_none_or(|first| t.is_before(first)) {
                first = Some(t);
            }
        };
        if square > 0 {
            let along = dot(cross(p, delta), across);
            if dot(p, across) == 0 && (0..=square).contains(&along) {
                see(Ratio::new(dot(cross(p, side), across), square));
            }
        } else if cross(p, delta) == [0; 3] {
            [p, q].iter().for_each(|&end| see(Ratio::new(dot(end, delta), dot(delta, delta))));
        }
    }
    first.map(entry)
}

#[cfg(test)]
mod tests {
    use super::first_touch;

    /// Goal: the entry of rays through faces, edges and corners, in the plane, and of triangles without area.
    #[test]
    fn entries_of_simple_rays_are_exact() {
        let triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
        let at = |start, delta| first_touch(start, delta, triangle).map(|entry| entry.t.value());
        assert_eq!(at([1, 1, 6], [0, 0, -4]), Some(1.5));
        assert_eq!(at([1, 1, -6], [0, 0, 4]), Some(1.5));
        assert_eq!(at([2, 2, 3], [0, 0, -1]), Some(3.0));
        assert_eq!(at([0, 4, 3], [0, 0, -1]), Some(3.0));
        assert_eq!(at([3, 2, 3], [0, 0, -1]), None);
        assert_eq!(at([1, 1, 6], [0, 0, 1]), None);
        assert_eq!(at([-2, 1, 0], [1, 0, 0]), Some(2.0));
        assert_eq!(at([-2, 0, 0], [2, 0, 0]), Some(1.0));
        assert_eq!(at([-2, 1, 1], [1, 0, 0]), None);
        assert_eq!(at([1, 1, 0], [0, 0, 1]), Some(0.0));
        assert_eq!(at([1, 1, 0], [0, 0, 0]), Some(0.0));
        assert_eq!(at([9, 1, 0], [0, 0, 0]), None);
        let needle = [[0, 0, 0], [4, 0, 0], [2, 0, 0]];
        let at = |start, delta| first_touch(start, delta, needle).map(|entry| entry.t.value());
        assert_eq!(at([3, 2, 0], [0, -1, 0]), Some(2.0));
        assert_eq!(at([5, 2, 0], [0, -1, 0]), None);
        assert_eq!(at([9, 0, 0], [-1, 0, 0]), Some(5.0));
    }
}
