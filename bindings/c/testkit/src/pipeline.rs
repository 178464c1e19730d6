//! Impacts of a tick, of rows and of proxies.

use crate::agree::{Object, agree, bits, fails, index, list, reason_of, same_rejected, works};
use crate::boxes::{Boxes, Extra, NO_VECTORS};
use crate::shapes::{Both, length};
use std::ffi::c_void;
use std::ptr::null;
use swath::broadphase::ProxyPair;
use swath::convex::toi::Touch;
use swath::mesh::Geometry;
use swath::pipeline::{
    BodyFlags, BodyInfo, Config, GeometryBody, ImpactKind, PartImpacts, TickStats,
};
use swath::{
    Broadphase, ConvexBody, Filter, Impact, Motion, MovingBox, MovingBoxStore, Pair, Pipeline,
    Proxy, ProxyId, Scene, Threads,
};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

const BOXES_MAX: usize = 24;

/// Settings for C, and for Rust unless a number of an enumeration is unknown.
fn settings(bytes: &mut Bytes<'_>) -> (swath_pipeline_settings, Option<Config>) {
    let (how, mut c) = (bytes.byte(), swath_pipeline_defaults());
    c.touch = index(bytes, 3);
    if how & 1 == 1 {
        c.target_distance = length(bytes);
    }
    match how / 2 % 8 {
        0 => c.tolerance = bytes.number(),
        1 => c.rounds_max = index(bytes, 64),
        2 => c.fast = bytes.number(),
        _ => {}
    }
    if how & 0x10 != 0 {
        c.impacts_per_body = u32::from(how >> 5);
        c.part_impacts = index(bytes, 2);
    }
    let touch = [Touch::IfClosing, Touch::Hit, Touch::Ignore].get(c.touch as usize).copied();
    let parts = [PartImpacts::First, PartImpacts::Each].get(c.part_impacts as usize).copied();
    let rust = touch.zip(parts).map(|(touch, part_impacts)| {
        let mut config = Config::default();
        (config.target_distance, config.tolerance) = (c.target_distance, c.tolerance);
        (config.touch, config.part_impacts, config.fast) = (touch, part_impacts, c.fast);
        (config.impacts_per_body, config.rounds_max) = (c.impacts_per_body, c.rounds_max);
        config
    });
    (c, rust)
}

/// Runs a tick of rows, and one of proxies with the same bodies.
pub(crate) fn run(bytes: &mut Bytes<'_>, shapes: &[Both], motions: &[Motion]) {
    let (c_settings, config) = settings(bytes);
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let c = Object::new(
        |to| unsafe { swath_pipeline_create(&c_settings, &exec, to) },
        swath_pipeline_destroy,
    );
    let status = c.as_ref().err().copied().unwrap_or(SWATH_OK);
    let Some(config) = config else {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    };
    if agree(config.validate(), status).is_none() {
        return;
    }
    let (Ok(c), mut rust) = (c, Pipeline::with_exec(config, Threads::one())) else { return };
    rows(bytes, (c.pointer, &mut rust), shapes, motions);
    proxies(bytes, (c.pointer, &mut rust), shapes, motions);
}

/// The impact in C of an impact in Rust.
fn of(impact: &Impact) -> swath_impact {
    swath_impact {
        t: impact.toi,
        a: impact.pair.a,
        b: impact.pair.b,
        last: impact.last,
        kind: match impact.kind {
            ImpactKind::Touching => SWATH_IMPACT_TOUCHING,
            ImpactKind::Overlapping => SWATH_IMPACT_OVERLAPPING,
            _ => SWATH_IMPACT_UNRESOLVED,
        },
        normal: impact.normal,
        on_a: impact.on_a,
        on_b: impact.on_b,
        closing: impact.closing,
        depth: impact.depth,
        part_a: impact.parts[0],
        part_b: impact.parts[1],
    }
}

#[track_caller]
fn same_impacts(c: swath_impacts, rust: &[Impact]) {
    let rust: Vec<_> = rust.iter().map(of).collect();
    let c = list(c.data, c.count);
    assert_eq!(bits(c), bits(&rust));
    assert!(c.iter().all(|impact| (0.0..=1.0).contains(&impact.t)));
}

#[track_caller]
fn same_proxy_impacts(c: swath_proxy_impacts, rust: &[Impact<ProxyPair>]) {
    let c = list(c.data, c.count);
    assert_eq!(c.len(), rust.len());
    for (c, rust) in c.iter().zip(rust) {
        assert_eq!((ProxyId::from(c.a), ProxyId::from(c.b)), (rust.pair.a, rust.pair.b));
        let swath_proxy_impact {
            t,
            last,
            kind,
            normal,
            on_a,
            on_b,
            closing,
            depth,
            part_a,
            part_b,
            ..
        } = *c;
        let (a, b) = (0, 1);
        let c = swath_impact {
            t,
            a,
            b,
            last,
            kind,
            normal,
            on_a,
            on_b,
            closing,
            depth,
            part_a,
            part_b,
        };
        assert_eq!(bits(&[c]), bits(&[of(&rust.with_pair(Pair { a: 0, b: 1 }))]));
    }
}

