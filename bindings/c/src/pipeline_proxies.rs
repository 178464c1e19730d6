//! The impacts of the proxies of a broadphase in a tick, in the order of time.

use crate::border::{Opaque as _, borrow, optional, out};
use crate::broadphase::swath_broadphase;
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::impacts::swath_proxy_tick;
use crate::pipeline::{flags_of, swath_body_flags, swath_pipeline};
use crate::shapes::{swath_motion, swath_shape};
use crate::values::swath_proxy_id;
use bytemuck::Zeroable as _;
use std::ffi::c_void;
use std::ptr::null;
use swath::pipeline::{BodyFlags, BodyInfo};
use swath::{Motion, ProxyId};

/// What a program stores about a proxy besides its box.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_proxy_body {
    /// The shape, which lives until the tick returns. NULL: the body is its box, and `motion` is not read.
    pub shape: *const swath_shape,
    /// How the shape moves in the tick.
    pub motion: swath_motion,
    /// `SWATH_BODY_CCD`, `SWATH_BODY_SENSOR`, their sum, or 0.
    pub flags: swath_body_flags,
}

/// A function of the caller that describes proxies. A structure of zeros is not valid.
///
/// `body` is called once for each proxy that is in a pair, in the order of ids, on the thread that called `swath_pipeline_tick_proxies`. It
/// writes the description to `body`, which is that of a box without flags before. It must use neither the pipeline nor the broadphase.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_proxy_bodies {
    /// Is passed to `body`.
    pub user: *mut c_void,
    /// Describes a proxy; not NULL.
    pub body: Option<
        unsafe extern "C" fn(user: *mut c_void, id: swath_proxy_id, body: *mut swath_proxy_body),
    >,
}

impl swath_proxy_body {
    /// Reads the description of a proxy.
    ///
    /// # Safety
    ///
    /// The pointer is as the header states, and the shape lives for `'s`.
    unsafe fn get<'s>(&self) -> Outcome<BodyInfo<'s>> {
        let flags = flags_of(self.flags)?;
        // SAFETY: the caller promises it.
        let shape = unsafe { optional(self.shape, "shape") }?;
        let motion: Motion = bytemuck::cast(self.motion);
        Ok(BodyInfo {
            shape: shape.map(|shape| (shape.geometry(), motion)),
            flags: flags | BodyFlags::MOVES,
        })
    }
}

impl swath_proxy_bodies {
    /// Returns the function and its data.
    fn get(&self) -> Outcome<Describe> {
        match self.body {
            Some(function) => Ok(Describe { user: self.user, function }),
            None => Err(Failure::argument("bodies: the function `body` is NULL")),
        }
    }
}

/// A function of the caller, with its data.
struct Describe {
    user: *mut c_void,
    function: unsafe extern "C" fn(*mut c_void, swath_proxy_id, *mut swath_proxy_body),
}

impl Describe {
    /// Calls the function for a proxy, and reads what it wrote.
    ///
    /// # Safety
    ///
    /// The function and its data are as the header states, and the shapes that it writes live for `'s`.
    unsafe fn body<'s>(&self, id: ProxyId) -> Outcome<BodyInfo<'s>> {
        let mut body = swath_proxy_body { shape: null(), motion: swath_motion::zeroed(), flags: 0 };
        body.motion.pose.rotation[3] = 1.0;
        // SAFETY: the function and `user` are those of the caller, and `body` lives until it returns.
        unsafe { (self.function)(self.user, id.into(), &raw mut body) };
        // SAFETY: the caller promises it.
        unsafe { body.get() }
            .map_err(|error| error.of(&format!("the body of the proxy with index {}", id.index())))
    }
}

/// Finds the impacts of the proxies of a broadphase: updates it, which finds the pairs, and tests those that touch.
///
/// `bodies`: the function that describes the proxies, or NULL: all are their boxes.
/// `tick`: what was found, valid until the next call that changes the pipeline. The broadphase may be changed meanwhile.
///
/// This is the update of the broadphase of a tick: the pairs that began and ended are those of `swath_broadphase_changes`. The box and the displacement of a
/// proxy with a shape must contain it during the whole tick, as those of `swath_shape_bounds_over` do. With a target distance each box must
/// be larger by half of it, which is the `margin` of that function. Which proxies move, and their filters, are those of the broadphase.
///
/// If a description is wrong, the call is an error, and the broadphase has been updated already: its changes are those of this tick, and a second call
/// does not report them again. So it is if there are more pairs than the broadphase allows, but then the lists of the update are empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_tick_proxies(
    pipeline: *mut swath_pipeline,
    broadphase: *mut swath_broadphase,
    bodies: *const swath_proxy_bodies,
    tick: *mut swath_proxy_tick,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (mut of, mut world, bodies, to) = unsafe {
            (
                borrow(pipeline, "pipeline")?.handle().change()?,
                borrow(broadphase, "broadphase")?.handle().change()?,
                optional(bodies, "bodies")?,
                out(tick, "tick")?,
            )
        };
        of.workers.check()?;
        world.workers.check()?;
        let describe = bodies.map(swath_proxy_bodies::get).transpose()?;
        let of = &mut *of;
        let mut failure = None;
        let output = of.pipeline.tick_proxies(&mut world.broadphase, |id| {
            let Some(describe) = &describe else { return BodyInfo::default() };
            // SAFETY: as above; the header states that the shapes live until the tick returns.
            unsafe { describe.body(id) }.unwrap_or_else(|error| {
                failure.get_or_insert(error);
                BodyInfo::default()
            })
        })?;
        of.stats = output.stats().into();
        let found = of.of_proxies.fill(&output);
        match failure {
            Some(failure) => Err(failure),
            None => {
                to.write(found);
                Ok(())
            }
        }
    })
}
