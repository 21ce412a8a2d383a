//! A collection's own picture within the picture of a preview.

/// Returns the content of a collection's picture, an SVG document of 256 by 256 units, for embedding in another one;
/// `None` when it is not such a document.
#[must_use]
pub fn inside(picture: &str) -> Option<&str> {
    let (_, rest) = picture.split_once("<svg")?;
    let (_, inside) = rest.split_once('>')?;
    inside.rsplit_once("</svg>").map(|(inside, _)| inside)
}

/// Returns the first letter of a collection's name, which replaces a missing picture.
#[must_use]
pub fn letter(name: &str) -> char {
    name.chars().find(|character| character.is_alphanumeric()).unwrap_or('#').to_uppercase().next().unwrap_or('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inside_of_a_picture_has_no_outer_element() {
        let picture = r#"<svg viewBox="0 0 256 256"><rect width="1"/><svg x="1"></svg></svg>"#;
        assert_eq!(inside(picture), Some(r#"<rect width="1"/><svg x="1"></svg>"#));
        assert_eq!(inside("<p>no picture</p>"), None);
        assert_eq!(inside("<svg"), None);
    }

    #[test]
    fn every_name_has_a_letter() {
        assert_eq!(letter("paper frogs"), 'P');
        assert_eq!(letter("•RUNE•"), 'R');
        assert_eq!(letter("☂"), '#');
        assert_eq!(letter(""), '#');
    }
}
