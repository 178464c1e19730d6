//! Writes a tick to a file and reads it again.
//!
//! All numbers are little-endian. The format of a file is
//!
//! ```text
//! magic      8 bytes   "SWATHTIC"
//! version    u32       1
//! length     u64       of the whole file
//! config     f32 target, f32 tolerance, u32 touch, f32 fast, u32 impacts per body
//! parts      u32       bit 0: accelerations, bit 1: flags, bit 2: filters, bit 3: upper halves of filters
//! counts     u32 rows, u32 hulls, u32 convex bodies
//! columns    9 of f32, then accelerations (3 of f32), flags (u8), filters (u32: lower halves of category and mask), their
//!            upper halves (u32), if present. Each is a byte 0 and one value for all rows, or a byte 1 and one value for each row.
//!            The first column always has one value for each row
//! hulls      u32 points, then that many points
//! bodies     u32 row, 16 f32 of the motion, u8 form, its f64 numbers, f64 margin, u32 hull
//! checksum   u64       64-bit FNV-1a of everything before
//! ```
//!
//! A shape is written as the numbers that define it; a hull is written once, however many bodies use it. The tick that is read
//! is the same bit by bit, and so are its impacts. An invalid file is rejected with one reason, and nothing of it is used.
//!
//! A column with a single value is expanded when it is read, so without a limit a file of 109 bytes could request any amount
//! of memory. Therefore a file may not have more rows than bytes, unless the caller allows more. Every file that this module
//! writes has at least four bytes for each row, because its first column always has one value for each row.

use crate::columns::MovingBoxColumns;
use crate::geom::{Filter, Motion, Pose};
use crate::narrowphase::record::{NUMBERS_MAX, Recorded};
use crate::narrowphase::toi::Touch;
use crate::narrowphase::{Hull, InvalidShape, record};
use crate::pipeline::config::{Config, PipelineError};
use crate::pipeline::impact::{Impact, ImpactKind};
use crate::pipeline::scene::{BodyFlags, ConvexBody, Scene};
use crate::pipeline::tick::{Pipeline, TickOutput};
use alloc::vec::Vec;

const MAGIC: [u8; 8] = *b"SWATHTIC";
/// The version that is written, and the only one that can be read.
pub const VERSION: u32 = 1;
/// Bytes of magic, version and length.
const HEAD: usize = 20;
const CHECKSUM: usize = 8;
/// Smallest size of a convex body, without the numbers of its form.
const BODY_BYTES: usize = 4 + 16 * 4 + 1 + 8 + 4;

/// Why a tick cannot be written, or a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] PipelineError),
    /// A shape is implemented by the caller; code cannot be written.
    #[error(
        "the shape of row {row} is a support map of the caller and cannot be written; use a hull for it"
    )]
    OwnShape {
        /// The row of the shape.
        row: u32,
    },
    /// A body is a mesh, a height field or a compound, for which the format has no form.
    #[error(
        "the body of row {row} has parts and cannot be written; write the tick without it, or each part as a convex shape"
    )]
    Geometry {
        /// The row of the body.
        row: u32,
    },
    /// The bytes do not start like a captured tick.
    #[error("not a captured tick; `Pipeline::capture` writes one")]
    NoCapture,
    /// The file was written by an older version of the format.
    #[error(
        "a captured tick of version {version}, which is too old: version {VERSION} is read; write it again with this version of swath"
    )]
    TooOld {
        /// The version of the file.
        version: u32,
    },
    /// The file was written by a newer version of the format.
    #[error(
        "a captured tick of version {version}, which is too new: version {VERSION} is read; read it with the version of swath that wrote it"
    )]
    TooNew {
        /// The version of the file.
        version: u32,
    },
    /// The file is incomplete.
    #[error(
        "a captured tick of which only {found} of {expected} bytes are there; copy or write it again"
    )]
    Truncated {
        /// The length that the file should have.
        expected: u64,
        /// The length that it has.
        found: u64,
    },
    /// The checksum is wrong.
    #[error(
        "a captured tick that is damaged: its checksum is not that of its bytes; copy or write it again"
    )]
    Damaged,
    /// The file has more rows than allowed. The limit keeps a short file from requesting much
    /// memory.
    #[error(
        "a captured tick of {rows} rows, of which at most {most} may be read; without a limit of the caller \
         that is one for each byte of the file"
    )]
    TooManyRows {
        /// The number of rows of the file.
        rows: u32,
        /// The number of rows that is allowed.
        most: usize,
    },
    /// The checksum is right, but the contents are not a valid tick.
    #[error("a captured tick that is invalid at byte {at}; {expected} was expected")]
    Nonsense {
        /// The position of the error, in bytes.
        at: usize,
        /// What the format requires there.
        expected: &'static str,
    },
}

