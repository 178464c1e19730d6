//! Meshes for drawing: of convex shapes, and of triangle meshes, height fields and compounds.
//!
//! The mesh of a convex shape is the hull of the corners of the shape's core, each with a ball of the shape's radius around it.
//! Circles and balls are drawn with corners on the surface: never outside of the shape, and inside by at most
//! a hundredth of the radius, except for rounded hulls of many points. Normals are smooth across blunt edges.

use std::collections::HashMap;

use serde::Serialize;
use swath::convex::gjk;
use swath::mesh::Geometry;
use swath::{Pose, Shape};

use super::facets::{self, Facet, Point, dot, minus, unit};
use super::recording::floats;
use super::solids::{Form, ShapeData, Solid};

/// Distance from which the nearest points of a shape are its corners, in sizes of the shape.
const FAR: f64 = 64.0;
/// Number of corners of a circle.
const CIRCLE: usize = 48;
/// Numbers of corners of a core from which its balls have the second and the third fineness.
const CORNERS: [usize; 2] = [2, 16];
/// The most triangles of a mesh or height field, and the most parts of a compound, that are drawn.
const TRIANGLES_MAX: usize = 20_000;
const PARTS_MAX: usize = 200;
/// Cosine of the greatest angle that is drawn smooth: for sharp shapes, and for rounded ones.
const SMOOTH: [f64; 2] = [0.96, 0.75];
/// The same for shapes of which only the corners are known.
const SMOOTH_ANY: f64 = 0.88;

/// Triangles in the axes of the body; columns of `f32` as base64.
#[derive(Debug, Serialize)]
pub(crate) struct Mesh {
    /// Nine numbers per triangle.
    positions: String,
    /// Normals of the corners, in the order of `positions`.
    normals: String,
    /// Twelve numbers per edge: its ends, and the normals of the triangles beside it.
    edges: String,
    /// Cosine of the angle from which an edge is sharp. Other edges are visible as outlines only.
    smooth: f64,
    triangles: usize,
}

impl Mesh {
    /// The length of its columns.
    pub(crate) fn bytes(&self) -> usize {
        self.positions.len() + self.normals.len() + self.edges.len()
    }
}

/// The mesh of a shape, or what is wrong with the shape.
pub(crate) fn answer(solid: &Solid) -> Result<Mesh, String> {
    let data = solid.shape_data()?;
    if let Geometry::Mesh(mesh) = solid.geometry(&data)? {
        let all = (0..mesh.triangles().len() as u32).filter_map(|part| mesh.corners(part));
        return Ok(of_triangles(all.map(|corners| corners.map(|corner| corner.map(f64::from)))));
    }
    let (corners, margin) = corners(solid, &data);
    let directions = match (margin > 0.0, corners.len()) {
        (false, _) => vec![[0.0; 3]],
        (true, count) => ball(CORNERS.iter().filter(|&&most| count <= most).count()),
    };
    let points: Vec<Point> = corners
        .iter()
        .flat_map(|corner| {
            directions.iter().map(|way| std::array::from_fn(|k| corner[k] + margin * way[k]))
        })
        .collect();
    Ok(drawn(&points, SMOOTH[usize::from(margin > 0.0)]))
}

/// Corners of a hull that looks like `shape`, for [`of_corners`], relative to its size, and that size; `None`
/// for a point.
///
/// Each corner is the point of the shape nearest to a distant one, so it is a corner or on a round part: the
/// drawing is inside of the shape, by at most a twentieth of its size.
pub(crate) fn corners_of(shape: &Shape<'_>) -> Option<(Vec<[f32; 3]>, f32)> {
    let bounds = shape.bounds(&Pose::IDENTITY).ok()?;
    let size = bounds.min.iter().chain(&bounds.max).fold(0.0_f32, |most, x| most.max(x.abs()));
    // A point has no surface.
    let unit = shape.scaled([1.0 / size; 3]).ok()?;
    let far = |way: Point| {
        let place = Pose::at(way.map(|x| (FAR * x) as f32)).ok()?;
        Some(gjk::distance(&unit, &Pose::IDENTITY, &Shape::point(), &place).ok()?.on_a)
    };
    let corners = ball(1).into_iter().map(far).collect::<Option<_>>()?;
    Some((corners, size))
}

