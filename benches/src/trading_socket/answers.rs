//! The answers to a trading client, of both encodings: as much of them as the client needs.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use tokio_tungstenite::tungstenite::Message;

/// The beginning of a frame of answers, and of the one after authentication, in JSON and in MessagePack.
const ANSWERS: [&[u8]; 2] = [br#"{"type":"answers""#, b"\x93\xa7answers"];
const AUTHENTICATED: [&[u8]; 2] = [br#"{"type":"authenticated""#, b"\x93\xadauthenticated"];

/// The outcome of one order: the ids of the offers that are open now, or the code of the refusal.
pub type Outcome = Result<Vec<String>, String>;

/// The outcomes of a frame's answers, a list for each command.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// The connection may trade.
    Authenticated,
    /// Answers in the order of the commands: one outcome, or those of a batch.
    Answers(Vec<Vec<Outcome>>),
    /// Any other frame.
    Other,
}

#[derive(Deserialize)]
struct Frame {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    answers: Vec<Answer>,
    #[serde(rename = "position")]
    _position: IgnoredAny,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "id")]
    _id: IgnoredAny,
    result: Option<Executed>,
    error: Option<Refused>,
}

#[derive(Deserialize)]
struct OfBatch {
    result: Option<Executed>,
    error: Option<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    code: String,
    #[serde(rename = "status")]
    _status: IgnoredAny,
    #[serde(rename = "detail")]
    _detail: IgnoredAny,
    #[serde(rename = "values")]
    _values: IgnoredAny,
}

/// The result of a command.
enum Executed {
    Change(Vec<String>),
    Batch(Vec<OfBatch>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Placed,
    Edited,
    Cancelled,
    Batch,
}

impl Kind {
    /// The offers that are open after a change of these.
    fn change(&self, ids: Vec<String>) -> Executed {
        Executed::Change(if matches!(self, Self::Cancelled) { Vec::new() } else { ids })
    }
}

impl<'de> Deserialize<'de> for Executed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExecutedVisitor)
    }
}

struct ExecutedVisitor;

impl<'de> Visitor<'de> for ExecutedVisitor {
    type Value = Executed;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Executed, A::Error> {
        let (mut kind, mut ids, mut outcomes) = (Kind::Placed, Vec::new(), None);
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "kind" => kind = map.next_value()?,
                "offerIds" => ids = map.next_value()?,
                "outcomes" => outcomes = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(outcomes.map_or_else(|| kind.change(ids), Executed::Batch))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Executed, A::Error> {
        let missing = || serde::de::Error::custom("a result ends early");
        let kind: Kind = seq.next_element()?.ok_or_else(missing)?;
        let executed = match kind {
            Kind::Batch => Executed::Batch(seq.next_element()?.ok_or_else(missing)?),
            Kind::Placed | Kind::Edited | Kind::Cancelled => kind.change(seq.next_element()?.ok_or_else(missing)?),
        };
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(executed)
    }
}

fn outcomes(result: Option<Executed>, error: Option<Refused>) -> Vec<Outcome> {
    match (result, error) {
        (Some(Executed::Change(ids)), _) => vec![Ok(ids)],
        (Some(Executed::Batch(all)), _) => {
            all.into_iter().flat_map(|OfBatch { result, error }| outcomes(result, error)).collect()
        }
        (None, error) => vec![Err(error.map_or_else(|| "no result and no error".to_owned(), |error| error.code))],
    }
}

/// Reads a frame of the server.
///
/// # Errors
/// If a frame of answers does not parse.
pub fn read(message: &Message) -> Result<Received, String> {
    let (bytes, is_binary) = match message {
        Message::Text(text) => (text.as_bytes(), false),
        Message::Binary(bytes) => (&bytes[..], true),
        Message::Close(frame) => return Err(format!("the server closed the connection: {frame:?}")),
        _ => return Ok(Received::Other),
    };
    let place = usize::from(is_binary);
    if bytes.starts_with(AUTHENTICATED[place]) {
        return Ok(Received::Authenticated);
    }
    if !bytes.starts_with(ANSWERS[place]) {
        let is_error = bytes.starts_with(br#"{"type":"error""#) || bytes.get(1..7) == Some(b"\xa5error");
        return if is_error { Err(String::from_utf8_lossy(bytes).into_owned()) } else { Ok(Received::Other) };
    }
    let frame: Frame = if is_binary {
        rmp_serde::from_slice(bytes).map_err(|error| error.to_string())?
    } else {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?
    };
    let of_one = |answer: Answer| outcomes(answer.result, answer.error);
    Ok(Received::Answers(frame.answers.into_iter().map(of_one).collect()))
}

#[cfg(test)]
mod tests {
    use engine::feed::{Encoded, Encoding};
    use lienbook::trading::answer::AnswerFrame;

    use super::*;

    #[test]
    fn both_encodings_are_read_alike() {
        let text = r#"{"type":"answers","answers":[
            {"id":"a","result":{"kind":"placed","offerIds":["of_1","of_2"],"seq":4},"error":null},
            {"id":"b","result":{"kind":"cancelled","offerIds":["of_1"],"seq":5},"error":null},
            {"id":"c","result":null,"error":{"code":"under_offer","status":409,"detail":"d","values":{"offerId":"of_2"}}},
            {"id":"d","result":{"kind":"batch","outcomes":[
                {"result":{"kind":"edited","offerIds":["of_3"],"seq":6},"error":null},
                {"result":null,"error":{"code":"unknown_offer","status":404,"detail":"d","values":null}}]},"error":null}
            ],"position":null}"#;
        let frame: AnswerFrame = serde_json::from_str(text).unwrap();
        let expected = Received::Answers(vec![
            vec![Ok(vec!["of_1".to_owned(), "of_2".to_owned()])],
            vec![Ok(Vec::new())],
            vec![Err("under_offer".to_owned())],
            vec![Ok(vec!["of_3".to_owned()]), Err("unknown_offer".to_owned())],
        ]);
        for encoding in [Encoding::Json, Encoding::Binary] {
            let message = match encoding.encode(&frame) {
                Encoded::Text(text) => Message::text(text.to_string()),
                Encoded::Binary(bytes) => Message::binary(bytes),
            };
            assert_eq!(read(&message).as_ref(), Ok(&expected), "{encoding:?}");
        }
    }
}
