//! Text within markup.

/// Text that stands between tags or within the quotes of an attribute, of HTML and SVG alike. What neither may hold,
/// such as control characters, is left out.
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
    fn nothing_ends_an_attribute_or_begins_a_tag() {
        let hostile = "\"><script>alert('1')</script>&amp;\u{0}\u{1b}";
        assert_eq!(escaped(hostile), "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;");
        assert_eq!(escaped("Café №1 ☂"), "Café №1 ☂");
    }
}
