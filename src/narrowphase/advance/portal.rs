//! portal
use super::super::gjk::{GJK_ITERATIONS_MAX, Two};
use super::super::roots::first_root;
use super::super::simplex::{Simplex, Vertex};
use super::super::vector::V3;
use super::search::Search;
use super::{ADVANCE_ROUNDS_MAX, Step};

const NEXT: [usize; 8] = [3, 2, 0, 0, 1, 2, 1, 3];

impl Search<'_> {
    #[inline]
    pub(super) fn portal(
        &mut self,
        two: &Two<'_>,
        simplex: &mut Simplex,
        n0: V3,
        (floor, accept): (f64, f64),
        [from, to]: [f64; 2],
        watch: &mut impl FnMut(Step),
    ) -> Option<(f64, Option<V3>)> {
        let mut t = from;
        let x0 = self.course.between(t);
        let d = self.course.velocity(t);
        let first = simplex.vertices[simplex.len - 1];
        let mut led = None;
        let a = first.at - x0;
        let s = -a + n0 * n0.dot(a);
        let nd = n0.dot(d);
        let ss = s.length();
        let size = two.a.shape.size + two.b.shape.size;
        if !(ss > 1e-6 * size) || !(nd < 0.0) {
            return Some((t, led));
        }
        let (k1, k2, k3, k4, pushes_max) = self.tune();
        let u = s * (size * k1 / ss);
        let v = n0.cross(s) * (size * k2 / ss);
        let mut back = d * (-size * k3 / nd);
        let mut pushes = 0;
        let mut corners = [a, u + v + back, u - v + back];
        if (corners[1] - a).cross(corners[2] - a).dot(d) > 0.0 {
            corners = [corners[0], corners[2], corners[1]];
        }
        let sharp = 0.5 * (accept - floor);
        let mut real = [true, false, false];
        let mut vertices = [first; 3];
        let (mut supports, mut rounds) = (0, 0);
        while supports < GJK_ITERATIONS_MAX && self.rounds + rounds < ADVANCE_ROUNDS_MAX {
            let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let length = n.length();
            if !(length > 1e-12 * size * size) {
                break;
            }
            supports += 1;
            let vertex = two.support(n);
            let normal = n * (1.0 / length);
            let gap = normal.dot(self.course.between(t) - vertex.at);
            if gap > floor {
                watch(self.step(t, gap, normal));
                t += first_root(gap - floor, normal.dot(d), 0.0);
                rounds += 1;
                led = Some(normal);
                if t > to {
                    self.rounds += rounds;
                    self.supports += supports;
                    return None;
                }
            }
            let w = vertex.at - x0;
            if !(n.dot(w - corners[0]) > sharp * length) {
                if real[0] & real[1] & real[2] || pushes == pushes_max {
                    break;
                }
                pushes += 1;
                back = back * k4;
                for k in 0..3 {
                    if !real[k] {
                        corners[k] = corners[k] + back;
                    }
                }
                continue;
            }
            let m = w.cross(d);
            let side = |i: usize| usize::from(m.dot(corners[i]) > 0.0) << i;
            let k = NEXT[side(0) | side(1) | side(2)];
            if k > 2 {
                break;
            }
            corners[k] = w;
            vertices[k] = vertex;
            real[k] = true;
        }
        simplex.len = 0;
        for k in 0..3 {
            if real[k] {
                simplex.push(vertices[k]);
            }
        }
        self.rounds += rounds;
        self.supports += supports;
        Some((t, led))
    }

    fn tune(&self) -> (f64, f64, f64, f64, u32) {
        use std::sync::OnceLock;
        static T: OnceLock<(f64, f64, f64, f64, u32)> = OnceLock::new();
        *T.get_or_init(|| {
            let s = std::env::var("TUNE").unwrap_or("1,1,1,8,2".into());
            let v: std::vec::Vec<f64> = s.split(',').map(|x| x.parse().unwrap()).collect();
            (v[0], v[1], v[2], v[3], v[4] as u32)
        })
    }
}
