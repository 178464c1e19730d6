//! Reads the header of a PLY file, and the numbers after it.

use std::collections::BTreeSet;

use super::ply::Fault;

/// How the rows after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Float,
    Double,
}

/// A number of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Real(f64),
    Whole(i64),
}

/// A property of an element: a number, or a list of numbers.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    /// The type of the length of a list; `None` for a number.
    pub(crate) count: Option<Type>,
    pub(crate) of: Type,
}

/// An element: `count` rows with the same properties.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) count: u64,
    pub(crate) properties: Vec<Property>,
}

/// A file, and the position up to which it was read.
#[derive(Debug)]
pub(crate) struct Bytes<'a> {
    file: &'a [u8],
    at: usize,
    line: usize,
}

/// The numbers of one row: a line in ASCII, otherwise all bytes from the first one of the row.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    rest: &'a [u8],
    kind: Kind,
    /// Number of bytes of the file after `rest`.
    after: usize,
}

impl Type {
    /// Each type with its two names and its size in bytes.
    const ALL: [(Self, [&'static str; 2], usize); 8] = [
        (Self::Char, ["char", "int8"], 1),
        (Self::UChar, ["uchar", "uint8"], 1),
        (Self::Short, ["short", "int16"], 2),
        (Self::UShort, ["ushort", "uint16"], 2),
        (Self::Int, ["int", "int32"], 4),
        (Self::UInt, ["uint", "uint32"], 4),
        (Self::Float, ["float", "float32"], 4),
        (Self::Double, ["double", "float64"], 8),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, names, _)| names.contains(&name)).map(|&(of, ..)| of)
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1[0]
    }

    fn bytes(self) -> usize {
        Self::ALL[self as usize].2
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// Parses a word of ASCII as a number of this type.
    fn parse(self, word: &str) -> Option<Number> {
        fn whole<T: std::str::FromStr + Into<i64>>(word: &str) -> Option<Number> {
            word.parse::<T>().ok().map(|number| Number::Whole(number.into()))
        }
        match self {
            Self::Char => whole::<i8>(word),
            Self::UChar => whole::<u8>(word),
            Self::Short => whole::<i16>(word),
            Self::UShort => whole::<u16>(word),
            Self::Int => whole::<i32>(word),
            Self::UInt => whole::<u32>(word),
            Self::Float => word.parse::<f32>().ok().map(|number| Number::Real(number.into())),
            Self::Double => word.parse().ok().map(Number::Real),
        }
    }

    /// Reads a number from as many bytes as the type has, least significant first.
    fn of_bytes(self, b: [u8; 8]) -> Number {
        match self {
            Self::Char => Number::Whole(i8::from_le_bytes([b[0]]).into()),
            Self::UChar => Number::Whole(b[0].into()),
            Self::Short => Number::Whole(i16::from_le_bytes([b[0], b[1]]).into()),
            Self::UShort => Number::Whole(u16::from_le_bytes([b[0], b[1]]).into()),
            Self::Int => Number::Whole(i32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()),
            Self::UInt => Number::Whole(u32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()),
            Self::Float => Number::Real(f32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()),
            Self::Double => Number::Real(f64::from_le_bytes(b)),
        }
    }
}

impl Number {
    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Real(number) => number,
            // This is exact, because an integer of a file has at most 32 bits.
            Self::Whole(number) => number as f64,
        }
    }

    /// A fraction is truncated; the readers only accept integer types here.
    pub(crate) fn whole(self) -> i64 {
        match self {
            Self::Real(number) => number as i64,
            Self::Whole(number) => number,
        }
    }
}

impl Element {
    /// Least number of bytes of a row. In ASCII, a number takes a digit and a blank or line end.
    pub(crate) fn least_bytes(&self, kind: Kind) -> u64 {
        let of = |property: &Property| match kind {
            Kind::Ascii => 2,
            // A list may be empty.
            _ => property.count.unwrap_or(property.of).bytes() as u64,
        };
        self.properties.iter().map(of).sum()
    }
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Self {
        Self { file, at: 0, line: 0 }
    }

    /// Position of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Number of bytes left.
    pub(crate) fn left(&self) -> usize {
        self.file.len() - self.at
    }

    /// Moves to the position where `left` bytes are left.
    pub(crate) fn go_on(&mut self, left: usize) {
        self.at = self.file.len() - left;
    }

