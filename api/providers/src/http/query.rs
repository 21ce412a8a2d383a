//! Text in the query of a URL.

/// Percent-encodes a text for a query (RFC 3986): letters, digits and `-_.~` stay.
pub(crate) fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_escaped_in_a_query() {
        assert_eq!(escaped("omb"), "omb");
        assert_eq!(escaped("a&b=c/..?#%é"), "a%26b%3Dc%2F..%3F%23%25%C3%A9");
    }
}
