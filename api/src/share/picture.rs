//! The picture of a preview: 1200 by 630 pixels, the size that networks and messengers show.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use thiserror::Error;

use super::emblem;
use super::markup::escaped;
use super::preview::{Figure, Preview};

/// The width in pixels.
pub const WIDTH: u32 = 1_200;
/// The height in pixels.
pub const HEIGHT: u32 = 630;

/// The left edge of the text, right of the emblem.
const TEXT_X: u32 = 400;
/// The left edge of the figures, and the distance between them.
const FIGURES_X: u32 = 80;
const FIGURE_STEP: u32 = 360;

/// The largest font size and width of a name.
const NAME_SIZE_MAX: f32 = 80.0;
const NAME_WIDTH_MAX: f32 = 720.0;
/// The largest font size and width of a figure.
const FIGURE_SIZE_MAX: f32 = 48.0;
const FIGURE_WIDTH_MAX: f32 = 320.0;

/// The largest number of characters of a name; longer names are truncated.
const NAME_LENGTH_MAX: usize = 38;

/// The reason why a picture could not be drawn.
#[derive(Debug, Error)]
pub enum DrawError {
    /// The document is not valid SVG.
    #[error("the picture is not well-formed: {0}")]
    Malformed(#[from] resvg::usvg::Error),
    /// Memory for the picture could not be allocated, or it could not be encoded as PNG.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(String),
}

/// The fonts are embedded, so that a picture does not depend on the machine.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    Arc::new(fonts)
});

/// Draws a preview as PNG, with the collection's own picture if there is one.
///
/// # Errors
/// [`DrawError`].
pub fn draw(preview: &Preview, emblem: Option<&str>) -> Result<Vec<u8>, DrawError> {
    let options = Options { font_family: "Noto Sans".to_owned(), fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(&document(preview, emblem, &options)?, &options)?;
    let mut pixels = Pixmap::new(WIDTH, HEIGHT).ok_or_else(|| DrawError::Encoding("no memory".to_owned()))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| DrawError::Encoding(error.to_string()))
}

/// Returns the picture as SVG, in the colours of the dark theme.
fn document(preview: &Preview, emblem: Option<&str>, options: &Options<'_>) -> Result<String, DrawError> {
    let name = cut(&preview.name);
    let size = fitting(&name, NAME_WIDTH_MAX, NAME_SIZE_MAX, options)?;
    let mut figures = String::new();
    for (figure, place) in preview.figures.iter().zip(0..) {
        figures.push_str(&column(figure, place, options)?);
    }
    Ok(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">
<rect width="{WIDTH}" height="{HEIGHT}" fill="#0b0e14"/>
<rect width="{WIDTH}" height="8" fill="#f7931a"/>
<svg x="80" y="80" width="256" height="256" viewBox="0 0 256 256">{emblem}</svg>
<text x="{TEXT_X}" y="150" font-size="36" fill="#aab2c0">{call}</text>
<text x="{TEXT_X}" y="240" font-size="{size}" font-weight="bold" fill="#e8ebf0">{name}</text>
<text x="{TEXT_X}" y="312" font-size="28" fill="#8b95a5">Lienbook: no price liquidates a loan</text>
<rect x="80" y="396" width="1040" height="2" fill="#232936"/>
{figures}</svg>"##,
        emblem = emblem.and_then(emblem::inside).map_or_else(|| initial(&preview.name), str::to_owned),
        call = escaped(&preview.call),
        name = escaped(&name),
    ))
}

/// Truncates a name to a readable length.
fn cut(name: &str) -> String {
    if name.chars().count() <= NAME_LENGTH_MAX {
        return name.to_owned();
    }
    name.chars().take(NAME_LENGTH_MAX - 1).chain(['…']).collect()
}

/// Returns the font size, at most `size_max`, at which a bold text is no wider than `width_max`: letters differ in
/// width, so the text is laid out once to measure it.
fn fitting(text: &str, width_max: f32, size_max: f32, options: &Options<'_>) -> Result<f32, DrawError> {
    let sample = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><text font-size="{size_max}" font-weight="bold">{}</text></svg>"#,
        escaped(text)
    );
    let width = Tree::from_str(&sample, options)?.root().bounding_box().width();
    Ok(if width > width_max { size_max * width_max / width } else { size_max })
}

fn initial(name: &str) -> String {
    let letter = escaped(&emblem::letter(name).to_string());
    format!(
        r##"<rect width="256" height="256" rx="48" fill="#12161e"/><text x="128" y="176" text-anchor="middle" font-size="140" font-weight="bold" fill="#f7931a">{letter}</text>"##
    )
}

fn column(Figure { label, value }: &Figure, place: u32, options: &Options<'_>) -> Result<String, DrawError> {
    let x = FIGURES_X + place * FIGURE_STEP;
    let size = fitting(value, FIGURE_WIDTH_MAX, FIGURE_SIZE_MAX, options)?;
    Ok(format!(
        r##"<text x="{x}" y="470" font-size="28" fill="#8b95a5">{}</text>
<text x="{x}" y="540" font-size="{size}" font-weight="bold" fill="#e8ebf0">{}</text>
"##,
        escaped(label),
        escaped(value)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(name: &str) -> Preview {
        let figure = |label, value: &str| Figure { label, value: value.to_owned() };
        Preview {
            title: "Borrow".to_owned(),
            description: String::new(),
            call: "Borrow bitcoin against".to_owned(),
            name: name.to_owned(),
            figures: [
                figure("Best offer", "0.05123 BTC"),
                figure("To borrow", "1.2345678 BTC"),
                figure("Interest from", "1.2 %"),
            ],
        }
    }

    fn pixels(preview: &Preview, emblem: Option<&str>) -> Pixmap {
        Pixmap::decode_png(&draw(preview, emblem).unwrap()).unwrap()
    }

    #[test]
    fn a_picture_has_the_size_that_networks_require() {
        let drawn = pixels(&preview("Paper Frogs"), None);
        assert_eq!((drawn.width(), drawn.height()), (WIDTH, HEIGHT));
    }

    #[test]
    fn text_is_drawn_and_stays_within_the_margins() {
        let widest = ["W".repeat(8), "W".repeat(15), "W".repeat(38), "W".repeat(60)];
        for name in ["Paper Frogs"].into_iter().chain(widest.iter().map(String::as_str)) {
            let drawn = pixels(&preview(name), None);
            let is_ground = |x, y| drawn.pixel(x, y).is_some_and(|pixel| (pixel.red(), pixel.green()) == (11, 14));
            let band = 190..260;
            assert!(band.clone().any(|y| (TEXT_X..600).any(|x| !is_ground(x, y))), "{name} is drawn");
            assert!(
                band.clone().all(|y| (WIDTH - 20..WIDTH).all(|x| is_ground(x, y))),
                "{name} ends before the margin"
            );
        }
    }

    #[test]
    fn a_collections_own_picture_replaces_the_letter() {
        let own = r##"<svg viewBox="0 0 256 256"><rect width="256" height="256" fill="#ff0000"/></svg>"##;
        let drawn = pixels(&preview("Paper Frogs"), Some(own));
        let corner = drawn.pixel(90, 90).unwrap();
        assert_eq!((corner.red(), corner.green(), corner.blue()), (255, 0, 0));
    }

    #[test]
    fn no_name_breaks_the_picture() {
        for name in ["", "<script>&\"'", "\u{0}\u{202e}abc", "☂☂☂", "]]>", &"é".repeat(500)] {
            assert!(draw(&preview(name), None).is_ok(), "{name:?}");
        }
    }
}
