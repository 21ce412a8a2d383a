//! Decoding of events of every earlier version as current ones.
//!
//! Version 1 is the domain's current [`Event`]. If a change there is more than a new kind at the end of an enumeration,
//! the golden file of the current version stops decoding; then the old shape moves into a module of its own here and is
//! converted when read, and [`PAYLOAD_VERSION`] is incremented, with a golden file of its own.
//!
//! An older program reads a newer journal up to the first event of a kind that it does not know, and stops there.

use domain::Event;

use crate::{line::EventLine, problem::Problem};

/// The version in which events are written.
pub(crate) const PAYLOAD_VERSION: u8 = 1;

/// Half the size of the first room for an event, in bytes.
const ROOM_MIN: usize = 128;

/// Refuses an unknown version.
pub(crate) const fn ensure_known(version: u8) -> Result<(), Problem> {
    match version {
        1 => Ok(()),
        found => Err(Problem::NewerPayload { found, known: PAYLOAD_VERSION }),
    }
}

/// Encodes an event in the current version at the front of `room`, which grows as needed; returns the bytes of the event.
pub(crate) fn encode<'room>(event: &Event, room: &'room mut Vec<u8>) -> Result<&'room [u8], postcard::Error> {
    // A slice takes half the time of a vector that could grow at every byte.
    let length = loop {
        match postcard::to_slice(event, room) {
            Ok(encoded) => break encoded.len(),
            Err(postcard::Error::SerializeBufferFull) => room.resize(room.len().max(ROOM_MIN) * 2, 0),
            Err(error) => return Err(error),
        }
    };
    Ok(room.get(..length).unwrap_or_default())
}

/// Decodes one event from the front of `bytes`, whose checksum was found correct.
pub(crate) fn decode(version: u8, bytes: &[u8]) -> Result<(Event, &[u8]), Problem> {
    ensure_known(version)?;
    postcard::take_from_bytes(bytes).map_err(|error| match error {
        // A variant that an enumeration does not have. The bytes are as they were written, so it has it elsewhere.
        postcard::Error::SerdeDeCustom => Problem::NewerEvent,
        error => Problem::Payload(error.to_string()),
    })
}

/// Parses one line of an export whose events are of `version`.
pub(crate) fn from_json(version: u8, line: &[u8]) -> Result<EventLine, String> {
    ensure_known(version).map_err(|problem| problem.to_string())?;
    serde_json::from_slice(line).map_err(|error| error.to_string())
}
