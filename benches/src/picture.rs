//! Pictures of curves as SVG: logarithmic axes, lines with points, and a legend, in light and dark.

mod axis;

use std::{fmt::Write as _, fs, io, path::Path};

use self::axis::Axis;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 460.0;
/// The area of the curves: left, top, right, bottom.
const AREA: [f64; 4] = [70.0, 46.0, 640.0, 400.0];
/// The height of a line of the legend.
const LEGEND_STEP: f64 = 20.0;

/// The colours of the curves on a light and on a dark page, in their order: Okabe and Ito's, which people with any
/// colour vision can distinguish.
const COLOURS: [[&str; 2]; 6] = [
    ["#0072b2", "#56b4e9"],
    ["#d55e00", "#f08a4b"],
    ["#009e73", "#2fd6a5"],
    ["#a5527f", "#e69ac2"],
    ["#8a6d00", "#f0e442"],
    ["#555555", "#bbbbbb"],
];

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// The place of its colour; curves of one colour belong together.
    pub colour: usize,
    /// Whether the line is dashed.
    pub is_dashed: bool,
    /// The points, by x; all values are positive.
    pub points: Vec<(f64, f64)>,
}

/// Curves over logarithmic axes.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The title.
    pub title: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis, whose values are nanoseconds.
    pub y_label: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Picture {
    /// The picture as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let [left, top, right, bottom] = AREA;
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let x = Axis::over(points().map(|point| point.0), left, right);
        let y = Axis::over(points().map(|point| point.1), bottom, top);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{}</title>\n",
            escaped(&self.title)
        );
        svg.push_str(&style());
        let _ = writeln!(svg, "<rect class=\"page\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
        let title = escaped(&self.title);
        let _ = writeln!(svg, "<text class=\"ink\" x=\"{left}\" y=\"26\" font-size=\"15\">{title}</text>");
        for (place, text) in x.ticks(axis::short_count) {
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{place:.1} {top}V{bottom}\"/>");
            let below = bottom + 18.0;
            let _ = writeln!(
                svg,
                "<text class=\"ink\" x=\"{place:.1}\" y=\"{below}\" text-anchor=\"middle\">{text}</text>"
            );
        }
        for (place, text) in y.ticks(axis::short_time) {
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{left} {place:.1}H{right}\"/>");
            let (before, middle) = (left - 8.0, place + 4.0);
            let _ =
                writeln!(svg, "<text class=\"ink\" x=\"{before}\" y=\"{middle:.1}\" text-anchor=\"end\">{text}</text>");
        }
        let (middle, under) = (f64::midpoint(left, right), bottom + 42.0);
        let label = escaped(&self.x_label);
        let _ = writeln!(svg, "<text class=\"ink\" x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">{label}</text>");
        let (middle, label) = (f64::midpoint(top, bottom), escaped(&self.y_label));
        let _ = writeln!(
            svg,
            "<text class=\"ink\" transform=\"translate(16 {middle}) rotate(-90)\" text-anchor=\"middle\">{label}</text>"
        );
        for (line, curve) in self.curves.iter().enumerate() {
            curve.draw(&mut svg, &x, &y, top + LEGEND_STEP * crate::number::float_len(line));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Writes the picture of a measurement; returns the name of the file, relative to the results.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn store(&self, name: &str) -> io::Result<String> {
        let file = format!("pictures/{name}.svg");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::create_dir_all(folder.join("pictures"))?;
        fs::write(folder.join(&file), self.svg())?;
        Ok(file)
    }
}

impl Curve {
    fn draw(&self, svg: &mut String, x: &Axis, y: &Axis, legend: f64) {
        let colour = self.colour % COLOURS.len();
        let dash = if self.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let places: Vec<(f64, f64)> = self.points.iter().map(|(left, up)| (x.place(*left), y.place(*up))).collect();
        let line: Vec<String> = places.iter().map(|(left, up)| format!("{left:.1} {up:.1}")).collect();
        if !line.is_empty() {
            let _ = writeln!(svg, "<path class=\"line c{colour}\" d=\"M{}\"{dash}/>", line.join("L"));
        }
        for (left, up) in places {
            let _ = writeln!(svg, "<circle class=\"dot c{colour}\" cx=\"{left:.1}\" cy=\"{up:.1}\" r=\"2.5\"/>");
        }
        let (from, to, name) = (AREA[2] + 16.0, AREA[2] + 44.0, escaped(&self.name));
        let (line, text) = (legend + 8.0, AREA[2] + 52.0);
        let _ = writeln!(svg, "<path class=\"line c{colour}\" d=\"M{from} {line}H{to}\"{dash}/>");
        let _ = writeln!(svg, "<text class=\"ink\" x=\"{text}\" y=\"{}\">{name}</text>", line + 4.0);
    }
}

/// The style sheet: the colours follow the page's scheme.
fn style() -> String {
    let colours = |scheme: usize| {
        let rules = COLOURS.iter().enumerate().map(|(place, pair)| {
            let colour = pair[scheme];
            format!(".line.c{place}{{stroke:{colour}}}.dot.c{place}{{fill:{colour}}}")
        });
        rules.collect::<String>()
    };
    format!(
        "<style>.page{{fill:#fff}}.ink{{fill:#222}}.grid{{stroke:#ddd}}.line{{fill:none;stroke-width:2}}{}\
         @media (prefers-color-scheme:dark){{.page{{fill:#16181d}}.ink{{fill:#ddd}}.grid{{stroke:#333}}{}}}</style>\n",
        colours(0),
        colours(1)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_lie_within_the_axes() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve {
            name: name.to_owned(),
            colour: 0,
            is_dashed: false,
            points: points.to_vec(),
        };
        let picture = Picture {
            title: "a < b".to_owned(),
            x_label: "commands/s".to_owned(),
            y_label: "latency".to_owned(),
            curves: vec![curve("book", &[(100.0, 1_000.0), (1_000.0, 100_000.0)]), curve("none", &[])],
        };
        let svg = picture.svg();
        let [left, top, right, bottom] = AREA;
        assert!(svg.contains(&format!("d=\"M{left:.1} {bottom:.1}L{right:.1} {top:.1}\"")), "{svg}");
        assert!(svg.contains("<title>a &lt; b</title>"));
        assert!(svg.contains("prefers-color-scheme:dark"));
        for tick in [">100<", ">1k<", ">1 µs<", ">100 µs<"] {
            assert!(svg.contains(tick), "{tick} in {svg}");
        }
    }
}
