//! The two encodings of frames: JSON texts, and MessagePack with the fields of an object as an array.

use std::cell::OnceCell;

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Serialize, de::DeserializeOwned};

/// The deepest nesting of a binary frame of a client.
const DEPTH_MAX: usize = 32;

/// The encoding of the frames of a socket, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// JSON texts.
    #[default]
    Json,
    /// MessagePack: an object is the array of its values, in the order of its fields in JSON.
    Binary,
}

/// An encoded frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoded {
    /// A text frame.
    Text(ByteString),
    /// A binary frame.
    Binary(Bytes),
}

/// A binary frame of a client that is not one of the expected frames.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// It does not decode.
    #[error(transparent)]
    Malformed(#[from] rmp_serde::decode::Error),
    /// Bytes follow the value.
    #[error("bytes follow the value")]
    TrailingBytes,
}

impl Encoding {
    /// Encodes a frame.
    ///
    /// # Panics
    /// Never for frames: their keys are strings, their numbers are finite and the writer is memory.
    #[must_use]
    pub fn encode(self, frame: &impl Serialize) -> Encoded {
        match self {
            Self::Json => {
                Encoded::Text(serde_json::to_string(frame).map(ByteString::from).expect("a frame has a text"))
            }
            Self::Binary => {
                let mut bytes = Vec::with_capacity(256);
                // Values that have a form of their own for people have the same one in both encodings.
                let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_human_readable();
                frame.serialize(&mut serializer).expect("a frame has a binary form");
                Encoded::Binary(bytes.into())
            }
        }
    }

    /// Decodes a binary frame, whose objects may be arrays of their values or maps.
    ///
    /// # Errors
    /// [`BinaryError`].
    pub fn decode_binary<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BinaryError> {
        let mut rest = bytes;
        let mut deserializer = rmp_serde::Deserializer::new(&mut rest).with_human_readable();
        deserializer.set_max_depth(DEPTH_MAX);
        let value = T::deserialize(&mut deserializer)?;
        drop(deserializer);
        if rest.is_empty() { Ok(value) } else { Err(BinaryError::TrailingBytes) }
    }
}

impl Encoded {
    /// The length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<ByteString> for Encoded {
    fn from(text: ByteString) -> Self {
        Self::Text(text)
    }
}

/// A frame for many sockets: encoded at most once in each encoding.
pub(crate) struct SharedFrame<'frame, T> {
    frame: &'frame T,
    json: OnceCell<Encoded>,
    binary: OnceCell<Encoded>,
}

impl<'frame, T: Serialize> SharedFrame<'frame, T> {
    pub(crate) const fn new(frame: &'frame T) -> Self {
        Self { frame, json: OnceCell::new(), binary: OnceCell::new() }
    }

    /// The frame in this encoding.
    pub(crate) fn get(&self, encoding: Encoding) -> &Encoded {
        let cell = match encoding {
            Encoding::Json => &self.json,
            Encoding::Binary => &self.binary,
        };
        cell.get_or_init(|| encoding.encode(self.frame))
    }
}

/// A frame that is kept, in the encodings that were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedFrame {
    json: Option<Encoded>,
    binary: Option<Encoded>,
}

impl CachedFrame {
    /// The frame in this encoding, built if it is not kept yet.
    pub(crate) fn get_or_build(&mut self, encoding: Encoding, build: impl FnOnce() -> Encoded) -> Encoded {
        let kept = match encoding {
            Encoding::Json => &mut self.json,
            Encoding::Binary => &mut self.binary,
        };
        kept.get_or_insert_with(build).clone()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
    enum Sample {
        One { name: String, number: Option<u64> },
        Two(Pair),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        left: i64,
        #[serde(default)]
        right: Vec<f64>,
    }

    fn binary(value: &impl Serialize) -> Bytes {
        match Encoding::Binary.encode(value) {
            Encoded::Binary(bytes) => bytes,
            Encoded::Text(text) => panic!("{text}"),
        }
    }

    #[test]
    fn an_object_is_the_array_of_its_values_and_is_read_as_array_or_map() {
        let two = Sample::Two(Pair { left: -1, right: vec![0.5] });
        assert_eq!(binary(&two), binary(&("two", -1, [0.5])));
        assert_eq!(binary(&two).len(), 16);
        for sample in [two, Sample::One { name: "ä".to_owned(), number: None }] {
            assert_eq!(Encoding::decode_binary::<Sample>(&binary(&sample)).unwrap(), sample);
            let map = serde_json::to_value(&sample).unwrap();
            assert_eq!(Encoding::decode_binary::<Sample>(&binary(&map)).unwrap(), sample);
        }
        let short = binary(&("two", 7));
        assert_eq!(
            Encoding::decode_binary::<Sample>(&short).unwrap(),
            Sample::Two(Pair { left: 7, right: Vec::new() })
        );
    }

    #[test]
    fn malformed_binary_frames_are_refused() {
        let nested = (0..1_000).map(|_| 0x91).chain([0xc0]).collect::<Vec<u8>>();
        let long = [0xdd, 0xff, 0xff, 0xff, 0xff].to_vec();
        let trailing = [&binary(&("two", 7))[..], &[0xc0]].concat();
        for bytes in [vec![], vec![0xc1], nested, long, trailing, binary(&("three", 7)).to_vec(), vec![0xdb, 0xff]] {
            assert!(Encoding::decode_binary::<Sample>(&bytes).is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn a_shared_frame_is_encoded_once_in_each_encoding() {
        struct Counted(std::cell::Cell<u32>);
        impl Serialize for Counted {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.set(self.0.get() + 1);
                serializer.serialize_u32(7)
            }
        }
        let counted = Counted(std::cell::Cell::default());
        let frame = SharedFrame::new(&counted);
        for _ in 0..3 {
            assert_eq!(frame.get(Encoding::Json), &Encoded::Text("7".into()));
            assert_eq!(frame.get(Encoding::Binary), &Encoded::Binary(Bytes::from_static(&[7])));
        }
        assert_eq!(counted.0.get(), 2);
    }
}