/// The 64-bit FNV-1a hash of nothing (Fowler, Noll, Vo).
const FNV_START: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds bytes to a hash.
fn fnv(mut sum: u64, bytes: &[u8]) -> u64 {
    for &byte in bytes {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    sum
}

/// Returns the place of a hull in a list that is sorted by address, or where it must be inserted.
fn find_hull(numbered: &[(*const Hull, u32)], hull: &Hull) -> Result<usize, usize> {
    numbered.binary_search_by_key(&core::ptr::from_ref(hull), |&(hull, _)| hull)
}

impl TickOutput<'_> {
    /// A hash that is the same for the same impacts in the same order, on every platform: 64-bit
    /// FNV-1a over the impacts, then over those with sensors.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut sum = FNV_START;
        for list in [self.impacts(), self.sensed()] {
            sum = fnv(sum, &(list.len() as u32).to_le_bytes());
            for impact in list {
                let Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth, parts } =
                    *impact;
                let kind = match kind {
                    ImpactKind::Touching => 0_u32,
                    ImpactKind::Overlapping => 1,
                    ImpactKind::Unresolved => 2,
                };
                for word in [pair.a, pair.b, kind] {
                    sum = fnv(sum, &word.to_le_bytes());
                }
                let (numbers, vectors) = ([toi, last, closing, depth], [normal, on_a, on_b]);
                for number in numbers.iter().chain(vectors.as_flattened()) {
                    sum = fnv(sum, &number.to_le_bytes());
                }
                // Impacts without parts have the hash that they had before there were any.
                if parts != [0; 2] {
                    parts.iter().for_each(|part| sum = fnv(sum, &part.to_le_bytes()));
                }
            }
        }
        sum
    }
}

impl Pipeline {
    /// Writes a tick in the format that [`Capture::read`] reads.
    ///
    /// # Errors
    ///
    /// [`CaptureError`]: what is wrong with the scene, or that a shape is implemented by the
    /// caller.
    ///
    /// ```
    /// use swath::pipeline::{Capture, Config};
    /// use swath::{ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
    ///
    /// let boxes = MovingBoxColumns::from_columns([&[0.0, 0.0]; 9])?;
    /// let motion = Motion::new(Pose::at([9.0, 0.0, 0.0])?, [-9.0, 0.0, 0.0])?;
    /// let ball = [ConvexBody { row: 1, shape: Shape::sphere(0.5)?, motion }];
    /// let scene = Scene::new(boxes).convex(&ball);
    /// let mut pipeline = Pipeline::new(Config::default());
    /// let bytes = pipeline.capture(&scene)?;
    ///
    /// let capture = Capture::read(&bytes)?;
    /// let convex = capture.convex();
    /// let mut again = Pipeline::new(*capture.config());
    /// let hash = again.tick(&capture.scene(&convex))?.hash();
    /// assert_eq!(hash, pipeline.tick(&scene)?.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn capture(&self, scene: &Scene<'_, '_>) -> Result<Vec<u8>, CaptureError> {
        self.config().validate()?;
        scene.check()?;
        let mut out = Writer(Vec::new());
        out.bytes(&MAGIC);
        out.word(VERSION);
        // The length is filled in at the end.
        out.bytes(&[0; 8]);
        let Config { target_distance, tolerance, touch, fast, impacts_per_body } = *self.config();
        let touch = match touch {
            Touch::Hit => 0,
            Touch::IfClosing => 1,
            Touch::Ignore => 2,
        };
        let config = [target_distance.to_bits(), tolerance.to_bits(), touch, fast.to_bits()];
        config.into_iter().for_each(|word| out.word(word));
        out.word(impacts_per_body);
        let (filters, is_filtered) = (scene.filters.unwrap_or_default(), scene.filters.is_some());
        let any_upper = filters.iter().any(|filter| filter.halves()[1] != 0);
        let parts = [scene.is_accelerated(), scene.flags.is_some(), is_filtered, any_upper];
        out.word((0..).zip(parts).map(|(bit, is)| u32::from(is) << bit).sum());

        if let Some(body) = scene.geometries.first() {
            return Err(CaptureError::Geometry { row: body.row });
        }