/// The hull of corners on a shape of size one, which may be a ball or a box.
pub(crate) fn of_corners(corners: &[[f32; 3]]) -> Mesh {
    let points: Vec<_> = corners.iter().map(|corner| corner.map(f64::from)).collect();
    drawn(&points, SMOOTH_ANY)
}

/// The corners of the scaled core, and the radius.
fn corners(solid: &Solid, data: &ShapeData) -> (Vec<Point>, f64) {
    let wide = |p: &[f32; 3]| p.map(f64::from);
    let circle = |y: f32, radius: f32| {
        (0..CIRCLE).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / CIRCLE as f64).sin_cos();
            [cos * f64::from(radius), y.into(), sin * f64::from(radius)]
        })
    };
    let (corners, margin): (Vec<Point>, f32) = match &solid.form {
        Form::Point => (vec![[0.0; 3]], 0.0),
        Form::Sphere { radius } => (vec![[0.0; 3]], *radius),
        Form::Segment { a, b } => (vec![wide(a), wide(b)], 0.0),
        Form::Triangle { a, b, c } => (vec![wide(a), wide(b), wide(c)], 0.0),
        Form::Capsule { half_height, radius } => {
            ([-half_height, *half_height].map(|y| [0.0, y.into(), 0.0]).to_vec(), *radius)
        }
        Form::Cuboid { half } => {
            let side =
                |corner: usize, k: usize| if corner >> k & 1 == 0 { -half[k] } else { half[k] };
            let corner = |corner| std::array::from_fn(|k| side(corner, k).into());
            ((0..8).map(corner).collect(), 0.0)
        }
        &Form::Cylinder { half_height, radius } => {
            (circle(-half_height, radius).chain(circle(half_height, radius)).collect(), 0.0)
        }
        &Form::Cone { half_height, radius } => {
            let tip = [0.0, half_height.into(), 0.0];
            (circle(-half_height, radius).chain([tip]).collect(), 0.0)
        }
        Form::Hull { .. } => {
            let ShapeData::Hull(hull) = data else { return (Vec::new(), 0.0) };
            (hull.vertices().map(|vertex| wide(&vertex)).collect(), 0.0)
        }
        // A terrain is drawn by its triangles.
        Form::Terrain { .. } => (Vec::new(), 0.0),
        Form::Ellipsoid { half } => {
            let half = wide(half);
            let on = |way: Point| std::array::from_fn(|k| way[k] * half[k]);
            (ball(2).into_iter().map(on).collect(), 0.0)
        }
    };
    let scale = wide(&solid.scale);
    let scaled = corners.iter().map(|corner| std::array::from_fn(|k| corner[k] * scale[k]));
    // A radius is only possible with a uniform scale here.
    (scaled.collect(), f64::from(margin) * scale[0].abs() + f64::from(solid.rounded))
}

/// Directions: the corners of an icosahedron whose triangles are divided into four, `fineness` times.
fn ball(fineness: usize) -> Vec<Point> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners: Vec<Point> = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(unit));
    }
    for _ in 0..=fineness {
        let edges: Vec<_> = facets::facets(&corners)
            .iter()
            .flat_map(|facet| facets::sides(facet.corners))
            .collect();
        let middle = |[from, to]: [usize; 2]| {
            unit(std::array::from_fn(|k| corners[from][k] + corners[to][k]))
        };
        let middles: Vec<_> =
            edges.into_iter().filter(|[from, to]| from < to).map(middle).collect();
        corners.extend(middles);
    }
    corners
}

/// The mesh of a body with parts; `None` if it has more triangles or parts than are drawn, or none.
pub(crate) fn of_geometry(geometry: &Geometry<'_>) -> Option<Mesh> {
    let wide = |corners: [[f32; 3]; 3]| corners.map(|corner| corner.map(f64::from));
    let triangles: Vec<[Point; 3]> = match geometry {
        Geometry::Mesh(mesh) if mesh.triangles().len() <= TRIANGLES_MAX => {
            let all = 0..mesh.triangles().len() as u32;
            all.filter_map(|part| mesh.corners(part)).map(wide).collect()
        }
        Geometry::HeightField(field) if field.heights().len() <= TRIANGLES_MAX / 2 => {
            let all = 0..2 * field.heights().len() as u32;
            all.filter_map(|part| field.corners(part)).map(wide).collect()
        }
        Geometry::Compound(compound) if compound.parts().len() <= PARTS_MAX => {
            let parts = compound.parts().iter();
            parts.flat_map(|(shape, pose)| placed(&shape.shape(), pose)).collect()
        }
        _ => return None,
    };
    (!triangles.is_empty()).then(|| of_triangles(triangles.into_iter()))
}

