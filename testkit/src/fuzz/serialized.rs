//! Values that are serialised, changed, and read again.
//!
//! The bytes choose one of the types that can be serialised, and changes of its serialised form: numbers are replaced,
//! elements are removed, repeated and exchanged. The changed form is rejected, or the value that is read follows the rules of
//! its type: it is written and read without loss, and a broadphase that was read is consistent, also after its next update.

use super::bytes::Bytes;
use crate::finite::assert_finite;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};
use std::fmt::Debug;
use swath::batch::{Contact, Faces};
use swath::broadphase::{KindTable, Layers, ProxyPair, Snapshot, SweptProxyPair};
use swath::convex::toi::Settings;
use swath::convex::{Hull, OwnedShape};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::pipeline::{BodyFlags, Config};
use swath::{
    Aabb, Broadphase, Filter, Motion, MovingBox, Pair, Plane, Pose, Proxy, ProxyId, ProxyKind,
    Segment, Shape, Sphere, Threads,
};

const CHANGES_MAX: u8 = 3;

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let choice = bytes.byte() % 24;
    let moving = bytes.row(&[]);
    let id = ProxyId::from_bits(u64::from(bytes.byte()) << 32 | u64::from(bytes.byte()));
    match choice {
        0 => check(&moving, bytes),
        1 => check(&moving.aabb, bytes),
        2 => check(&Filter::new(bytes.byte().into(), bytes.byte().into()), bytes),
        3 => check(&Layers::all().without(1, usize::from(bytes.byte() % 32)), bytes),
        4 => check(&KindTable::default().with(ProxyKind::Fixed, ProxyKind::Sleeping), bytes),
        5 => check(&Proxy::fixed().with_margin(0.5).owned_by(3), bytes),
        6 => check(&id, bytes),
        7 => check(&ProxyPair::new(id, ProxyId::from_bits(id.to_bits() + 1)), bytes),
        8 => check(&Pair { a: 1, b: 2 }, bytes),
        9 => check(&Pose::IDENTITY, bytes),
        10 => check(&Motion::from(Pose::IDENTITY), bytes),
        11 => check(&Settings::default(), bytes),
        12 => check(&Config::default(), bytes),
        13 => check(&(BodyFlags::MOVES | BodyFlags::SENSOR), bytes),
        14 => check(&Segment::new([0.0; 3], [1.0; 3]).expect("a segment"), bytes),
        15 => check(&Sphere::new([0.0; 3], 1.0).expect("a sphere"), bytes),
        16 => check(&Plane::new([0.0, 1.0, 0.0], 1.0).expect("a plane"), bytes),
        17 => check::<Contact>(&Contact::default(), bytes),
        18 => check::<Faces>(&Faces::default(), bytes),
        19 => check(&SweptProxyPair::default(), bytes),
        20 => check_bodies(bytes),
        _ => check_broadphase(bytes),
    }
}

/// Changes a value; what is read from the result is written and read again.
fn check<T: Serialize + DeserializeOwned + Debug>(value: &T, mut bytes: Bytes<'_>) {
    let Ok(mut changed) = to_value(value) else { return };
    change(&mut changed, &mut bytes);
    let Ok(read) = from_value::<T>(changed) else { return };
    let written = to_value(&read).expect("what was read can be written");
    let text = written.to_string();
    // An infinity, which a number past the range of `f32` becomes, is written as null.
    if text.contains("null") {
        return;
    }
    let again: T = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(to_value(&again).expect("it can be written"), written);
}