        // The hulls by number, and the number of each hull, in the order of addresses.
        let (mut hulls, mut numbered) = (Vec::new(), Vec::new());
        for convex in scene.convex {
            let recorded = Recorded::of(&convex.shape);
            let recorded = recorded.ok_or(CaptureError::OwnShape { row: convex.row })?;
            if let Some(hull) = recorded.hull
                && let Err(place) = find_hull(&numbered, hull)
            {
                numbered.insert(place, (core::ptr::from_ref(hull), hulls.len() as u32));
                hulls.push(hull);
            }
        }
        for count in [scene.len(), hulls.len(), scene.convex.len()] {
            out.word(count as u32);
        }
        let [first, rest @ ..] = scene.boxes.columns();
        // One value for each row, so that no file has more rows than bytes.
        out.each(bits(first));
        for column in rest.into_iter().chain(scene.accel) {
            // Without accelerations the columns are empty, and nothing is written.
            out.column(bits(column));
        }
        if let Some(flags) = scene.flags {
            out.column(flags.iter().map(|flags| [flags.bits()]));
        }
        for half in 0..1 + usize::from(any_upper) {
            out.column(filters.iter().map(|filter| filter.halves()[half].to_le_bytes()));
        }
        for hull in hulls {
            out.word(hull.len() as u32);
            hull.vertices().flatten().for_each(|x| out.word(x.to_bits()));
        }
        for convex in scene.convex {
            out.body(convex, &numbered);
        }
        let length = (out.0.len() + CHECKSUM) as u64;
        out.0[12..HEAD].copy_from_slice(&length.to_le_bytes());
        let sum = fnv(FNV_START, &out.0);
        out.bytes(&sum.to_le_bytes());
        Ok(out.0)
    }
}

/// The bytes of a column.
fn bits(column: &[f32]) -> impl ExactSizeIterator<Item = [u8; 4]> + Clone {
    column.iter().map(|x| x.to_bits().to_le_bytes())
}

struct Writer(Vec<u8>);

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn word(&mut self, word: u32) {
        self.bytes(&word.to_le_bytes());
    }

    /// Writes one value if all are equal, and otherwise one for each row.
    fn column<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]> + Clone) {
        let mut rest = values.clone();
        match rest.next() {
            Some(first) if rest.all(|value| value == first) => {
                self.bytes(&[0]);
                self.bytes(&first);
            }
            Some(_) => self.each(values),
            None => {}
        }
    }

    /// Writes one value for each row; nothing if there are no rows.
    fn each<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]>) {
        if values.len() > 0 {
            self.bytes(&[1]);
        }
        values.for_each(|value| self.bytes(&value));
    }

    fn body(&mut self, convex: &ConvexBody<'_>, numbered: &[(*const Hull, u32)]) {
        self.word(convex.row);
        let Motion { pose: Pose { position, rotation }, delta, accel, spin } = convex.motion;
        for x in [&position[..], &rotation, &delta, &accel, &spin].concat() {
            self.word(x.to_bits());
        }
        let Some(recorded) = Recorded::of(&convex.shape) else { return };
        self.bytes(&[recorded.form]);
        let count = record::form(recorded.form).map_or(0, |(count, _)| count);
        for x in &recorded.numbers[..count] {
            self.bytes(&x.to_bits().to_le_bytes());
        }
        self.bytes(&recorded.radius.to_bits().to_le_bytes());
        let place = recorded.hull.and_then(|hull| find_hull(numbered, hull).ok());
        self.word(place.map_or(u32::MAX, |place| numbered[place].1));
    }
}

/// A tick that was read from a file.
#[derive(Clone, Debug)]
pub struct Capture {
    config: Config,
    /// Nine columns of boxes, then three of accelerations, which may be empty.
    columns: [Vec<f32>; 12],
    flags: Option<Vec<BodyFlags>>,
    filters: Option<Vec<Filter>>,
    hulls: Vec<Hull>,
    bodies: Vec<CapturedBody>,
}

/// A convex body, with its hull by index.
#[derive(Clone, Copy, Debug)]
struct CapturedBody {
    row: u32,
    motion: Motion,
    form: u8,
    numbers: [f64; NUMBERS_MAX],
    margin: f64,
    hull: u32,
}

impl Capture {
    /// Reads a file that [`Pipeline::capture`] wrote.
    ///
    /// A file with more rows than bytes is rejected, so reading takes at most about a hundred times
    /// as much memory as the file is long. Files of [`Pipeline::capture`] have at least four bytes
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
    /// A row takes up to 53 bytes of memory, even if it takes none in the file.
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
        let mut reader = Reader { bytes, at: 8 };
        let version = reader.word()?;
        match version.cmp(&VERSION) {
            core::cmp::Ordering::Less => return Err(CaptureError::TooOld { version }),
            core::cmp::Ordering::Greater => return Err(CaptureError::TooNew { version }),
            core::cmp::Ordering::Equal => {}
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
        let mut reader = Reader { bytes: body, at: HEAD };
        let capture = reader.capture(rows_max)?;
        if reader.at == end { Ok(capture) } else { Err(nonsense(reader.at, "the end of the file")) }
    }

