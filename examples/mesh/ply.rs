//! Reads a triangle mesh from a PLY file.
//!
//! It reads vertices and triangles, in ASCII or binary of either byte order (G. Turk, *The PLY Polygon File
//! Format*, 1994). Coordinates may be `float` or `double` and are read without rounding; indices may be of
//! any integer type. Other elements and properties are skipped.
//!
//! Before the rows of an element are read, their least size in bytes is compared with the number of bytes
//! left. So a header with a wrong count costs neither memory nor time.
//!
//! The result is a complete mesh, or an error of one line with the place and the reason.

use std::io;
use std::path::Path;

use super::ply_header::{Bytes, Element, Kind, Number, Property};

/// One frame of a mesh.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<[f64; 3]>,
    /// The vertices of each face.
    pub(crate) faces: Vec<[u32; 3]>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a PLY file: its first line is not \"ply\"")]
    Foreign,
    #[error("line {line} of the PLY header: {expected} was expected, found {found:?}")]
    Header { line: usize, expected: &'static str, found: String },
    #[error("the PLY header has no line \"end_header\": the file is cut off")]
    NoEnd,
    #[error(
        "the PLY header counts {count} rows of element {element:?}, which take {least} bytes or more each, \
         but only {left} bytes are left: the file is cut off or the count is wrong"
    )]
    Count { element: String, count: u64, least: u64, left: usize },
    #[error("row {row} of element {element:?}, at byte {at}: {what}")]
    Row { element: String, row: u64, at: usize, what: String },
    #[error("has no {0}")]
    Lacks(&'static str),
    #[error("property {name:?} of element {element:?} is of type {found}, {expected} was expected")]
    Type { element: &'static str, name: String, found: String, expected: &'static str },
    #[error("vertex {row} lacks one of x, y and z")]
    Corner { row: usize },
    #[error("face {row} is not a triangle: it has {vertices} vertices")]
    NoTriangle { row: usize, vertices: usize },
    #[error("face {row} refers to vertex {vertex} of {vertices}")]
    NoVertex { row: usize, vertex: i64, vertices: usize },
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Mesh, Fault> {
    parse(&scenes::read_file(path)?)
}

fn parse(file: &[u8]) -> Result<Mesh, Fault> {
    let mut bytes = Bytes::new(file);
    let (kind, elements) = bytes.header()?;
    let (mut vertices, mut faces) = (None, None);
    for element in &elements {
        match &element.name[..] {
            "vertex" => vertices = Some(corners(&mut bytes, kind, element)?),
            "face" => faces = Some(indices(&mut bytes, kind, element)?),
            _ => rows(&mut bytes, kind, element, |_, _, _| {})?,
        }
    }
    let vertices = vertices.ok_or(Fault::Lacks("vertices"))?;
    let faces = faces.ok_or(Fault::Lacks("faces"))?;
    let faces = faces.iter().enumerate().map(|(row, face)| triangle(row, face, vertices.len()));
    let faces = faces.collect::<Result<_, _>>()?;
    Ok(Mesh { vertices, faces })
}

/// The coordinates of each vertex.
fn corners(bytes: &mut Bytes<'_>, kind: Kind, element: &Element) -> Result<Vec<[f64; 3]>, Fault> {
    let axes = ["x", "y", "z"];
    let axis_of = |property: &Property| axes.iter().position(|&axis| axis == property.name);
    for property in element.properties.iter().filter(|property| axis_of(property).is_some()) {
        if property.count.is_some() || !property.of.is_float() {
            return Err(wrong_type("vertex", property, "float or double"));
        }
    }
    let mut corners = Vec::new();
    rows(bytes, kind, element, |row, property, numbers| {
        corners.resize(row as usize + 1, [None; 3]);
        if let Some(axis) = axis_of(property) {
            corners[row as usize][axis] = numbers.first().map(|number| number.real());
        }
    })?;
    // The rows of an element without properties count too.
    corners.resize(element.count as usize, [None; 3]);
    let whole = corners.iter().enumerate().map(|(row, corner)| match *corner {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(Fault::Corner { row }),
    });
    whole.collect()
}

/// The three vertices of each face; another number is an error.
fn indices(bytes: &mut Bytes<'_>, kind: Kind, element: &Element) -> Result<Vec<Vec<i64>>, Fault> {
    // Both names are in use.
    let names =
        |property: &Property| ["vertex_indices", "vertex_index"].contains(&&property.name[..]);
    for property in element.properties.iter().filter(|property| names(property)) {
        if property.count.is_none() || property.of.is_float() {
            return Err(wrong_type("face", property, "a list of whole numbers"));
        }
    }
    let mut faces = Vec::new();
    rows(bytes, kind, element, |row, property, numbers| {
        faces.resize_with(row as usize + 1, Vec::new);
        if names(property) {
            faces[row as usize] = numbers.iter().map(|number| number.whole()).collect();
        }
    })?;
    faces.resize_with(element.count as usize, Vec::new);
    Ok(faces)
}

fn wrong_type(element: &'static str, property: &Property, expected: &'static str) -> Fault {
    let list = if property.count.is_some() { "list of " } else { "" };
    let found = format!("{list}{}", property.of.name());
    Fault::Type { element, name: property.name.clone(), found, expected }
}

/// Reads the rows of an element, and passes the numbers of each property to `take`.
fn rows(
    bytes: &mut Bytes<'_>,
    kind: Kind,
    element: &Element,
    mut take: impl FnMut(u64, &Property, &[Number]),
) -> Result<(), Fault> {
    let (count, least) = (element.count, element.least_bytes(kind));
    let left = bytes.left();
    // A row without properties takes no bytes; there may be at most as many such rows as bytes in the file.
    let fits = count.checked_mul(least.max(1)).is_some_and(|needed| needed <= left as u64 + 1);
    if !fits {
        return Err(Fault::Count { element: element.name.clone(), count, least, left });
    }
    let mut numbers = Vec::new();
    // A row without properties has nothing to read.
    let read = if element.properties.is_empty() { 0 } else { count };
    for row in 0..read {
        let mut line = bytes.row(kind);
        let at = bytes.at();
        let fault = |what: String| Fault::Row { element: element.name.clone(), row, at, what };
        for property in &element.properties {
            numbers.clear();
            let count = match property.count {
                None => 1,
                Some(of) => {
                    let count = line.number(of).map_err(fault)?.whole();
                    usize::try_from(count)
                        .map_err(|_| fault(format!("a list of {count} numbers")))?
                }
            };
            for _ in 0..count {
                numbers.push(line.number(property.of).map_err(fault)?);
            }
            take(row, property, &numbers);
        }
        let end = line.end().map_err(fault)?;
        bytes.go_on(end);
    }
    Ok(())
}

fn triangle(row: usize, corners: &[i64], vertices: usize) -> Result<[u32; 3], Fault> {
    let no_triangle = |_| Fault::NoTriangle { row, vertices: corners.len() };
    let corners: [i64; 3] = corners.try_into().map_err(no_triangle)?;
    let outside = |vertex: &&i64| usize::try_from(**vertex).map_or(true, |row| row >= vertices);
    if let Some(&vertex) = corners.iter().find(outside) {
        return Err(Fault::NoVertex { row, vertex, vertices });
    }
    // The number of vertices is below the finder's limit of boxes.
    Ok(corners.map(|vertex| vertex as u32))
}