/// A shape with or without a hull, rounded or scaled.
fn shape(bytes: &mut Bytes<'_>) -> OwnedShape {
    let how = bytes.byte();
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.3]];
    let shape: OwnedShape = match how % 5 {
        0 => Shape::cuboid([1.0, 0.1, 0.7]).expect("a box").into(),
        1 => Shape::triangle([points[1], points[2], points[3]]).expect("a triangle").into(),
        2 => Shape::cone(0.9, 0.4).expect("a cone").into(),
        3 => Shape::capsule(1.5, 0.2).expect("a capsule").into(),
        _ => OwnedShape::hull(Hull::new(points).expect("a hull")),
    };
    let even = [0.7; 3];
    match how / 64 {
        0 => shape.scaled(if how % 5 == 3 { even } else { [0.7, -1.3, 0.1] }),
        1 => shape.rounded(0.3),
        2 => shape.rounded(0.1).and_then(|shape| shape.scaled(even)),
        _ => Ok(shape),
    }
    .expect("a scale and a radius that are valid")
}

/// Changes shapes, hulls and bodies with parts. Those that are read have valid boxes.
fn check_bodies(mut bytes: Bytes<'_>) {
    let choice = bytes.byte() % 5;
    let shapes = [shape(&mut bytes), shape(&mut bytes)];
    let heights = [0.0, 1.0, f32::NAN, 0.5, 0.25, -1.0, 2.0, 0.0, 3.0];
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 2.0, 0.5]];
    let triangles = vec![[0, 1, 2], [1, 2, 3], [7, 0, 1]];
    match choice {
        0 => check_body(&shapes[0], bytes, |_| true, |shape| shape.shape().into()),
        1 => check(&Hull::new(vertices).expect("a hull"), bytes),
        2 => {
            let mesh = Mesh::new(vertices, triangles).expect("a mesh");
            let is_finite =
                |mesh: &Mesh<'_>| mesh.vertices().as_flattened().iter().all(|x| x.is_finite());
            check_body(&mesh, bytes, is_finite, |mesh| mesh.into());
        }
        3 => {
            let field = HeightField::new(&heights[..], [3, 3], [0.5, 2.0]).expect("a grid");
            check_body(&field.one_sided(), bytes, |_| true, |field| field.into());
        }
        _ => {
            let parts = shapes.map(|shape| (shape, Pose::IDENTITY));
            let compound = Compound::new(parts).expect("valid");
            check_body(&compound, bytes, |_| true, |compound| compound.into());
        }
    }
}

/// Changes a body. One that is read has a valid box, and is written and read without loss if all its numbers have a text.
fn check_body<T: Serialize + DeserializeOwned>(
    body: &T,
    mut bytes: Bytes<'_>,
    has_text: impl Fn(&T) -> bool,
    geometry: impl for<'g> Fn(&'g T) -> Geometry<'g>,
) {
    let mut changed = to_value(body).expect("it can be written");
    change(&mut changed, &mut bytes);
    let Ok(read) = from_value::<T>(changed) else { return };
    let bounds = geometry(&read).bounds();
    assert!(bounds.is_none_or(|aabb| aabb.validate().is_ok()));
    if !has_text(&read) {
        return;
    }
    let written = to_value(&read).expect("what was read can be written");
    let again: T = from_value(written.clone()).expect("what was written can be read");
    assert_eq!(to_value(&again).expect("it can be written"), written);
    assert_eq!(geometry(&again).bounds(), bounds);
}

