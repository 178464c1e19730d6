//! Boxes that have bodies in them: what queries of shapes search, and the function of the caller that returns the body of a box.

use crate::border::{Opaque as _, borrow};
use crate::broadphase::swath_broadphase;
use crate::error::{Failure, Outcome, SWATH_ERROR_NULL, guard, swath_status};
use crate::fixed_boxes::swath_fixed_boxes;
use crate::proxy::SWATH_NO_INDEX;
use crate::proxy_queries::{restricted, swath_query};
use crate::queries::{filtered, swath_bvh};
use crate::shapes::{swath_pose, swath_shape};
use crate::values::swath_proxy_id;
use crate::workers::Workers;
use std::ffi::c_void;
use std::ptr::null;
use std::sync::Mutex;
use swath::broadphase::ProxyQueries;
use swath::mesh::Geometry;
use swath::{Pose, ProxyId, Queries, Shape};

/// A shape at a pose. A structure of zeros is not valid: its quaternion is zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_body {
    /// The shape, which lives until the query returns. NULL: there is no body, and the query does not find it.
    pub shape: *const swath_shape,
    /// Where it is. A body whose pose is invalid is not found.
    pub pose: swath_pose,
}

/// Bodies in the boxes of a tree, of fixed boxes or of a broadphase. Fields that are not named in an initialiser are zero. A structure of zeros is not
/// valid: there must be one object, and the function.
///
/// A query tests the boxes first, and then the bodies in those that it meets. So the box of a body must contain it; what is outside is not
/// found. In a broadphase the boxes are those at the start of the tick, and its queries must be prepared.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_bodies {
    /// The tree, or NULL. One of the three objects is not NULL.
    pub bvh: *const swath_bvh,
    /// The fixed boxes, or NULL.
    pub fixed: *const swath_fixed_boxes,
    /// The broadphase, or NULL.
    pub broadphase: *const swath_broadphase,
    /// Which boxes count. Without a broadphase, only the filter is possible.
    pub query: swath_query,
    /// Is passed to `body`.
    pub user: *mut c_void,
    /// Writes the body in a box to `body`, which has no shape before; not NULL. `id` is the id of a proxy; in a tree or fixed boxes its index is
    /// the row, and its generation is 0. The function may query the object, but not change it. Calls for many rows call it from
    /// several threads at the same time.
    pub body:
        Option<unsafe extern "C" fn(user: *mut c_void, id: swath_proxy_id, body: *mut swath_body)>,
}

/// The id of no body.
pub(crate) const NO_BODY: swath_proxy_id =
    swath_proxy_id { index: SWATH_NO_INDEX, generation: SWATH_NO_INDEX };

/// What a body is found by in Rust: a row or an id.
pub(crate) trait BodyId: Copy {
    /// Returns the id in C.
    fn id(self) -> swath_proxy_id;
}

impl BodyId for u32 {
    fn id(self) -> swath_proxy_id {
        swath_proxy_id { index: self, generation: 0 }
    }
}

impl BodyId for ProxyId {
    fn id(self) -> swath_proxy_id {
        self.into()
    }
}

