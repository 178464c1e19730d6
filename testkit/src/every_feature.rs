//! Distance of two convex hulls, by testing all of their triangles.
//!
//! Each three points of a hull are a triangle in it, and the nearest points of two hulls that do not overlap
//! are in such triangles. The nearest points of two triangles that do not intersect are a corner and a point
//! of the other, or on two edges. Ericson 2005, §5.1.5 and §5.1.9: by the regions around a triangle, and by
//! clamping along two segments. Everything is in `f64`, without a cache and without a search.

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn along(a: Point, d: Point, t: f64) -> Point {
    [0, 1, 2].map(|k| a[k] + d[k] * t)
}

fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn far(a: Point, b: Point) -> f64 {
    let way = minus(a, b);
    dot(way, way).sqrt()
}

/// The distance of two hulls that do not overlap.
pub fn distance(a: &[Point], b: &[Point]) -> f64 {
    let mut least = f64::INFINITY;
    for (points, others) in [(a, b), (b, a)] {
        for &p in others {
            for (i, &q) in points.iter().enumerate() {
                for (j, &r) in points[..=i].iter().enumerate() {
                    for &s in &points[..=j] {
                        least = least.min(point_triangle(p, q, r, s));
                    }
                }
            }
        }
    }
    for (i, &p) in a.iter().enumerate() {
        for &q in &a[..i] {
            for (j, &r) in b.iter().enumerate() {
                for &s in &b[..j] {
                    least = least.min(segments(p, q, r, s));
                }
            }
        }
    }
    least
}

fn point_segment(p: Point, q: Point, r: Point) -> f64 {
    let d = minus(r, q);
    let square = dot(d, d);
    let t = if square > 0.0 { (dot(minus(p, q), d) / square).clamp(0.0, 1.0) } else { 0.0 };
    far(p, along(q, d, t))
}

fn point_triangle(p: Point, a: Point, b: Point, c: Point) -> f64 {
    let edges = point_segment(p, a, b).min(point_segment(p, b, c)).min(point_segment(p, c, a));
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(p, a));
    let (bb, bc, cc) = (dot(ab, ab), dot(ab, ac), dot(ac, ac));
    let (pb, pc) = (dot(ap, ab), dot(ap, ac));
    let area = bb * cc - bc * bc;
    if area <= 1e-12 * bb * cc {
        return edges;
    }
    let (v, w) = ((cc * pb - bc * pc) / area, (bb * pc - bc * pb) / area);
    let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    if inside { far(p, along(along(a, ab, v), ac, w)).min(edges) } else { edges }
}

fn segments(p: Point, q: Point, r: Point, s: Point) -> f64 {
    let (d, e, between) = (minus(q, p), minus(s, r), minus(p, r));
    let (dd, de, ee) = (dot(d, d), dot(d, e), dot(e, e));
    let (to_d, to_e) = (dot(d, between), dot(e, between));
    let area = dd * ee - de * de;
    let t = if area > 1e-12 * dd * ee { (de * to_e - to_d * ee) / area } else { 0.0 };
    let ends = point_segment(p, r, s)
        .min(point_segment(q, r, s))
        .min(point_segment(r, p, q))
        .min(point_segment(s, p, q));
    if !(0.0..=1.0).contains(&t) || ee == 0.0 {
        return ends;
    }
    let u = (de * t + to_e) / ee;
    if !(0.0..=1.0).contains(&u) {
        return ends;
    }
    far(along(p, d, t), along(r, e, u)).min(ends)
}
