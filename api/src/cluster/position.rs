//! The position of the journal that a session has seen. It travels with every answer and comes back with the next
//! request, so that no node answers from before it.
//!
//! Browsers carry it in a cookie; programs may send the header of the last answer back instead.

use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use engine::journal::Position;

/// The header with the position, in requests and answers.
pub const HEADER: HeaderName = HeaderName::from_static("lienbook-position");

const COOKIE: &str = "lienbook_position";

/// The time after which a browser forgets the position. A node that is further behind does not serve.
const COOKIE_AGE: time::Duration = time::Duration::minutes(5);

/// The longest text of a position.
const LENGTH_MAX: usize = 64;

/// A position with the journal that it is in: after a restore, positions begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The identity of the journal.
    pub journal: &'a str,
    /// The position.
    pub position: Position,
}

impl Seen<'_> {
    /// Returns the text of the header.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}.{}", self.journal, self.position.0)
    }
}

/// Returns the position in this journal that the session of a request has seen.
#[must_use]
pub fn of_request(request: &ServiceRequest, journal: &str) -> Option<Position> {
    let in_header = request.headers().get(&HEADER).and_then(|value| parse(value.to_str().ok()?, journal));
    let in_cookie = request.cookie(COOKIE).and_then(|cookie| parse(cookie.value(), journal));
    in_header.max(in_cookie)
}

/// Returns the position for an answer of a node that is at `own`. A refusal shows nothing of the journal, so it may come
/// from a node that is behind, and must not take the session back.
#[must_use]
pub fn latest(own: Position, known: Option<Position>) -> Position {
    known.map_or(own, |known| known.max(own))
}

/// Writes the position into an answer, unless it has one: then another node has answered.
pub fn write(headers: &mut HeaderMap, seen: Seen<'_>, is_secure: bool) {
    if headers.contains_key(&HEADER) {
        return;
    }
    let text = seen.text();
    let cookie = Cookie::build(COOKIE, &text)
        .path("/")
        .http_only(true)
        .secure(is_secure)
        .same_site(SameSite::Strict)
        .max_age(COOKIE_AGE)
        .finish();
    if let (Ok(position), Ok(cookie)) = (HeaderValue::from_str(&text), HeaderValue::from_str(&cookie.to_string())) {
        headers.insert(HEADER, position);
        headers.append(SET_COOKIE, cookie);
    }
}

/// Returns the position of a text, if it is one in this journal.
#[must_use]
pub fn parse(text: &str, journal: &str) -> Option<Position> {
    let (of, position) = text.split_once('.').filter(|_| text.len() <= LENGTH_MAX)?;
    if of != journal {
        return None;
    }
    position.parse().ok().map(Position)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_latest_position_of_header_and_cookie_counts() {
        let request = |header: &str, cookie: &str| {
            let request = TestRequest::default().insert_header((HEADER, header)).cookie(Cookie::new(COOKIE, cookie));
            of_request(&request.to_srv_request(), "j1")
        };
        assert_eq!(request("j1.7", "j1.9"), Some(Position(9)));
        assert_eq!(request("j1.12", "j1.9"), Some(Position(12)));
        assert_eq!(request("j2.12", "j1.9"), Some(Position(9)), "another journal");
        for hostile in ["", ".", "j1.", "j1.-1", "j1.18446744073709551616", "j1", &"9".repeat(100)] {
            assert_eq!(request(hostile, hostile), None, "{hostile}");
        }
    }

    #[test]
    fn no_answer_takes_a_session_back() {
        let position = |own, known: Option<u64>| latest(Position(own), known.map(Position)).0;
        assert_eq!((position(5, None), position(5, Some(4)), position(5, Some(6))), (5, 5, 6));
    }

    #[test]
    fn an_answer_carries_what_it_is_at() {
        let mut headers = HeaderMap::new();
        let seen = Seen { journal: "j1", position: Position(5) };
        write(&mut headers, seen, true);
        write(&mut headers, Seen { position: Position(3), ..seen }, true);
        assert_eq!(headers.get(&HEADER).unwrap(), "j1.5");
        let cookie = headers.get(SET_COOKIE).unwrap().to_str().unwrap();
        assert!(cookie.starts_with("lienbook_position=j1.5; HttpOnly; SameSite=Strict; Secure; Path=/"), "{cookie}");
        assert_eq!(headers.get_all(SET_COOKIE).count(), 1);
    }
}
