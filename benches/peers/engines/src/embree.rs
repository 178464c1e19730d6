//! Boxes in a tree of Embree, if its Debian package is installed.

/// A segment, with reciprocals.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    start: [f32; 3],
    delta: [f32; 3],
    per_delta: [f32; 3],
    max_fraction: f32,
}

impl Segment {
    pub fn new(start: [f32; 3], delta: [f32; 3], max_fraction: f32) -> Self {
        Self { start, delta, per_delta: delta.map(|d| 1.0 / d), max_fraction }
    }
}

#[cfg(not(embree))]
pub use left_out::Boxes;
#[cfg(embree)]
pub use linked::Boxes;

#[cfg(embree)]
mod linked {
    use std::ffi::c_void;

    use super::Segment;

    unsafe extern "C" {
        fn engine_embree_new(boxes: *const f32, count: u32, threads: u32) -> *mut c_void;
        fn engine_embree_build(tree: *mut c_void) -> i32;
        fn engine_embree_replace(tree: *mut c_void, boxes: *const f32, count: u32);
        fn engine_embree_beside(tree: *const c_void) -> *mut c_void;
        fn engine_embree_pairs(
            a: *const c_void,
            b: *const c_void,
            out: *mut u32,
            capacity: usize,
        ) -> usize;
        fn engine_embree_closest(
            tree: *const c_void,
            segment: *const Segment,
            row: *mut u32,
            fraction: *mut f32,
        ) -> i32;
        fn engine_embree_free(tree: *mut c_void);
    }

    /// Boxes, with a tree once it is built.
    #[derive(Debug)]
    pub struct Boxes {
        /// Embree reads the corners where they are, so they are neither moved nor changed.
        corners: Vec<[f32; 6]>,
        pointer: *mut c_void,
        built: bool,
    }

    // SAFETY: Embree binds neither a device nor a scene to a thread.
    unsafe impl Send for Boxes {}
    // SAFETY: through a shared reference there are only `rtcIntersect1` and `rtcCollide`, which may run on several threads at
    // once for a scene that does not change, and reads of the corners.
    unsafe impl Sync for Boxes {}

    impl Boxes {
        /// Boxes as least and greatest corners, and a device with this many threads.
        pub fn new(corners: Vec<[f32; 6]>, threads: usize) -> Option<Self> {
            let [count, threads] = [corners.len(), threads].map(|n| u32::try_from(n).expect("few"));
            // SAFETY: `corners` are `count` times six numbers, which live as long as `Self`.
            let pointer =
                unsafe { engine_embree_new(corners.as_flattened().as_ptr(), count, threads) };
            assert!(!pointer.is_null(), "Embree cannot create a device");
            Some(Self { corners, pointer, built: false })
        }

        /// Builds the tree anew.
        pub fn build(&mut self) {
            // SAFETY: `pointer` is from `new` and not freed before `drop`, and no other thread uses it.
            let built = unsafe { engine_embree_build(self.pointer) };
            assert!(built == 1, "Embree cannot build a tree");
            self.built = true;
        }

        pub fn is_built(&self) -> bool {
            self.built
        }

        /// Writes new boxes, and drops the tree.
        pub fn replace(&mut self, corners: impl Iterator<Item = [f32; 6]>) {
            self.built = false;
            self.corners.clear();
            self.corners.extend(corners);
            let count = u32::try_from(self.corners.len()).expect("few");
            let boxes = self.corners.as_flattened().as_ptr();
            // SAFETY: `pointer` is from `new`, and no other thread uses it. `boxes` are `count` times six numbers, which
            // live as long as `Self`; Embree does not read them between the two statements, because it only reads in calls.
            unsafe { engine_embree_replace(self.pointer, boxes, count) };
        }

        /// No boxes, on the same device, which [`Self::pairs`] needs.
        pub fn beside(&self) -> Self {
            // SAFETY: `pointer` is from `new` or from here, and not freed before `drop`.
            let pointer = unsafe { engine_embree_beside(self.pointer) };
            assert!(!pointer.is_null(), "no memory");
            Self { corners: Vec::new(), pointer, built: false }
        }

        /// Writes all pairs of rows, of this and of `other`, whose boxes share a point to the start of `out`, which grows if
        /// it must, and returns their number. With itself, each pair is found once, the lower row first.
        pub fn pairs(&self, other: &Self, out: &mut Vec<[u32; 2]>) -> usize {
            assert!(self.built && other.built, "trees are built first");
            loop {
                let (start, room) = (out.as_flattened_mut().as_mut_ptr(), out.len());
                // SAFETY: both pointers are from `new` or `beside`, with scenes that `build` has committed, and `out` has
                // room for `room` pairs.
                let count =
                    unsafe { engine_embree_pairs(self.pointer, other.pointer, start, room) };
                assert_ne!(count, usize::MAX, "trees are on one device");
                if count <= room {
                    return count;
                }
                out.resize(count, [0; 2]);
            }
        }