#[track_caller]
fn same_stats(c: *const swath_pipeline, rust: &TickStats) {
    let mut stats = swath_tick_stats::default();
    works(unsafe { swath_pipeline_stats(c, &mut stats) });
    let counts = [stats.candidates, stats.slow, stats.boxes, stats.apart, stats.shapes];
    let in_rust = [rust.candidates, rust.slow, rust.boxes, rust.apart, rust.convex];
    assert_eq!(counts, in_rust.map(|count| count as u64));
    let counts = [stats.separated, stats.unresolved, stats.impacts, stats.limited, stats.sensed];
    let in_rust = [rust.separated, rust.unresolved, rust.impacts, rust.limited, rust.sensed];
    assert_eq!(counts, in_rust.map(|count| count as u64));
    assert_eq!(stats.rounds, rust.rounds);
}

/// A tick of rows.
fn rows(
    bytes: &mut Bytes<'_>,
    (c, rust): (*mut swath_pipeline, &mut Pipeline),
    shapes: &[Both],
    motions: &[Motion],
) {
    let boxes = Boxes::new(bytes, BOXES_MAX, Extra::Filters, false);
    let how = bytes.byte();
    let flags: Vec<u8> = boxes.rows.iter().map(|_| bytes.byte() % 9).collect();
    let accel: Vec<[f32; 3]> =
        boxes.rows.iter().map(|_| [(); 3].map(|()| bytes.number())).collect();
    let columns: [Vec<f32>; 3] =
        core::array::from_fn(|axis| accel.iter().map(|accel| accel[axis]).collect());
    let (mut c_bodies, mut convex, mut geometries) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..boxes.len() as u32 {
        let which = usize::from(bytes.byte());
        let at = which / 4 % shapes.len().max(1);
        let (Some(shape), true) = (shapes.get(at), which % 4 != 0) else { continue };
        let motion = motions[(at + which / 64) % motions.len()];
        let c_motion = bytemuck::cast(motion);
        c_bodies.push(swath_scene_body { shape: shape.c.pointer, motion: c_motion, row });
        match shape.rust.geometry() {
            Geometry::Convex(shape) => convex.push(ConvexBody { row, shape, motion }),
            geometry => geometries.push(GeometryBody { row, geometry, motion }),
        }
    }
    let (with_flags, with_accel, with_bodies) = (how & 1 == 1, how & 2 == 2, how & 12 != 0);
    let last = c_bodies.len();
    let wrong_row = with_bodies && how & 0xe0 == 0xe0 && last > 0;
    if wrong_row {
        // Not below the number of rows, or that of the body before.
        c_bodies[last - 1].row =
            if last > 1 && how & 16 != 0 { c_bodies[last - 2].row } else { boxes.len() as u32 };
    }
    let wrong_flag = with_flags && flags.contains(&8);
    let scene = swath_scene {
        boxes: boxes.c(),
        accel: match how >> 4 & 1 {
            _ if !with_accel => NO_VECTORS,
            0 => swath_vectors { x: accel.as_ptr().cast(), stride: 12, ..NO_VECTORS },
            _ => {
                let [x, y, z] = columns.each_ref().map(|column| column.as_ptr());
                swath_vectors { x: x.cast(), y, z, ..NO_VECTORS }
            }
        },
        flags: if with_flags { flags.as_ptr() } else { null() },
        bodies: if with_bodies { c_bodies.as_ptr() } else { null() },
        body_count: if with_bodies { last } else { 0 },
    };
    let mut tick = NO_TICK;
    let status = unsafe { swath_pipeline_tick(c, &scene, &mut tick) };
    if boxes.is_wrong() || wrong_row || wrong_flag {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    }
    let mut store = MovingBoxStore::new();
    boxes.rust(|boxes| {
        store.fill(boxes.len(), &Threads::one(), |row| boxes.get(row));
    });
    let mut of_tick = Scene::new(store.columns());
    let flags: Vec<BodyFlags> = flags.into_iter().map(BodyFlags::from_bits).collect();
    let filters: Option<Vec<Filter>> = boxes.filters().map(<[_]>::to_vec);
    if with_bodies {
        of_tick = of_tick.convex(&convex).geometries(&geometries);
    }
    if with_flags {
        of_tick = of_tick.flagged(&flags);
    }
    if with_accel {
        of_tick = of_tick.accelerating(columns.each_ref().map(Vec::as_slice));
    }
    if let Some(filters) = &filters {
        of_tick = of_tick.filtered(filters);
    }
    let Some(output) = agree(rust.tick(&of_tick), status) else { return };
    same_impacts(tick.impacts, output.impacts());
    same_impacts(tick.sensed, output.sensed());
    let slow: Vec<Pair> = output.slow().collect();
    assert_eq!(bits(list(tick.slow.data, tick.slow.count)), bits(&slow));
    same_rejected(tick.rejected, output.rejected());
    for impact in output.impacts() {
        assert_finite(&(impact.normal, impact.on_a, impact.on_b));
    }
    same_stats(c, output.stats());
}

