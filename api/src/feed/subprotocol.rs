//! The subprotocols of the feed, by which a client chooses the encoding of its frames.

use actix_web::http::header::{HeaderMap, SEC_WEBSOCKET_PROTOCOL};
use engine::feed::Encoding;

/// Frames are JSON texts.
pub(crate) const JSON: &str = "lienbook.v1.json";

/// Frames are binary, in `MessagePack`.
pub(crate) const BINARY: &str = "lienbook.v1.binary";

/// All subprotocols.
pub(super) const ALL: [&str; 2] = [JSON, BINARY];

/// Returns the encoding of the first subprotocol that a client offers and the server has, which the answer of the
/// handshake names; JSON if there is none.
pub(super) fn encoding(headers: &HeaderMap) -> Encoding {
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL).and_then(|offered| offered.to_str().ok()).unwrap_or_default();
    match offered.split(',').map(str::trim).find(|name| ALL.contains(name)) {
        Some(BINARY) => Encoding::Binary,
        _ => Encoding::Json,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn the_first_known_subprotocol_decides() {
        for (offered, expected) in [
            ("lienbook.v1.binary", Encoding::Binary),
            ("other, lienbook.v1.binary , lienbook.v1.json", Encoding::Binary),
            ("lienbook.v1.json,lienbook.v1.binary", Encoding::Json),
            ("lienbook.v2.binary", Encoding::Json),
            ("", Encoding::Json),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(offered));
            assert_eq!(encoding(&headers), expected, "{offered}");
        }
        assert_eq!(encoding(&HeaderMap::new()), Encoding::Json);
    }
}
