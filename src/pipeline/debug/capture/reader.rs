//! Reads a tick from a file.

use super::contents::{Capture, CapturedBody, CapturedGeometry, CapturedShape};
use super::error::{CHECKSUM, CaptureError, HEAD, MAGIC, VERSION, VERSION_MIN, malformed};
use crate::geom::{FNV_START, Filter, Motion, Pose, fnv};
use crate::meshes::{Compound, HeightField, Mesh};
use crate::narrowphase::record::NUMBERS_MAX;
use crate::narrowphase::toi::Touch;
use crate::narrowphase::{Hull, InvalidShape, OwnedShape, record};
use crate::par::Arc;
use crate::pipeline::config::{Config, PartImpacts};
use crate::pipeline::scene::BodyFlags;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;

/// Smallest size of a shape, without the numbers of its form.
const SHAPE_BYTES: usize = 1 + 8 + 4;
/// Size of a motion.
const MOTION_BYTES: usize = 16 * 4;
/// Size of a pose.
const POSE_BYTES: usize = 7 * 4;
/// Smallest size of a body with parts and its geometry, which is a compound without parts. A file has no more geometries
/// than bodies, because an empty geometry takes some hundred times as much memory as bytes of the file.
const GEOMETRY_BYTES: usize = 4 + MOTION_BYTES + 4 + 5;

impl Capture {
    /// Reads a file that [`Pipeline::capture`](crate::Pipeline::capture) wrote.
    ///
    /// A file with more rows than bytes is rejected, so reading takes at most about a hundred times
    /// as much memory as the file is long. Files of [`Pipeline::capture`](crate::Pipeline::capture) have at least four bytes
    /// for each row. For files of other writers, in which every column has a single value, use
    /// [`Capture::read_rows`].
    ///
    /// # Errors
    ///
    /// [`CaptureError`]: why the file is invalid.
    pub fn read(bytes: &[u8]) -> Result<Self, CaptureError> {
        Self::read_rows(bytes, bytes.len())
    }

