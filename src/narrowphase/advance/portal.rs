//! portal
use super::super::gjk::{GJK_ITERATIONS_MAX, Two};
use super::super::roots::first_root;
use super::super::simplex::{Simplex, Vertex};
use super::super::vector::V3;
use super::search::Search;
use super::Step;

const NEXT: [usize; 8] = [0, 2, 0, 0, 1, 2, 1, 0];

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
        let (k1, k2, k3, k4, pushes_max, k5) = self.tune();
        let u = s * (size * k1 / ss);
        let v = n0.cross(s) * (size * k2 / ss);
        let mut back = d * (-size * k3 / nd);
        let mut pushes = 0;
        let (mut second, mut third) = (u + v + back, u - v + back);
        if (second - a).cross(third - a).dot(d) > 0.0 {
            (second, third) = (third, second);
        }
        let (sharp, end) = (k5 * (accept - floor), (d + self.course.path.accel * (0.5 * (to - from))) * (to - from));
        let mut slots = [first; 4];
        let mut corners = [a, second, third, V3::ZERO];
        let mut real = 1_u32;
        let [mut i, mut j, mut k, mut free] = [0, 1, 2, 3];
        let mut w = a;
        let mut supports = 0;
        let (n, vertex) = loop {
            let n = (corners[j] - w).cross(corners[k] - w);
            let nn = n.square();
            supports += 1;
            let vertex = two.support(n);
            let next = vertex.at - x0;
            let beyond = n.dot(next - w);
            let past = n.dot(end - next);
            if past > 0.0 && past * past > floor * floor * nn || supports >= GJK_ITERATIONS_MAX {
                break (n, vertex);
            }
            if !(beyond > 0.0 && beyond * beyond > sharp * sharp * nn) {
                if real >> i & real >> j & real >> k & 1 == 1 || pushes == pushes_max {
                    break (n, vertex);
                }
                pushes += 1;
                back = back * k4;
                for slot in [i, j, k] {
                    if real >> slot & 1 == 0 {
                        corners[slot] = corners[slot] + back;
                    }
                }
                w = corners[i];
                continue;
            }
            let m = next.cross(d);
            let side = |slot: usize| usize::from(m.dot(corners[slot]) > 0.0);
            let sides = side(i) | side(j) << 1 | side(k) << 2;
            slots[free] = vertex;
            corners[free] = next;
            real |= 1 << free;
            let old = [i, j, k, i, j];
            let gone = NEXT[sides];
            (i, j, k, free) = (free, old[gone + 1], old[gone + 2], old[gone]);
            real &= !(1 << free);
            w = next;
        };
        simplex.len = 0;
        for slot in [i, j, k] {
            if real >> slot & 1 == 1 {
                simplex.push(slots[slot]);
            }
        }
        self.supports += supports;
        let Some(normal) = n.unit() else { return Some((t, led)) };
        let gap = normal.dot(x0 - vertex.at);
        if gap > floor {
            watch(self.step(t, gap, normal));
            t += first_root(gap - floor, normal.dot(d), 0.5 * normal.dot(self.course.path.accel));
            self.rounds += 1;
            led = Some(normal);
            if t > to {
                return None;
            }
        }
        Some((t, led))
    }

    fn tune(&self) -> (f64, f64, f64, f64, u32, f64) {
        use std::sync::OnceLock;
        static T: OnceLock<(f64, f64, f64, f64, u32, f64)> = OnceLock::new();
        *T.get_or_init(|| {
            let s = std::env::var("TUNE").unwrap_or("1,1,1,32,2,0.75".into());
            let v: std::vec::Vec<f64> = s.split(',').map(|x| x.parse().unwrap()).collect();
            (v[0], v[1], v[2], v[3], v[4] as u32, v[5])
        })
    }
}