        /// The row of the first box that a segment enters, and the fraction.
        pub fn closest(&self, segment: &Segment) -> Option<(u32, f32)> {
            assert!(self.built, "a tree is built first");
            let (mut row, mut fraction) = (0, 0.0);
            // SAFETY: `pointer` is from `new`, with a scene that `build` has committed. `Segment` has the layout of
            // `embree.h`, and both results have room for one number.
            let hit = unsafe {
                engine_embree_closest(self.pointer, segment, &raw mut row, &raw mut fraction)
            };
            (hit == 1).then_some((row, fraction))
        }
    }

    impl Drop for Boxes {
        fn drop(&mut self) {
            // SAFETY: `pointer` is from `new`, and this is the only call that frees it.
            unsafe { engine_embree_free(self.pointer) };
        }
    }

    /// Goal: Embree gets the boxes and segments that it is given. Method: a row of cubes with gaps, of which a segment
    /// along the row enters the nearest after a quarter of its length, and one from a gap after an eighth; one that starts
    /// inside of a cube is there at once; one that is too short and one beside the row hit nothing.
    #[test]
    fn segment_enters_the_nearest_box() {
        let cubes = (0..100_u8).map(|k| {
            let x = 2.0 * f32::from(k);
            [x, 0.0, 0.0, x + 1.0, 1.0, 1.0]
        });
        let mut boxes = Boxes::new(cubes.rev().collect(), 1).expect("it is linked");
        boxes.build();
        let along = |x, y, max| Segment::new([x, y, 0.5], [4.0, 0.0, 0.0], max);
        assert_eq!(boxes.closest(&along(-1.0, 0.5, 1.0)), Some((99, 0.25)));
        assert_eq!(boxes.closest(&along(3.5, 0.5, 1.0)), Some((97, 0.125)));
        assert_eq!(boxes.closest(&along(2.5, 0.5, 1.0)), Some((98, 0.0)));
        assert_eq!(boxes.closest(&along(-1.0, 0.5, 0.125)), None);
        assert_eq!(boxes.closest(&along(-1.0, 1.5, 1.0)), None);
    }

    /// Goal: every pair that shares a point is found once, the lower row first. Method: a row of cubes, of which each touches
    /// only its neighbours, in an order in which neighbours are far apart.
    #[test]
    fn cubes_in_a_row_pair_with_their_neighbours() {
        let place = |row: u16| row * 37 % 1000;
        let cube = |x: f32| [x, 0.0, 0.0, x + 1.0, 1.0, 1.0];
        let mut boxes = Boxes::new(Vec::new(), 2).expect("it is linked");
        boxes.replace((0..1000).map(|row| cube(f32::from(place(row)))));
        boxes.build();
        let mut found = Vec::new();
        let count = boxes.pairs(&boxes, &mut found);
        assert_eq!(count, 999);
        found.truncate(count);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 999);
        for [a, b] in found {
            let [at_a, at_b] = [a, b].map(|row| place(row as u16));
            assert!(a < b && at_a.abs_diff(at_b) == 1, "{a} {b}");
        }
        let mut other = boxes.beside();
        other.replace([cube(2.5)].into_iter());
        other.build();
        let mut found = Vec::new();
        assert_eq!(other.pairs(&boxes, &mut found), 2);
        let mut places = found.iter().map(|&[_, row]| place(row as u16)).collect::<Vec<_>>();
        places.sort_unstable();
        assert_eq!(places, [2, 3]);
        other.replace(std::iter::empty());
        other.build();
        assert_eq!([other.pairs(&boxes, &mut found), boxes.pairs(&other, &mut found)], [0, 0]);
    }
}

#[cfg(not(embree))]
mod left_out {
    use super::Segment;

    /// [`Self::new`] returns none without Embree.
    #[derive(Debug)]
    pub struct Boxes;

    const NONE: &str = "there is no Embree";

    impl Boxes {
        pub fn new(_: Vec<[f32; 6]>, _: usize) -> Option<Self> {
            None
        }

        pub fn build(&mut self) {
            unreachable!("{NONE}")
        }

        pub fn is_built(&self) -> bool {
            unreachable!("{NONE}")
        }

        pub fn replace(&mut self, _: impl Iterator<Item = [f32; 6]>) {
            unreachable!("{NONE}")
        }

        pub fn beside(&self) -> Self {
            unreachable!("{NONE}")
        }

        pub fn pairs(&self, _: &Self, _: &mut Vec<[u32; 2]>) -> usize {
            unreachable!("{NONE}")
        }

        pub fn closest(&self, _: &Segment) -> Option<(u32, f32)> {
            unreachable!("{NONE}")
        }
    }
}