    /// The settings of the tick.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The convex bodies, for [`Capture::scene`].
    #[must_use]
    pub fn convex(&self) -> Vec<ConvexBody<'_>> {
        let body = |body: &CapturedBody| ConvexBody {
            row: body.row,
            shape: body.shape(&self.hulls).expect("was tried when it was read"),
            motion: body.motion,
        };
        self.bodies.iter().map(body).collect()
    }

    /// The scene of the tick.
    #[must_use]
    pub fn scene<'a>(&'a self, convex: &'a [ConvexBody<'a>]) -> Scene<'a, 'a> {
        let [boxes @ .., ax, ay, az] = self.columns.each_ref().map(Vec::as_slice);
        let boxes: [_; 9] = boxes;
        let boxes = MovingBoxColumns::from_columns(boxes).expect("read as long as each other");
        Scene {
            boxes,
            accel: [ax, ay, az],
            convex,
            flags: self.flags.as_deref(),
            filters: self.filters.as_deref(),
            geometries: &[],
        }
    }
}

impl CapturedBody {
    fn shape<'a>(&self, hulls: &'a [Hull]) -> Result<crate::narrowphase::Shape<'a>, InvalidShape> {
        let Self { form, numbers, margin, .. } = *self;
        let hull = hulls.get(self.hull as usize);
        Recorded { form, numbers, radius: margin, hull }.shape()
    }
}

fn nonsense(at: usize, expected: &'static str) -> CaptureError {
    CaptureError::Nonsense { at, expected }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CaptureError> {
        let rest = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let taken = *rest.ok_or(nonsense(self.at, "more bytes of the tick"))?;
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
            Err(nonsense(self.at, "a count of things that the rest of the file has room for"))
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
            _ => Err(nonsense(at, "a column, which begins with 0 or 1,")),
        }
    }

    fn capture(&mut self, rows_max: usize) -> Result<Capture, CaptureError> {
        let at = self.at;
        let [target_distance, tolerance] = self.floats()?;
        let touch = match self.word()? {
            0 => Touch::Hit,
            1 => Touch::IfClosing,
            2 => Touch::Ignore,
            _ => return Err(nonsense(at + 8, "a policy for touches, 0, 1 or 2,")),
        };
        let (fast, impacts_per_body) = (self.float()?, self.word()?);
        let config = Config { target_distance, tolerance, touch, fast, impacts_per_body };
        config.validate().map_err(|_| nonsense(at, "a valid configuration"))?;
        let at = self.at;
        let parts = self.word()?;
        if parts > 15 || parts & 12 == 8 {
            return Err(nonsense(at, "a set of parts below 8, or below 16 with filters"));
        }
        let rows = self.word()?;
        if rows as usize > rows_max {
            return Err(CaptureError::TooManyRows { rows, most: rows_max });
        }
        let (rows, hulls, bodies) = (rows as usize, self.word()?, self.word()?);
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
        let mut capture =
            Capture { config, columns, flags, filters, hulls: Vec::new(), bodies: Vec::new() };
        for _ in 0..self.count(hulls, 16)? {
            let at = self.at;
            let points = self.word()?;
            let mut read = Vec::new();
            for _ in 0..self.count(points, 12)? {
                read.push(self.floats::<3>()?);
            }
            let hull = Hull::new(read).map_err(|_| nonsense(at, "a hull of valid points"))?;
            capture.hulls.push(hull);
        }
        let mut next = 0;
        for _ in 0..self.count(bodies, BODY_BYTES)? {
            let at = self.at;
            let body = self.body(&capture.hulls)?;
            if body.row < next || body.row as usize >= rows {
                return Err(nonsense(at, "a row of the scene, above that of the body before,"));
            }
            next = body.row + 1;
            capture.bodies.push(body);
        }
        Ok(capture)
    }

    /// Reads a body. Its shape must be valid; its motion may be invalid, because the tick rejects
    /// such a body.
    fn body(&mut self, hulls: &[Hull]) -> Result<CapturedBody, CaptureError> {
        let row = self.word()?;
        let pose = Pose { position: self.floats()?, rotation: self.floats()? };
        let [delta, accel, spin] = [self.floats()?, self.floats()?, self.floats()?];
        let motion = Motion { pose, delta, accel, spin };
        let at = self.at;
        let [form] = self.take()?;
        let (count, _) = record::form(form).ok_or(nonsense(at, "a form of a shape"))?;
        let mut numbers = [0.0; NUMBERS_MAX];
        for number in &mut numbers[..count] {
            *number = self.double()?;
        }
        let (margin, hull) = (self.double()?, self.word()?);
        let body = CapturedBody { row, motion, form, numbers, margin, hull };
        body.shape(hulls).map_err(|_| nonsense(at, "a valid shape"))?;
        Ok(body)
    }
}
