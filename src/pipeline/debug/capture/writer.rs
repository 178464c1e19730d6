//! Writes a tick to a file.

use super::error::{CHECKSUM, CaptureError, HEAD, MAGIC, VERSION, VERSION_MIN};
use crate::geom::{FNV_START, Motion, Pose, fnv};
use crate::meshes::Geometry;
use crate::narrowphase::record::Recorded;
use crate::narrowphase::toi::{TOI_ROUNDS_MAX, Touch};
use crate::narrowphase::{Hull, Shape, record};
use crate::pipeline::config::{Config, PartImpacts};
use crate::pipeline::scene::Scene;
use crate::pipeline::tick::Pipeline;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;

/// The hulls of a tick by number, and the number of each hull by its address.
#[derive(Default)]
struct Hulls<'h> {
    all: Vec<&'h Hull>,
    numbers: BTreeMap<*const Hull, u32>,
}

impl<'h> Hulls<'h> {
    /// Returns a shape as numbers, and numbers its hull.
    fn record(&mut self, row: u32, shape: &Shape<'h>) -> Result<Recorded<'h>, CaptureError> {
        let recorded = Recorded::of(shape).ok_or(CaptureError::OwnShape { row })?;
        if let Some(hull) = recorded.hull
            && let Entry::Vacant(entry) = self.numbers.entry(hull)
        {
            entry.insert(self.all.len() as u32);
            self.all.push(hull);
        }
        Ok(recorded)
    }

    fn number(&self, hull: Option<&Hull>) -> u32 {
        hull.map_or(u32::MAX, |hull| self.numbers[&core::ptr::from_ref(hull)])
    }
}

/// The geometries of a tick by number. A mesh, a height field or a compound that several bodies have is written once.
#[derive(Default)]
struct Geometries<'g> {
    all: Vec<Geometry<'g>>,
    /// The number of each geometry that is borrowed, by its address.
    numbers: BTreeMap<usize, u32>,
}

impl<'g> Geometries<'g> {
    /// Returns the number of a geometry, and whether it is new.
    fn number(&mut self, geometry: &Geometry<'g>) -> (u32, bool) {
        let address = match *geometry {
            Geometry::Convex(_) => None,
            Geometry::Compound(compound) => Some(core::ptr::from_ref(compound).addr()),
            Geometry::Mesh(mesh) => Some(core::ptr::from_ref(mesh).addr()),
            Geometry::HeightField(field) => Some(core::ptr::from_ref(field).addr()),
        };
        let number = self.all.len() as u32;
        if let Some(address) = address {
            match self.numbers.entry(address) {
                Entry::Occupied(entry) => return (*entry.get(), false),
                Entry::Vacant(entry) => entry.insert(number),
            };
        }
        self.all.push(*geometry);
        (number, true)
    }
}

impl Pipeline {
    /// Writes a tick in the format that [`Capture::read`](super::Capture::read) reads.
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
    /// let hash = again.tick(&capture.scene(&convex, &capture.geometries()))?.hash();
    /// assert_eq!(hash, pipeline.tick(&scene)?.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn capture(&self, scene: &Scene<'_, '_>) -> Result<Vec<u8>, CaptureError> {
        self.config().validate()?;
        scene.check()?;
        let mut out = Writer(Vec::new());
        out.bytes(&MAGIC);
        let part_impacts = match self.config().part_impacts {
            PartImpacts::First => 0,
            PartImpacts::Each => 1,
        };
        // A tick that needs nothing of the newer version has the bytes of the older.
        let newer = part_impacts != 0 || !scene.geometries.is_empty();
        let version = if newer { VERSION } else { VERSION_MIN };
        out.word(version);
        // The length is filled in at the end.
        out.bytes(&[0; 8]);
        let Config {
            target_distance, tolerance, touch, fast, impacts_per_body, rounds_max, ..
        } = *self.config();
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
        let has_rounds = rounds_max != TOI_ROUNDS_MAX;
        let present =
            [scene.is_accelerated(), scene.flags.is_some(), is_filtered, any_upper, has_rounds];
        out.word((0..).zip(present).map(|(bit, is)| u32::from(is) << bit).sum());