/// A tick that found nothing, to be overwritten.
const NO_TICK: swath_tick = swath_tick {
    impacts: swath_impacts { data: null(), count: 0 },
    sensed: swath_impacts { data: null(), count: 0 },
    slow: swath_pairs { data: null(), count: 0 },
    rejected: swath_rejected_rows { data: null(), count: 0 },
};

/// A tick of proxies that found nothing, to be overwritten.
const NO_PROXY_TICK: swath_proxy_tick = swath_proxy_tick {
    impacts: swath_proxy_impacts { data: null(), count: 0 },
    sensed: swath_proxy_impacts { data: null(), count: 0 },
    rejected: swath_rejected_proxies { data: null(), count: 0 },
};

/// Writes the description of a proxy, in the order of the indices.
unsafe extern "C" fn describe(user: *mut c_void, id: swath_proxy_id, body: *mut swath_proxy_body) {
    let bodies: &Vec<Option<swath_proxy_body>> = unsafe { &*user.cast() };
    if let Some(Some(of)) = bodies.get(id.index as usize) {
        unsafe { *body = *of };
    }
}

/// A tick of proxies.
fn proxies(
    bytes: &mut Bytes<'_>,
    (c, rust): (*mut swath_pipeline, &mut Pipeline),
    shapes: &[Both],
    motions: &[Motion],
) {
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let world =
        Object::new(|to| unsafe { swath_broadphase_create(&exec, to) }, swath_broadphase_destroy);
    let Ok(world) = world else { panic!("the settings are valid") };
    let mut in_rust = Broadphase::with_exec(Threads::one());
    let (mut c_bodies, mut bodies, mut rows) = (Vec::new(), Vec::new(), Vec::<MovingBox>::new());
    let margin = rust.config().target_distance / 2.0;
    let (mut wrong_flag, with_bodies) = (false, !bytes.byte().is_multiple_of(4));
    for _ in 0..bytes.byte() % 16 {
        let how = bytes.byte();
        let at = usize::from(how / 4) % shapes.len().max(1);
        let body = shapes.get(at).filter(|_| !how.is_multiple_of(4)).and_then(|shape| {
            let motion = motions[at];
            // A body that has no box is not in the world.
            let around = shape.rust.geometry().bounds_over(&motion, margin).ok()?;
            Some((shape, motion, around))
        });
        let row = bytes.row(&rows);
        rows.push(row);
        let moving = body.map_or(row, |(.., around)| around);
        let kind = u32::from(how >> 6);
        let proxy = swath_proxy {
            kind,
            filter: Filter::ALL.into(),
            owner: 0,
            margin: 0.0,
            data: 0,
            enabled: 1,
        };
        let mut id = swath_proxy_id::from(ProxyId::NONE);
        let status =
            unsafe { swath_broadphase_insert(world.pointer, &moving.into(), &proxy, &mut id) };
        let mut of_rust = Proxy::dynamic();
        of_rust.kind = crate::proxies::KINDS[kind as usize];
        if agree(in_rust.insert_moving(moving, of_rust), status).is_none() {
            continue;
        }
        let flags = match bytes.byte() {
            other if other < 8 => other,
            255 => {
                wrong_flag = true;
                8
            }
            _ => 0,
        };
        let motion = body.map_or(Motion::default(), |(_, motion, _)| motion);
        let c_shape = body.map_or(null(), |(shape, ..)| shape.c.pointer.cast_const());
        let (c_motion, of_flags) = (bytemuck::cast(motion), BodyFlags::from_bits(flags));
        c_bodies.push(Some(swath_proxy_body { shape: c_shape, motion: c_motion, flags }));
        let shape = body.map(|(shape, motion, _)| (shape.rust.geometry(), motion));
        bodies.push(BodyInfo { shape, flags: of_flags });
    }
    let user = (&raw mut c_bodies).cast();
    let function = swath_proxy_bodies { user, body: Some(describe) };
    let of = if with_bodies { &raw const function } else { null() };
    let mut tick = NO_PROXY_TICK;
    let status = unsafe { swath_pipeline_tick_proxies(c, world.pointer, of, &mut tick) };
    let output = rust.tick_proxies(&mut in_rust, |id| {
        if with_bodies { bodies[id.index() as usize] } else { BodyInfo::default() }
    });
    if wrong_flag && status != SWATH_OK {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    }
    let Some(output) = agree(output, status) else { return };
    same_proxy_impacts(tick.impacts, output.impacts());
    same_proxy_impacts(tick.sensed, output.sensed());
    let rejected: Vec<_> = output
        .rejected()
        .iter()
        .map(|(id, invalid)| {
            let (reason, axis) = reason_of(invalid);
            swath_rejected_proxy { id: (*id).into(), reason, axis }
        })
        .collect();
    assert_eq!(list(tick.rejected.data, tick.rejected.count), rejected);
    same_stats(c, output.stats());
}