/// Changes the snapshot of a small broadphase, and restores what is read.
fn check_broadphase(mut bytes: Bytes<'_>) {
    let mut broadphase = Broadphase::new();
    broadphase.exec.threads = Threads::one();
    let mut ids = Vec::new();
    for _ in 0..bytes.byte() % 12 {
        let how = bytes.byte();
        let min = [(); 3].map(|()| f32::from(bytes.byte() % 8));
        let aabb = Aabb::new(min, min.map(|x| x + 1.5)).expect("the box is valid");
        let proxy = match how % 4 {
            0 => Proxy::fixed(),
            1 => Proxy::sleeping(),
            2 => Proxy::kinematic().with_margin(0.25),
            _ => Proxy::dynamic().with_data(u64::from(how) << 20),
        };
        ids.push(broadphase.insert(aabb, proxy).expect("the box is valid"));
    }
    let _ = broadphase.update();
    for (&id, _) in ids.iter().zip(0..bytes.byte() % 4) {
        match bytes.byte() % 3 {
            0 => broadphase.remove(id),
            1 => broadphase.renew(id),
            _ => broadphase.set_kind(id, ProxyKind::Sleeping),
        }
        .expect("the proxy exists");
    }
    let mut changed = to_value(broadphase.snapshot()).expect("it can be written");
    change(&mut changed, &mut bytes);
    let Ok(snapshot) = from_value::<Snapshot>(changed) else { return };
    let written = to_value(&snapshot).expect("it can be written");
    assert!(from_value::<Snapshot>(written).expect("it was written") == snapshot);
    broadphase.restore(&snapshot);
    broadphase.validate().expect("a snapshot that was read is consistent");
    let of_each = |broadphase: &Broadphase| -> Vec<(ProxyId, Option<MovingBox>)> {
        broadphase.ids().map(|id| (id, broadphase.moving_box(id))).collect()
    };
    assert_eq!(of_each(&broadphase).len(), snapshot.len());
    assert_finite(&of_each(&broadphase));
    let touching: Vec<SweptProxyPair> =
        broadphase.update().expect("there is no limit").touching().iter().collect();
    assert_finite(&touching);
    broadphase.validate().expect("it stays consistent");
}

/// Makes some changes of a value.
fn change(value: &mut Value, bytes: &mut Bytes<'_>) {
    for _ in 0..bytes.byte() % (1 + CHANGES_MAX) {
        let index = usize::from(bytes.byte()) | usize::from(bytes.byte()) << 8;
        let mut index = index % count(value);
        let Some(part) = part_mut(value, &mut index) else { return };
        let how = bytes.byte();
        match part {
            Value::Array(list) if !list.is_empty() && !how.is_multiple_of(8) => {
                let (at, other) = (usize::from(bytes.byte()), usize::from(bytes.byte()));
                let (at, other) = (at % list.len(), other % list.len());
                match how % 8 {
                    1 | 2 => drop(list.remove(at)),
                    3 | 4 => list.push(list[at].clone()),
                    5 => list.truncate(at),
                    _ => list.swap(at, other),
                }
            }
            Value::Object(fields) if !how.is_multiple_of(8) => {
                let name = fields.keys().nth(usize::from(bytes.byte()) % fields.len().max(1));
                if let Some(name) = name.cloned() {
                    fields.remove(&name);
                }
            }
            Value::Bool(flag) => *flag = !*flag,
            _ => {
                *part = match how % 8 {
                    0 => Value::Null,
                    1 => json!(bytes.number()),
                    2 => json!(u64::MAX - u64::from(bytes.byte())),
                    3 => json!(u32::MAX - u32::from(bytes.byte())),
                    4 => json!(f64::from(bytes.number()) * 1e30),
                    5 => json!(part.as_u64().unwrap_or(0) ^ 1 << (bytes.byte() % 32)),
                    6 => json!(part.as_f64().unwrap_or(0.0) + f64::from(bytes.signed()) * 0.25),
                    _ => json!(bytes.byte()),
                };
            }
        }
    }
}

/// The number of parts of a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// The part of a value with an index in the order of its text.
fn part_mut<'v>(value: &'v mut Value, index: &mut usize) -> Option<&'v mut Value> {
    if *index == 0 {
        return Some(value);
    }
    *index -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|part| part_mut(part, index)),
        Value::Object(fields) => fields.values_mut().find_map(|part| part_mut(part, index)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::draw::Draw;
    use rand::RngExt;

    /// Runs the body on the stored inputs and on seeded strings of bytes.
    #[test]
    fn stored_and_generated_inputs() {
        crate::fuzz::replay::stored("serialized", super::run);
        let mut draw = Draw::new(7);
        for _ in 0..crate::draw::how_many(20_000).min(1_000_000) {
            let mut input = vec![0; draw.0.random_range(0..200)];
            draw.0.fill(&mut input[..]);
            super::run(&input);
        }
    }
}