/// The boxes that a query searches.
pub(crate) enum Searched<'a> {
    Rows(Queries<'a>),
    Proxies(ProxyQueries<'a>),
}

/// Evaluates an expression with the queries of rows or of proxies.
macro_rules! with_queries {
    ($searched:expr, |$queries:ident| $answer:expr) => {
        match $searched {
            $crate::shape_bodies::Searched::Rows($queries) => $answer,
            $crate::shape_bodies::Searched::Proxies($queries) => $answer,
        }
    };
}
pub(crate) use with_queries;

/// The function of the caller that returns bodies, with its data.
pub(crate) struct Place {
    user: *mut c_void,
    body: unsafe extern "C" fn(*mut c_void, swath_proxy_id, *mut swath_body),
    /// The first error of a body.
    failure: Mutex<Option<Failure>>,
}

// SAFETY: the header states that the function is called from several threads at the same time.
unsafe impl Sync for Place {}

impl Place {
    /// Returns the body of a box. Without one, the pose is invalid, so that no query finds it.
    ///
    /// # Safety
    ///
    /// The function and its data are as the header states, and the shapes that it writes live for `'s`.
    pub(crate) unsafe fn of<'s>(&self, id: impl BodyId) -> (Geometry<'s>, Pose) {
        let nowhere = (Shape::point().into(), Pose { position: [f32::NAN; 3], ..Pose::IDENTITY });
        let mut body =
            swath_body { shape: null(), pose: bytemuck::cast::<Pose, swath_pose>(Pose::IDENTITY) };
        // SAFETY: the function and `user` are those of the caller, and `body` lives until it returns.
        unsafe { (self.body)(self.user, id.id(), &raw mut body) };
        if body.shape.is_null() {
            return nowhere;
        }
        // SAFETY: the caller promises it.
        match unsafe { borrow(body.shape, "shape") } {
            Ok(shape) => (shape.geometry(), bytemuck::cast(body.pose)),
            Err(error) => {
                if let Ok(mut failure) = self.failure.lock() {
                    failure.get_or_insert(error.of(&format!("the body {}", id.id().index)));
                }
                nowhere
            }
        }
    }

    /// Returns the first error of a body.
    pub(crate) fn check(&self) -> Outcome {
        match self.failure.lock() {
            Ok(mut failure) => failure.take().map_or(Ok(()), Err),
            Err(_) => Ok(()),
        }
    }
}

impl swath_bodies {
    /// Returns the function that returns bodies.
    fn place(&self) -> Outcome<Place> {
        match self.body {
            Some(body) => Ok(Place { user: self.user, body, failure: Mutex::new(None) }),
            None => Err(Failure::argument("bodies: the function `body` is NULL")),
        }
    }

    /// Checks that there is one object, and that a tree and fixed boxes have no restrictions of proxies.
    fn check(&self) -> Outcome {
        let given = [!self.bvh.is_null(), !self.fixed.is_null(), !self.broadphase.is_null()]
            .map(usize::from);
        match given.iter().sum() {
            0 => {
                let message = "bodies: bvh, fixed and broadphase are NULL; expected one object";
                return Err(Failure::new(SWATH_ERROR_NULL, message));
            }
            1 => {}
            _ => {
                let message = "bodies: more than one of bvh, fixed and broadphase is not NULL";
                return Err(Failure::argument(message));
            }
        }
        let swath_query { without_owner, without_kinds, .. } = self.query;
        if self.broadphase.is_null() && (without_owner != 0 || without_kinds != 0) {
            let message =
                "query: without_owner and without_kinds must be 0; only proxies have them";
            return Err(Failure::argument(message));
        }
        Ok(())
    }
}

/// Calls `answer` with the boxes that are searched, the bodies in them, and the threads of the object.
///
/// # Safety
///
/// As the header states for the pointers.
pub(crate) unsafe fn search(
    bodies: *const swath_bodies,
    answer: impl FnOnce(Searched<'_>, &Place, &Workers) -> Outcome,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let bodies = unsafe { borrow(bodies, "bodies") }?;
        bodies.check()?;
        let place = bodies.place()?;
        if !bodies.bvh.is_null() {
            // SAFETY: as above.
            let tree = unsafe { borrow(bodies.bvh, "bvh") }?.handle().read()?;
            // SAFETY: as above.
            let queries = unsafe { filtered(tree.bvh.queries(), bodies.query.filter) }?;
            return answer(Searched::Rows(queries), &place, &tree.workers);
        }
        if !bodies.fixed.is_null() {
            // SAFETY: as above.
            let fixed = unsafe { borrow(bodies.fixed, "fixed") }?.handle().read()?;
            // SAFETY: as above.
            let queries = unsafe { filtered(fixed.boxes.queries(), bodies.query.filter) }?;
            return answer(Searched::Rows(queries), &place, &fixed.workers);
        }
        // SAFETY: as above.
        let world = unsafe { borrow(bodies.broadphase, "broadphase") }?.handle().read()?;
        // SAFETY: as above.
        let queries = unsafe { restricted(&world, Some(&bodies.query)) }?;
        answer(Searched::Proxies(queries), &place, &world.workers)
    })
}
