//! What does a PLY file say of a mesh?
//!
//! Corners and triangles, in ASCII or binary of either order of bytes (G. Turk, *The PLY Polygon File
//! Format*, 1994). Coordinates may be `float` or `double`, both are kept exactly; indices may be of any
//! whole type. What a file says besides is passed over.
//!
//! Promise: the mesh is whole, or the error says in one line what is wrong with it.

use std::fs::File;
use std::io::{BufReader, Error};
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

/// One frame of a mesh.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<[f64; 3]>,
    /// The vertices of each face.
    pub(crate) faces: Vec<[u32; 3]>,
}

/// What can be wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Io(#[from] Error),
    #[error("is no PLY file: {}", one_line(&.0.to_string()))]
    Parse(#[from] ParseError),
    #[error("has no {0}")]
    Lacks(&'static str),
    #[error("vertex {row} has no number x, y or z")]
    Corner { row: usize },
    #[error("face {row} is no triangle of vertices: it has {vertices}")]
    NoTriangle { row: usize, vertices: usize },
    #[error("face {row} names vertex {vertex}, but there are {vertices}")]
    NoVertex { row: usize, vertex: i64, vertices: usize },
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a file as a whole.
pub(crate) fn read(path: &Path) -> Result<Mesh, Fault> {
    let mut reader = Reader::new(BufReader::new(File::open(path)?));
    let (vertices, faces) = (Parser::<Corner>::new(), Parser::<Face>::new());
    let header = vertices.read_header(&mut reader)?;
    let (mut corners, mut corners_of_faces) = (None, None);
    for (name, element) in &header.elements {
        match &name[..] {
            "vertex" => {
                corners = Some(vertices.read_payload_for_element(&mut reader, element, &header)?);
            }
            "face" => {
                corners_of_faces =
                    Some(faces.read_payload_for_element(&mut reader, element, &header)?);
            }
            _ => {
                Parser::<Skipped>::new().read_payload_for_element(&mut reader, element, &header)?;
            }
        }
    }
    let corners = corners.ok_or(Fault::Lacks("vertices"))?;
    let vertices = corners.iter().enumerate().map(|(row, corner)| match corner.0 {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(Fault::Corner { row }),
    });
    let vertices: Vec<_> = vertices.collect::<Result<_, _>>()?;
    let faces = corners_of_faces.ok_or(Fault::Lacks("faces"))?;
    let faces = faces.iter().enumerate().map(|(row, face)| triangle(row, face, vertices.len()));
    let faces = faces.collect::<Result<_, _>>()?;
    Ok(Mesh { vertices, faces })
}

fn triangle(row: usize, Face(corners): &Face, vertices: usize) -> Result<[u32; 3], Fault> {
    let no_triangle = |_| Fault::NoTriangle { row, vertices: corners.len() };
    let corners: [i64; 3] = corners[..].try_into().map_err(no_triangle)?;
    let outside = |vertex: &&i64| usize::try_from(**vertex).map_or(true, |row| row >= vertices);
    if let Some(&vertex) = corners.iter().find(outside) {
        return Err(Fault::NoVertex { row, vertex, vertices });
    }
    // There are fewer vertices than boxes that the finder takes.
    Ok(corners.map(|vertex| vertex as u32))
}

/// The coordinates that a vertex was given.
#[derive(Debug)]
struct Corner([Option<f64>; 3]);

impl PropertyAccess for Corner {
    fn new() -> Self {
        Self([None; 3])
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[axis] = Some(match property {
            Property::Float(number) => f64::from(number),
            Property::Double(number) => number,
            _ => return PropertyAccessResult::UnsupportedType,
        });
        PropertyAccessResult::Set
    }
}

/// The vertices that a face names.
#[derive(Debug)]
struct Face(Vec<i64>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        // Both names are in use.
        if !["vertex_indices", "vertex_index"].contains(&name) {
            return PropertyAccessResult::Ignored;
        }
        self.0 = match property {
            Property::ListChar(of) => of.into_iter().map(i64::from).collect(),
            Property::ListUChar(of) => of.into_iter().map(i64::from).collect(),
            Property::ListShort(of) => of.into_iter().map(i64::from).collect(),
            Property::ListUShort(of) => of.into_iter().map(i64::from).collect(),
            Property::ListInt(of) => of.into_iter().map(i64::from).collect(),
            Property::ListUInt(of) => of.into_iter().map(i64::from).collect(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// An element that is passed over.
#[derive(Debug)]
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}