/// Triangles of the hull of a shape at a pose.
fn placed(shape: &Shape<'_>, pose: &Pose) -> Vec<[Point; 3]> {
    let Some((corners, size)) = corners_of(shape) else { return Vec::new() };
    let points: Vec<Point> = corners.iter().map(|corner| corner.map(f64::from)).collect();
    let [x, y, z, w] = pose.rotation.map(f64::from);
    let place = |corner: usize| {
        let v = points[corner].map(|x| x * f64::from(size));
        let axis = [x, y, z];
        let across = facets::cross(axis, v);
        let twice = facets::cross(axis, across);
        std::array::from_fn(|k| {
            v[k] + 2.0 * (w * across[k] + twice[k]) + f64::from(pose.position[k])
        })
    };
    facets::facets(&points).iter().map(|facet| facet.corners.map(place)).collect()
}

/// The triangles of a body that is not convex. They are flat, and all edges are drawn.
fn of_triangles(all: impl Iterator<Item = [Point; 3]>) -> Mesh {
    let (mut positions, mut normals, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let push = |column: &mut Vec<f32>, point: Point| column.extend(point.map(|x| x as f32));
    let mut triangles = 0;
    for corners in all {
        let [a, b, c] = corners;
        let across = facets::cross(minus(b, a), minus(c, a));
        // Without an area there is nothing to draw, and no normal.
        if across == [0.0; 3] {
            continue;
        }
        let normal = unit(across);
        for (corner, next) in corners.into_iter().zip([b, c, a]) {
            push(&mut positions, corner);
            push(&mut normals, normal);
            for column in [corner, next, normal, normal] {
                push(&mut edges, column);
            }
        }
        triangles += 1;
    }
    let [positions, normals, edges] = [positions, normals, edges].map(|column| floats(&column));
    // No cosine reaches this, so each edge counts as sharp.
    Mesh { positions, normals, edges, smooth: 2.0, triangles }
}

/// Triangles with normals that are smooth where the cosine of the angle allows it, and the edges.
fn drawn(points: &[Point], smooth: f64) -> Mesh {
    let hull = facets::facets(points);
    let mut around: HashMap<usize, Vec<&Facet>> = HashMap::new();
    let mut beside: HashMap<[usize; 2], Vec<&Facet>> = HashMap::new();
    for facet in &hull {
        for [from, to] in facets::sides(facet.corners) {
            around.entry(from).or_default().push(facet);
            beside.entry([from.min(to), from.max(to)]).or_default().push(facet);
        }
    }
    let area = |facet: &Facet| {
        let [a, b, c] = facet.corners.map(|corner| points[corner]);
        let across = facets::cross(minus(b, a), minus(c, a));
        dot(across, across).sqrt()
    };
    let (mut positions, mut normals, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let push = |column: &mut Vec<f32>, point: Point| column.extend(point.map(|x| x as f32));
    for facet in hull.iter().filter(|facet| area(facet) > 0.0) {
        for corner in facet.corners {
            let mut sum = [0.0; 3];
            for other in &around[&corner] {
                let weight =
                    if dot(other.normal, facet.normal) >= smooth { area(other) } else { 0.0 };
                sum = std::array::from_fn(|k| sum[k] + weight * other.normal[k]);
            }
            push(&mut positions, points[corner]);
            push(&mut normals, unit(sum));
        }
    }
    let mut beside: Vec<_> = beside.into_iter().collect();
    beside.sort_unstable_by_key(|&(edge, _)| edge);
    for ([from, to], sides) in beside {
        let (Some(one), Some(other)) = (sides.first(), sides.last()) else { continue };
        if points[from] != points[to] {
            for column in [points[from], points[to], one.normal, other.normal] {
                push(&mut edges, column);
            }
        }
    }
    let triangles = positions.len() / 9;
    let [positions, normals, edges] = [positions, normals, edges].map(|column| floats(&column));
    Mesh { positions, normals, edges, smooth, triangles }
}
