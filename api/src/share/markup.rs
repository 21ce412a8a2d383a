//! Escaping of text in HTML and SVG.

/// Escapes text between tags or in quoted attributes, for both HTML and SVG. Characters that neither permits, such as
/// control characters, are removed.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in
        text.chars().filter(|character| !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}'))
    {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_an_attribute_or_starts_a_tag() {
        let hostile = "\"><script>alert('1')</script>&amp;\u{0}\u{1b}";
        assert_eq!(escaped(hostile), "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;");
        assert_eq!(escaped("Café №1 ☂"), "Café №1 ☂");
    }
}