        let (mut hulls, mut convex) = (Hulls::default(), Vec::new());
        for body in scene.convex {
            convex.push(hulls.record(body.row, &body.shape)?);
        }
        let (mut geometries, mut shapes, mut numbers) =
            (Geometries::default(), Vec::new(), Vec::new());
        for body in scene.geometries {
            let (number, is_new) = geometries.number(&body.geometry);
            numbers.push(number);
            match body.geometry {
                Geometry::Convex(shape) => shapes.push(hulls.record(body.row, &shape)?),
                Geometry::Compound(compound) if is_new => {
                    for (shape, _) in compound.parts() {
                        shapes.push(hulls.record(body.row, &shape.shape())?);
                    }
                }
                _ => {}
            }
        }
        for count in [scene.len(), hulls.all.len(), scene.convex.len()] {
            out.word(count as u32);
        }
        if has_rounds {
            out.word(rounds_max);
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
        for hull in &hulls.all {
            out.word(hull.len() as u32);
            hull.vertices().flatten().for_each(|x| out.word(x.to_bits()));
        }
        for (body, recorded) in scene.convex.iter().zip(&convex) {
            out.word(body.row);
            out.motion(&body.motion);
            out.shape(recorded, &hulls);
        }
        if version > VERSION_MIN {
            out.word(part_impacts);
            out.word(geometries.all.len() as u32);
            out.word(scene.geometries.len() as u32);
            let mut shapes = shapes.iter();
            geometries.all.iter().for_each(|of| out.geometry(of, &mut shapes, &hulls));
            for (body, number) in scene.geometries.iter().zip(numbers) {
                out.word(body.row);
                out.motion(&body.motion);
                out.word(number);
            }
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

    fn numbers<'n>(&mut self, numbers: impl IntoIterator<Item = &'n f32>) {
        numbers.into_iter().for_each(|x| self.word(x.to_bits()));
    }

    fn pose(&mut self, pose: &Pose) {
        self.numbers(pose.position.iter().chain(&pose.rotation));
    }

    fn motion(&mut self, motion: &Motion) {
        let Motion { pose, delta, accel, spin } = motion;
        self.pose(pose);
        self.numbers([delta, accel, spin].into_iter().flatten());
    }

    fn shape(&mut self, recorded: &Recorded<'_>, hulls: &Hulls<'_>) {
        self.bytes(&[recorded.form]);
        let count = record::form(recorded.form).map_or(0, |(count, _)| count);
        for x in &recorded.numbers[..count] {
            self.bytes(&x.to_bits().to_le_bytes());
        }
        self.bytes(&recorded.radius.to_bits().to_le_bytes());
        self.word(hulls.number(recorded.hull));
    }

    /// Writes a geometry. `shapes` are the recorded shapes of this and the next geometries.
    fn geometry(
        &mut self,
        geometry: &Geometry<'_>,
        shapes: &mut core::slice::Iter<'_, Recorded<'_>>,
        hulls: &Hulls<'_>,
    ) {
        match *geometry {
            Geometry::Convex(_) => {
                self.bytes(&[0]);
                shapes.by_ref().take(1).for_each(|shape| self.shape(shape, hulls));
            }
            Geometry::Compound(compound) => {
                self.bytes(&[1]);
                self.word(compound.parts().len() as u32);
                for ((_, pose), shape) in compound.parts().iter().zip(shapes) {
                    self.pose(pose);
                    self.shape(shape, hulls);
                }
            }
            Geometry::Mesh(mesh) => {
                self.bytes(&[2, mesh.is_one_sided().into()]);
                self.word(mesh.vertices().len() as u32);
                self.word(mesh.triangles().len() as u32);
                self.numbers(mesh.vertices().as_flattened());
                mesh.triangles().as_flattened().iter().for_each(|&index| self.word(index));
            }
            Geometry::HeightField(field) => {
                self.bytes(&[3, field.is_one_sided().into()]);
                field.samples().into_iter().for_each(|count| self.word(count));
                self.numbers(&field.spacing());
                self.numbers(field.heights());
            }
        }
    }
}
