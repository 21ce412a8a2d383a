//! The canvas that pictures are drawn on.

use std::fmt::Write as _;

use super::colour::Colour;

/// A point, x to the right and y downwards.
pub(super) type Point = (f64, f64);

/// The middle of the canvas.
pub(super) const MIDDLE: f64 = 128.0;

/// An SVG document under construction. Writing into a `String` cannot fail, so results of `write!` are dropped.
pub(super) struct Canvas {
    svg: String,
    /// The number of rings so far: each names its shape by it.
    rings: u32,
}

impl Canvas {
    /// Returns an empty canvas.
    pub(super) fn new(ground: Colour) -> Self {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 256 256\" width=\"256\" height=\"256\">\
             <rect width=\"256\" height=\"256\" fill=\"{ground}\"/>"
        );
        Self { svg, rings: 0 }
    }

    /// Returns the document.
    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }

    /// Defines a vertical gradient, which shapes refer to by its name.
    pub(super) fn gradient(&mut self, name: &'static str, top: Colour, bottom: Colour) -> Fill {
        let _ = write!(
            self.svg,
            "<linearGradient id=\"{name}\" x2=\"0\" y2=\"1\"><stop stop-color=\"{top}\"/>\
             <stop offset=\"1\" stop-color=\"{bottom}\"/></linearGradient>"
        );
        Fill::Named(name)
    }

    /// Fills the whole canvas.
    pub(super) fn fill_background(&mut self, fill: impl Into<Fill>) {
        let _ = write!(self.svg, "<rect width=\"256\" height=\"256\" {}/>", fill.into().attribute());
    }

    /// A rectangle by its upper left corner and size.
    pub(super) fn rect(&mut self, (x, y): Point, (width, height): Point, fill: impl Into<Fill>) {
        let (x, y, width, height) = (short(x), short(y), short(width), short(height));
        let fill = fill.into().attribute();
        let _ = write!(self.svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {fill}/>");
    }

    /// A disc.
    pub(super) fn disc(&mut self, (x, y): Point, radius: f64, fill: impl Into<Fill>) {
        let (x, y, radius) = (short(x), short(y), short(radius));
        let _ = write!(self.svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {}/>", fill.into().attribute());
    }

    /// A disc and its mirror image.
    pub(super) fn disc_pair(&mut self, (x, y): Point, radius: f64, fill: impl Into<Fill>) {
        let fill = fill.into();
        self.disc((x, y), radius, fill);
        self.disc((2.0 * MIDDLE - x, y), radius, fill);
    }

    /// A polygon.
    pub(super) fn polygon(&mut self, points: &[Point], fill: impl Into<Fill>) {
        let corners: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
        let _ = write!(self.svg, "<polygon points=\"{}\" {}/>", corners.join(" "), fill.into().attribute());
    }

    /// A polygon and its mirror image.
    pub(super) fn polygon_pair(&mut self, points: &[Point], fill: impl Into<Fill>) {
        let fill = fill.into();
        self.polygon(points, fill);
        let mirrored: Vec<Point> = points.iter().map(|(x, y)| (2.0 * MIDDLE - x, *y)).collect();
        self.polygon(&mirrored, fill);
    }

    /// A path in SVG syntax.
    pub(super) fn path(&mut self, path: &str, fill: impl Into<Fill>) {
        let _ = write!(self.svg, "<path d=\"{path}\" {}/>", fill.into().attribute());
    }

    /// Draws the same path `count` times, rotated about `middle`, the first one by `first` degrees.
    pub(super) fn path_ring(&mut self, path: &str, (x, y): Point, count: u32, first: f64, fill: impl Into<Fill>) {
        let (x, y, fill, ring) = (short(x), short(y), fill.into().attribute(), self.rings);
        self.rings += 1;
        for index in 0..count {
            let angle = short(first + 360.0 * f64::from(index) / f64::from(count));
            let turn = format!("transform=\"rotate({angle} {x} {y})\"");
            // The first one defines the shape without its rotation, so that the others can rotate it themselves.
            let _ = if index == 0 {
                write!(self.svg, "<g {turn}><path id=\"r{ring}\" d=\"{path}\" {fill}/></g>")
            } else {
                write!(self.svg, "<use href=\"#r{ring}\" {turn}/>")
            };
        }
    }

    /// Opens a group with attributes that its shapes inherit.
    pub(super) fn open_group(&mut self, attributes: &str) {
        let _ = write!(self.svg, "<g {attributes}>");
    }

    /// Closes the group opened last.
    pub(super) fn close_group(&mut self) {
        self.svg.push_str("</g>");
    }

    /// Adds an element in SVG syntax.
    pub(super) fn element(&mut self, element: &str) {
        self.svg.push_str(element);
    }
}

/// The fill or stroke of a shape.
#[derive(Clone, Copy)]
pub(super) enum Fill {
    /// One colour.
    Plain(Colour),
    /// One colour with an opacity of `percent`.
    Translucent(Colour, u16),
    /// The gradient of that name.
    Named(&'static str),
    /// An outline of that width, without a fill.
    Line(Colour, f64),
}

impl From<Colour> for Fill {
    fn from(colour: Colour) -> Self {
        Self::Plain(colour)
    }
}

impl Fill {
    fn attribute(self) -> String {
        match self {
            Self::Plain(colour) => format!("fill=\"{colour}\""),
            Self::Translucent(colour, percent) => {
                format!("fill=\"{colour}\" fill-opacity=\"{}\"", short(f64::from(percent) / 100.0))
            }
            Self::Named(name) => format!("fill=\"url(#{name})\""),
            Self::Line(colour, width) => {
                format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"", short(width))
            }
        }
    }
}

/// A coordinate with at most two decimals and no trailing zeros.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The point `distance` away from `middle` in the direction `degrees`, clockwise from the right.
pub(super) fn polar((x, y): Point, distance: f64, degrees: f64) -> Point {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    (x + distance * cosine, y + distance * sine)
}
