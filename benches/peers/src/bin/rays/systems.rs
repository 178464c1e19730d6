//! The calls of each system for the first box that a segment enters.
//!
//! The clock covers one call for each segment, of the public function of the crate:
//!
//! | system | tree | a segment |
//! |---|---|---|
//! | swath | `Bvh::build`, from columns | `Queries::cast(..).closest()` |
//! | swath-batch | the same | `Queries::casts(..).closest(..)`, all at once |
//! | obvhs-fastest | `build_cwbvh` with its fastest settings | `CwBvh::ray_traverse` |
//! | obvhs-medium | the same with `medium_build`, for segments | the same |
//! | parry | `Bvh::from_leaves`, binned | `Bvh::cast_ray` |
//! | Embree | `rtcCommitScene` with user geometry, default quality | `rtcIntersect1` |
//!
//! Outside of the clock are the peers' own types of boxes and rays, with their reciprocals. A peer's leaf is
//! tested by a slab test with precomputed reciprocals, on boxes in the order of its tree if it has one. On
//! several threads segments are distributed by rayon, eight parts of the block per thread. Embree is there if this crate is
//! built with the feature `engines` and it is installed; it builds on threads of its own.

use std::ops::Range;
use std::time::Duration;

use obvhs::BvhBuildParams;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh;
use obvhs::ray::RayHit;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy};
use rayon::prelude::*;
use std::sync::Mutex;
use swath::batch::Hit;
use swath::broadphase::Visits;
use swath::{Bvh, Segment};

use crate::scene::Scene;

/// The row of the box and the fraction.
pub(crate) type Answer = Option<(u32, f32)>;

/// Computes some rows.
type Ask<'a> = Box<dyn FnMut(Range<usize>, &mut [Answer]) + Send + 'a>;

/// The Debian package of Embree.
#[cfg(feature = "engines")]
const EMBREE: &str = "libembree-dev";

pub(crate) struct Build<'a> {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) run: Box<dyn FnMut() + Send + 'a>,
}

pub(crate) struct System<'a> {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    /// Whether all segments are computed at once.
    pub(crate) at_once: bool,
    pub(crate) run: Ask<'a>,
}

/// The trees of all systems.
pub(crate) struct Trees<'a> {
    scene: &'a Scene,
    swath: Bvh,
    fastest: Option<CwBvh>,
    medium: Option<CwBvh>,
    parry: Option<ParryBvh>,
    #[cfg(feature = "engines")]
    embree: Option<engines::embree::Boxes>,
    hits: Mutex<Vec<Hit>>,
    of_obvhs: Vec<obvhs::aabb::Aabb>,
    of_parry: Vec<parry3d::bounding_volume::Aabb>,
}

/// A segment, with reciprocals.
struct Slab {
    start: [f32; 3],
    per_d: [f32; 3],
}

impl Slab {
    fn new(segment: &Segment) -> Self {
        Self { start: segment.start, per_d: segment.delta.map(|d| 1.0 / d) }
    }

    /// The fraction at which the box is entered, or infinity.
    #[inline(always)]
    fn enter(&self, min: [f32; 3], max: [f32; 3], most: f32) -> f32 {
        let (mut entry, mut exit) = (0.0_f32, most);
        for axis in 0..3 {
            let from = (min[axis] - self.start[axis]) * self.per_d[axis];
            let to = (max[axis] - self.start[axis]) * self.per_d[axis];
            entry = entry.max(from.min(to));
            exit = exit.min(from.max(to));
        }
        if entry <= exit { entry } else { f32::INFINITY }
    }
}

