//! Decodes boxes from a string of bytes.
//!
//! Every string is valid, and a small change of it is a small change of the boxes, so fuzzers and random
//! bytes reach much of the code. Past its end a string continues with zeros.

use swath::{Aabb, COORD_MAX, MovingBox};

/// Numbers at the limits of valid boxes, and beyond.
const HOSTILE: [f32; 32] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    -f32::from_bits(1),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-30,
    1.0 / 3.0,
    -1.0 / 3.0,
    0.5,
    1.0 - f32::EPSILON / 2.0,
    1.0,
    -1.0,
    1.0 + f32::EPSILON,
    3.0,
    1e6,
    -1e6,
    8_388_607.5,
    16_777_215.0,
    16_777_216.0,
    -16_777_216.0,
    1e30,
    -1e30,
    COORD_MAX,
    -COORD_MAX,
    // None of these is valid in a box.
    f32::from_bits(COORD_MAX.to_bits() + 1),
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::from_bits(0xff80_0001),
];

/// The rest of the input.
#[derive(Clone, Debug)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    /// The previous number, for ties.
    last: f32,
}

impl<'a> Bytes<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest, last: 1.0 }
    }

    /// Whether only the zeros past the end are left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((&first, rest)) => {
                self.rest = rest;
                first
            }
            None => 0,
        }
    }

    pub fn signed(&mut self) -> f32 {
        f32::from(self.byte().cast_signed())
    }

    fn bits(&mut self) -> f32 {
        f32::from_bits(u32::from_le_bytes([(); 4].map(|()| self.byte())))
    }

    /// Any number, in one of several encodings.
    pub fn number(&mut self) -> f32 {
        self.last = match self.byte() % 8 {
            0 => self.bits(),
            1 => HOSTILE[usize::from(self.byte()) % HOSTILE.len()],
            2 => self.signed() * 0.25,
            3 => self.signed() / 3.0,
            4 => self.last,
            5 => -self.last,
            6 => self.last.next_up(),
            _ => self.last.next_down(),
        };
        self.last
    }

    /// A row, which may be invalid. `rows` are the previous ones, which it may resemble.
    pub fn row(&mut self, rows: &[MovingBox]) -> MovingBox {
        let how = self.byte();
        let mut row = MovingBox::default();
        let MovingBox { aabb: Aabb { min, max }, delta } = &mut row;
        match how % 4 {
            // Small and often near others.
            0 => {
                for axis in 0..3 {
                    min[axis] = self.signed() * 0.125;
                    max[axis] = min[axis] + f32::from(self.byte()) / 64.0;
                    delta[axis] = self.signed() * 0.125;
                }
            }
            1 => {
                for column in [min, max, delta] {
                    *column = [(); 3].map(|()| self.bits());
                }
            }
            2 => {
                for column in [min, max, delta] {
                    *column = [(); 3].map(|()| self.number());
                }
            }
            _ => {
                let like = usize::from(self.byte()) % rows.len().max(1);
                row = rows.get(like).copied().unwrap_or_default();
                let at = self.byte();
                let axis = usize::from(at) % 3;
                match at / 3 % 4 {
                    0 => row.aabb.min[axis] = self.number(),
                    1 => row.aabb.max[axis] = self.number(),
                    2 => row.delta[axis] = self.number(),
                    // On the other side of the first, face to face.
                    _ => {
                        row.aabb.max[axis] = row.aabb.min[axis];
                        row.aabb.min[axis] = self.number();
                    }
                }
            }
        }
        // Usually corners in the wrong order are swapped.
        if how & 0xc0 != 0 {
            for axis in 0..3 {
                let (min, max) = (row.aabb.min[axis], row.aabb.max[axis]);
                if min > max {
                    (row.aabb.min[axis], row.aabb.max[axis]) = (max, min);
                }
            }
        }
        row
    }
}