    /// Reads a captured tick with at most `rows_max` rows, however short the file is.
    ///
    /// A row takes up to 57 bytes of memory, and 4 more while its filter is read, even if it takes none in the file.
    ///
    /// # Errors
    ///
    /// [`CaptureError`]: why the file is invalid.
    pub fn read_rows(bytes: &[u8], rows_max: usize) -> Result<Self, CaptureError> {
        let found = bytes.len() as u64;
        if bytes.len() < HEAD || bytes[..8] != MAGIC {
            // A prefix of the magic is an incomplete file; anything else is a different file.
            let begun = !bytes.is_empty() && bytes.len() < HEAD;
            let expected = HEAD as u64;
            return Err(
                match begun && bytes.iter().zip(&MAGIC).all(|(byte, magic)| byte == magic) {
                    true => CaptureError::Truncated { expected, found },
                    false => CaptureError::NoCapture,
                },
            );
        }
        let mut reader = Reader { bytes, at: 8, of_hulls: HullShapes::default() };
        let version = reader.word()?;
        if version < VERSION_MIN {
            return Err(CaptureError::TooOld { version });
        }
        if version > VERSION {
            return Err(CaptureError::TooNew { version });
        }
        let expected = u64::from_le_bytes(reader.take()?);
        if found < expected {
            return Err(CaptureError::Truncated { expected, found });
        }
        let end = bytes.len().saturating_sub(CHECKSUM);
        let (body, sum) = bytes.split_at(end);
        if found > expected || end < HEAD || fnv(FNV_START, body).to_le_bytes() != sum {
            return Err(CaptureError::Damaged);
        }
        let mut reader = Reader { bytes: body, at: HEAD, of_hulls: HullShapes::default() };
        let mut capture = reader.capture(rows_max)?;
        if version > VERSION_MIN {
            reader.with_parts(&mut capture)?;
        }
        if reader.at == end {
            Ok(capture)
        } else {
            Err(malformed(reader.at, "the end of the file"))
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    of_hulls: HullShapes,
}

/// The shapes with a hull that were created, by the bits of their numbers: many bodies have the same shape, and to scale a hull of few vertices
/// by different factors takes time in proportion to these. The map has at most as many entries as the file has shapes.
#[derive(Default)]
struct HullShapes(BTreeMap<(u8, u32, [u64; NUMBERS_MAX], u64), OwnedShape>);

impl HullShapes {
    /// Returns the shape that was read, and stores it if it has a hull and is not stored. `new` creates it.
    fn get(
        &mut self,
        read: &CapturedShape,
        new: impl FnOnce(&CapturedShape) -> Result<OwnedShape, InvalidShape>,
    ) -> Result<OwnedShape, InvalidShape> {
        let CapturedShape { form, numbers, radius, hull } = *read;
        let has_hull = record::form(form).is_some_and(|(_, has_hull)| has_hull);
        if !has_hull {
            return new(read);
        }
        match self.0.entry((form, hull, numbers.map(f64::to_bits), radius.to_bits())) {
            Entry::Occupied(entry) => Ok(entry.get().clone()),
            Entry::Vacant(entry) => Ok(entry.insert(new(read)?).clone()),
        }
    }
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CaptureError> {
        let rest = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let taken = *rest.ok_or(malformed(self.at, "more bytes of the tick"))?;
        self.at += N;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, CaptureError> {
        self.take().map(u32::from_le_bytes)
    }

    fn float(&mut self) -> Result<f32, CaptureError> {
        self.word().map(f32::from_bits)
    }

    fn double(&mut self) -> Result<f64, CaptureError> {
        self.take().map(f64::from_le_bytes)
    }

    fn floats<const N: usize>(&mut self) -> Result<[f32; N], CaptureError> {
        let mut out = [0.0; N];
        for out in &mut out {
            *out = self.float()?;
        }
        Ok(out)
    }

    /// Checks a number of elements of at least `least` bytes each against the bytes that are left.
    fn count(&mut self, count: u32, least: usize) -> Result<usize, CaptureError> {
        let rest = self.bytes.len().saturating_sub(self.at);
        let count = count as usize;
        if count.checked_mul(least).is_some_and(|bytes| bytes <= rest) {
            Ok(count)
        } else {
            Err(malformed(self.at, "a number of elements that fit into the rest of the file"))
        }
    }

    fn column<const N: usize, T: Clone>(
        &mut self,
        rows: usize,
        of: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, CaptureError> {
        if rows == 0 {
            return Ok(Vec::new());
        }
        let at = self.at;
        match self.take()? {
            [0] => Ok(alloc::vec![of(self.take()?); rows]),
            [1] => {
                let rows = self.count(rows as u32, N)?;
                let mut column = Vec::with_capacity(rows);
                for _ in 0..rows {
                    column.push(of(self.take()?));
                }
                Ok(column)
            }
            _ => Err(malformed(at, "a column, which begins with 0 or 1,")),
        }
    }

    fn capture(&mut self, rows_max: usize) -> Result<Capture, CaptureError> {
        let at = self.at;
        let [target_distance, tolerance] = self.floats()?;
        let touch = match self.word()? {
            0 => Touch::Hit,
            1 => Touch::IfClosing,
            2 => Touch::Ignore,
            _ => return Err(malformed(at + 8, "a policy for touches, 0, 1 or 2,")),
        };
        let (fast, impacts_per_body) = (self.float()?, self.word()?);
        let defaults = Config::default();
        let mut config =
            Config { target_distance, tolerance, touch, fast, impacts_per_body, ..defaults };
        config.validate().map_err(|_| malformed(at, "a valid configuration"))?;
        let at = self.at;
        let parts = self.word()?;
        if parts > 31 || parts & 12 == 8 {
            return Err(malformed(
                at,
                "a set of parts below 32, with upper halves of filters only if there are filters",
            ));
        }
        let rows = self.word()?;
        if rows as usize > rows_max {
            return Err(CaptureError::TooManyRows { rows, most: rows_max });
        }
        let (rows, hulls, bodies) = (rows as usize, self.word()?, self.word()?);
        if parts & 16 != 0 {
            let at = self.at;
            config.rounds_max = self.word()?;
            if [0, defaults.rounds_max].contains(&config.rounds_max) {
                return Err(malformed(at, "a number of rounds above 0, which is not the default"));
            }
        }
        let mut columns: [Vec<f32>; 12] = Default::default();
        let count = if parts & 1 == 0 { 9 } else { 12 };
        for column in &mut columns[..count] {
            *column = self.column(rows, f32::from_le_bytes)?;
        }
        let flagged =
            (parts & 2 != 0).then(|| self.column(rows, |[bits]| BodyFlags::from_bits(bits)));
        let flags = flagged.transpose()?;
        let mut filters = None;
        if parts & 4 != 0 {
            let mut read: Vec<_> = self.column(rows, |word| [u32::from_le_bytes(word), 0])?;
            if parts & 8 != 0 {
                let upper = self.column(rows, u32::from_le_bytes)?;
                read.iter_mut().zip(upper).for_each(|(halves, upper)| halves[1] = upper);
            }
            filters = Some(read.into_iter().map(Filter::of_halves).collect());
        }
        let mut capture = Capture {
            config,
            columns,
            flags,
            filters,
            hulls: Vec::new(),
            bodies: Vec::new(),
            geometries: Vec::new(),
            with_parts: Vec::new(),
        };
        for _ in 0..self.count(hulls, 16)? {
            let at = self.at;
            let points = self.word()?;
            let read = self.list(points, 12, Self::floats::<3>)?;
            let hull = Hull::new(read).map_err(|_| malformed(at, "a hull of valid points"))?;
            capture.hulls.push(Arc::new(hull));
        }
        let mut next = 0;
        for _ in 0..self.count(bodies, 4 + MOTION_BYTES + SHAPE_BYTES)? {
            let row = self.row(&mut next, rows)?;
            let (motion, shape) = (self.motion()?, self.shape(&capture.hulls)?);
            capture.bodies.push(CapturedBody { row, motion, shape });
        }
        Ok(capture)
    }

    /// Reads the row of a body, which is not below `next`, and increases `next`.
    fn row(&mut self, next: &mut u32, rows: usize) -> Result<u32, CaptureError> {
        let at = self.at;
        let row = self.word()?;
        if row < *next || row as usize >= rows {
            return Err(malformed(at, "a row of the scene, above that of the body before,"));
        }
        *next = row + 1;
        Ok(row)
    }

    fn pose(&mut self) -> Result<Pose, CaptureError> {
        Ok(Pose { position: self.floats()?, rotation: self.floats()? })
    }

    /// Reads a motion, which may be invalid, because the tick rejects such a body.
    fn motion(&mut self) -> Result<Motion, CaptureError> {
        let pose = self.pose()?;
        let [delta, accel, spin] = [self.floats()?, self.floats()?, self.floats()?];
        Ok(Motion { pose, delta, accel, spin })
    }

    /// Reads a shape, which must be valid.
    fn shape(&mut self, hulls: &[Arc<Hull>]) -> Result<OwnedShape, CaptureError> {
        let at = self.at;
        let [form] = self.take()?;
        let (count, _) = record::form(form).ok_or(malformed(at, "a form of a shape"))?;
        let mut numbers = [0.0; NUMBERS_MAX];
        for number in &mut numbers[..count] {
            *number = self.double()?;
        }
        let read = CapturedShape { form, numbers, radius: self.double()?, hull: self.word()? };
        let shape = self.of_hulls.get(&read, |read| read.owned(hulls));
        shape.map_err(|_| malformed(at, "a valid shape"))
    }

    /// Reads a number of elements of at least `least` bytes each.
    fn list<T>(
        &mut self,
        count: u32,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, CaptureError>,
    ) -> Result<Vec<T>, CaptureError> {
        let count = self.count(count, least)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Reads what version 2 added: the part impacts, the geometries, and the bodies with parts.
    fn with_parts(&mut self, capture: &mut Capture) -> Result<(), CaptureError> {
        let at = self.at;
        capture.config.part_impacts = match self.word()? {
            0 => PartImpacts::First,
            1 => PartImpacts::Each,
            _ => return Err(malformed(at, "which impacts of parts are reported, 0 or 1,")),
        };
        let at = self.at;
        let (geometries, bodies) = (self.word()?, self.word()?);
        if geometries > bodies {
            return Err(malformed(at, "no more geometries than bodies with parts"));
        }
        for _ in 0..self.count(geometries, GEOMETRY_BYTES)? {
            let geometry = self.geometry(&capture.hulls)?;
            capture.geometries.push(Arc::new(geometry));
        }
        let (mut next, rows) = (0, capture.columns[0].len());
        for _ in 0..self.count(bodies, 4 + MOTION_BYTES + 4)? {
            let at = self.at;
            let row = self.row(&mut next, rows)?;
            if capture.bodies.binary_search_by_key(&row, |body| body.row).is_ok() {
                return Err(malformed(at, "a row that is no convex body"));
            }
            let motion = self.motion()?;
            let at = self.at;
            let number = self.word()?;
            if number as usize >= capture.geometries.len() {
                return Err(malformed(at, "the number of a geometry of the file"));
            }
            capture.with_parts.push((row, motion, number));
        }
        Ok(())
    }

    fn geometry(&mut self, hulls: &[Arc<Hull>]) -> Result<CapturedGeometry, CaptureError> {
        let at = self.at;
        let [kind] = self.take()?;
        match kind {
            0 => Ok(CapturedGeometry::Convex(self.shape(hulls)?)),
            1 => {
                let count = self.word()?;
                let parts = self.list(count, POSE_BYTES + SHAPE_BYTES, |reader| {
                    let pose = reader.pose()?;
                    Ok((reader.shape(hulls)?, pose))
                })?;
                let compound = Compound::new(parts);
                let compound = compound.map_err(|_| malformed(at, "a valid compound"))?;
                Ok(CapturedGeometry::Compound(compound))
            }
            2 => {
                let one_sided = self.flag()?;
                let (vertices, triangles) = (self.word()?, self.word()?);
                let vertices = self.list(vertices, 12, Self::floats::<3>)?;
                let triangles = self.list(triangles, 12, Self::words::<3>)?;
                let mesh = Mesh::new(vertices, triangles);
                let mesh = mesh.map_err(|_| malformed(at, "a valid mesh"))?;
                Ok(CapturedGeometry::Mesh(if one_sided { mesh.one_sided() } else { mesh }))
            }
            3 => {
                let one_sided = self.flag()?;
                let samples: [u32; 2] = self.words()?;
                let spacing: [f32; 2] = self.floats()?;
                // A product that does not fit is too large for any file.
                let count = samples[0].saturating_mul(samples[1]);
                let heights = self.list(count, 4, Self::float)?;
                let field = HeightField::new(heights, samples, spacing);
                let field = field.map_err(|_| malformed(at, "a valid height field"))?;
                Ok(CapturedGeometry::HeightField(if one_sided { field.one_sided() } else { field }))
            }
            _ => Err(malformed(at, "a kind of a geometry, below 4,")),
        }
    }

    fn flag(&mut self) -> Result<bool, CaptureError> {
        let at = self.at;
        match self.take()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(malformed(at, "whether it is one-sided, 0 or 1,")),
        }
    }

    fn words<const N: usize>(&mut self) -> Result<[u32; N], CaptureError> {
        let mut out = [0; N];
        for out in &mut out {
            *out = self.word()?;
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::Shape;
    use crate::narrowphase::record::Recorded;

    /// Goal: a scaled hull is computed once, and not for each body, whatever the number of scales and hulls by turns is, and is the right one.
    /// Method: two hulls in turn, each with up to fifty scales in turn; the shapes that are computed are counted.
    #[test]
    fn shapes_of_hulls_with_scales_by_turns_are_computed_once() {
        let corners = |size: f32| [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]];
        let hull = |size: f32| Arc::new(Hull::new(corners(size)).expect("a hull"));
        let hulls = [hull(1.0), hull(3.0)];
        for scales in [1, 4, 50] {
            let (mut shapes, mut computed) = (HullShapes::default(), 0);
            for k in 0..200 {
                let (number, scale) = (k % 2, 1.0 + (k / 2 % scales) as f32);
                let expected = Shape::hull(&hulls[number]).scaled([scale; 3]).expect("valid");
                let Recorded { form, numbers, radius, .. } = Recorded::of(&expected).expect("it");
                let read = CapturedShape { form, numbers, radius, hull: number as u32 };
                let shape = shapes.get(&read, |read| {
                    computed += 1;
                    read.owned(&hulls)
                });
                let shape = shape.expect("valid");
                assert_eq!(alloc::format!("{:?}", shape.shape()), alloc::format!("{expected:?}"));
            }
            assert_eq!(computed, 2 * scales);
        }
    }
}