    /// The next line without its end; `None` after the last one.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.file.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&byte| byte == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        self.line += 1;
        let line = &rest[..length.unwrap_or(rest.len())];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Reads the header.
    pub(crate) fn header(&mut self) -> Result<(Kind, Vec<Element>), Fault> {
        if self.next_line() != Some(b"ply") {
            return Err(Fault::Foreign);
        }
        let (mut kind, mut elements) = (None, Vec::<Element>::new());
        // A hostile header has hundreds of thousands of elements, so their names are not compared one by one.
        let mut names = BTreeSet::new();
        while let Some(line) = self.next_line() {
            // Only a part of the wrong line is shown, because it may be as long as the file.
            let text = String::from_utf8_lossy(&line[..line.len().min(200)]);
            let words: Vec<_> = text.split_ascii_whitespace().collect();
            let (line, short) = (self.line, text.chars().take(60).collect::<String>());
            let fault = |expected| Fault::Header { line, expected, found: short.clone() };
            let of = |name: &str| {
                Type::named(name).ok_or_else(|| {
                    fault("a type (char, uchar, short, ushort, int, uint, float or double)")
                })
            };
            match words[..] {
                ["end_header"] => {
                    let kind = kind.ok_or_else(|| fault("a line \"format ...\" before it"))?;
                    return Ok((kind, elements));
                }
                ["comment" | "obj_info", ..] => {}
                ["format", name, "1.0"] => {
                    kind = Some(match name {
                        "ascii" => Kind::Ascii,
                        "binary_little_endian" => Kind::LittleEndian,
                        "binary_big_endian" => Kind::BigEndian,
                        _ => return Err(fault("ascii, binary_little_endian or binary_big_endian")),
                    });
                }
                ["format", ..] => return Err(fault("format KIND 1.0")),
                ["element", name, count] => {
                    let count = count.parse();
                    let count = count.map_err(|_| fault("element NAME COUNT, a whole number"))?;
                    if !names.insert(name.to_owned()) {
                        return Err(fault("an element of another name than those before it"));
                    }
                    elements.push(Element { name: name.into(), count, properties: Vec::new() });
                }
                ["property", ref words @ ..] => {
                    let (name, count, of) = match *words {
                        ["list", count, item, name] => (name, Some(of(count)?), of(item)?),
                        [item, name] => (name, None, of(item)?),
                        _ => {
                            return Err(fault(
                                "property TYPE NAME, or property list TYPE TYPE NAME",
                            ));
                        }
                    };
                    if count.is_some_and(Type::is_float) {
                        return Err(fault("a whole type for the length of a list"));
                    }
                    let element = elements.last_mut();
                    let element =
                        element.ok_or_else(|| fault("an element before its properties"))?;
                    element.properties.push(Property { name: name.into(), count, of });
                }
                _ => {
                    return Err(fault(
                        "format, comment, obj_info, element, property or end_header",
                    ));
                }
            }
        }
        Err(Fault::NoEnd)
    }

    /// The next row of an element with properties, and the position where it begins. Lines that contain
    /// blanks only are no rows.
    pub(crate) fn row(&mut self, kind: Kind) -> Row<'a> {
        let rest = &self.file[self.at..];
        if kind != Kind::Ascii {
            return Row { rest, kind, after: 0 };
        }
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        let start = start.unwrap_or(rest.len());
        self.at += start;
        let rest = &rest[start..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        Row { rest: &rest[..length], kind, after: rest.len() - length }
    }
}

impl Row<'_> {
    /// The next number, or what was found in its place.
    pub(crate) fn number(&mut self, of: Type) -> Result<Number, String> {
        let ends = || format!("ends where a number of type {} was expected", of.name());
        let mut number = [0; 8];
        if self.kind != Kind::Ascii {
            let size = of.bytes();
            let (bytes, rest) = self.rest.split_at_checked(size).ok_or_else(ends)?;
            self.rest = rest;
            number[..size].copy_from_slice(bytes);
            if self.kind == Kind::BigEndian {
                number[..size].reverse();
            }
            return Ok(of.of_bytes(number));
        }
        let word = self.rest.trim_ascii_start();
        let length = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        let (word, rest) = word.split_at(length);
        self.rest = rest;
        if word.is_empty() {
            return Err(ends());
        }
        let text = std::str::from_utf8(word).ok();
        text.and_then(|text| of.parse(text)).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(word).chars().take(40).collect();
            format!("{shown:?} is not a number of type {}", of.name())
        })
    }

    /// Number of bytes left in the file after the row; an error if the row has too many numbers.
    pub(crate) fn end(&self) -> Result<usize, String> {
        if self.kind == Kind::Ascii && !self.rest.trim_ascii().is_empty() {
            return Err("has more numbers than properties".to_owned());
        }
        // In ASCII, the blanks at the end of a line are left to the next row.
        Ok(self.rest.len() + self.after)
    }
}