impl<'a> Trees<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let of_obvhs =
            scene.boxes.iter().map(|of| obvhs::aabb::Aabb::new(of.min.into(), of.max.into()));
        let of_parry = scene.boxes.iter().map(|of| {
            parry3d::bounding_volume::Aabb::new(Vector::from(of.min), Vector::from(of.max))
        });
        #[cfg(feature = "engines")]
        let corners = |of: &swath::Aabb| {
            std::array::from_fn(|k| if k < 3 { of.min[k] } else { of.max[k - 3] })
        };
        Self {
            scene,
            #[cfg(feature = "engines")]
            embree: engines::embree::Boxes::new(
                scene.boxes.iter().map(corners).collect(),
                rayon::current_num_threads(),
            ),
            swath: Bvh::new(),
            fastest: None,
            medium: None,
            parry: None,
            hits: Mutex::default(),
            of_obvhs: of_obvhs.collect(),
            of_parry: of_parry.collect(),
        }
    }

    pub(crate) fn builds(&mut self) -> Vec<Build<'_>> {
        let Self { scene, swath, fastest, medium, parry, of_obvhs, of_parry, .. } = self;
        let (of_obvhs, of_parry) = (&*of_obvhs, &*of_parry);
        let obvhs = |to: &mut Option<CwBvh>, params| {
            *to = Some(build_cwbvh(of_obvhs, params, &mut Duration::default()));
        };
        let build = |name, package, run| Build { name, package, run };
        let builds = vec![
            build(
                "swath",
                "swath",
                Box::new(|| {
                    swath.build(scene.fixed()).expect("there are not too many boxes");
                }),
            ),
            build(
                "obvhs-fastest",
                "obvhs",
                Box::new(move || {
                    obvhs(fastest, BvhBuildParams::fastest_build());
                }),
            ),
            build(
                "obvhs-medium",
                "obvhs",
                Box::new(move || {
                    obvhs(medium, BvhBuildParams::medium_build());
                }),
            ),
            build(
                "parry",
                "parry3d",
                Box::new(|| {
                    *parry = Some(ParryBvh::from_leaves(BvhBuildStrategy::Binned, of_parry));
                }),
            ),
        ];
        #[cfg(feature = "engines")]
        let builds = {
            let embree = self.embree.iter_mut();
            let of_embree =
                embree.map(|boxes| build("Embree", EMBREE, Box::new(move || boxes.build())));
            builds.into_iter().chain(of_embree).collect()
        };
        builds
    }

    /// Mean number of nodes and leaves of swath's tree that a segment visits.
    pub(crate) fn visits(&self) -> [f64; 2] {
        let mut visits = Visits::default();
        for segment in &self.scene.segments {
            let query = self.swath.queries().cast(segment).expect("it is a segment");
            let _ = query.counting(&mut visits).closest();
        }
        [visits.nodes, visits.leaves].map(|sum| sum as f64 / self.scene.segments.len() as f64)
    }

    pub(crate) fn systems(&self) -> Vec<System<'_>> {
        let queries = self.swath.queries();
        let segments = &self.scene.segments[..];
        let mut systems = vec![System {
            name: "swath",
            package: "swath",
            at_once: false,
            run: Box::new(move |rows, out| {
                spread(&segments[rows], out, |segment| {
                    let query = queries.cast(segment).expect("it is a segment");
                    query.closest().map(|hit| (hit.row, hit.value))
                });
            }),
        }];
        systems.push(System {
            name: "swath-batch",
            package: "swath",
            at_once: true,
            run: Box::new(move |_, out| {
                let segments = self.scene.store.checked();
                let mut hits = self.hits.lock().expect("no other thread");
                hits.resize(segments.len(), Hit::MISS);
                queries.casts(&segments).closest(&mut hits).expect("there is room");
                for (out, hit) in out.iter_mut().zip(&*hits) {
                    *out = hit.is_hit().then_some((hit.row, hit.value));
                }
            }),
        });
        for (name, tree) in [("obvhs-fastest", &self.fastest), ("obvhs-medium", &self.medium)] {
            let Some(tree) = tree else { continue };
            let boxes: Vec<_> =
                tree.primitive_indices.iter().map(|&row| self.scene.boxes[row as usize]).collect();
            let rays: Vec<_> = segments
                .iter()
                .map(|of| {
                    let ray = obvhs::ray::Ray::new(
                        of.start.into(),
                        of.delta.into(),
                        0.0,
                        of.max_fraction,
                    );
                    (ray, Slab::new(of))
                })
                .collect();
            systems.push(System {
                name,
                package: "obvhs",
                at_once: false,
                run: Box::new(move |rows, out| {
                    spread(&rays[rows], out, |(ray, slab)| {
                        let mut hit = RayHit::none();
                        let found = tree.ray_traverse(*ray, &mut hit, |ray, id| {
                            slab.enter(boxes[id].min, boxes[id].max, ray.tmax)
                        });
                        let row = || tree.primitive_indices[hit.primitive_id as usize];
                        found.then(|| (row(), hit.t))
                    });
                }),
            });
        }
        if let Some(tree) = &self.parry {
            let rays: Vec<_> = segments
                .iter()
                .map(|of| {
                    let ray =
                        parry3d::query::Ray::new(Vector::from(of.start), Vector::from(of.delta));
                    (ray, of.max_fraction, Slab::new(of))
                })
                .collect();
            let boxes = &self.scene.boxes;
            systems.push(System {
                name: "parry",
                package: "parry3d",
                at_once: false,
                run: Box::new(move |rows, out| {
                    spread(&rays[rows], out, |(ray, max, slab)| {
                        tree.cast_ray(ray, *max, |row, best| {
                            let aabb = &boxes[row as usize];
                            let at = slab.enter(aabb.min, aabb.max, best);
                            (at < f32::INFINITY).then_some(at)
                        })
                    });
                }),
            });
        }
        #[cfg(feature = "engines")]
        if let Some(tree) = self.embree.as_ref().filter(|tree| tree.is_built()) {
            let prepare =
                |of: &Segment| engines::embree::Segment::new(of.start, of.delta, of.max_fraction);
            let rays: Vec<_> = segments.iter().map(prepare).collect();
            systems.push(System {
                name: "Embree",
                package: EMBREE,
                at_once: false,
                run: Box::new(move |rows, out| spread(&rays[rows], out, |ray| tree.closest(ray))),
            });
        }
        systems
    }
}

/// Computes each, on the threads of the pool if there are several.
fn spread<T: Sync>(items: &[T], out: &mut [Answer], ask: impl Fn(&T) -> Answer + Sync) {
    if rayon::current_num_threads() == 1 {
        for (item, out) in items.iter().zip(out) {
            *out = ask(item);
        }
    } else {
        items.par_iter().zip(out).with_min_len(128).for_each(|(item, out)| *out = ask(item));
    }
}
