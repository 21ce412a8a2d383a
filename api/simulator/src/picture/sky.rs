//! The motif with planets and moons.

use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE, Point, polar, short};
use super::colour::Colour;
use super::palette::Palette;

/// A planet, its rings and its moons.
pub(super) fn orbit(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let sky = canvas.gradient("sky", palette.deep.darker(25), palette.background);
    canvas.fill_background(sky);
    for _ in 0..22 {
        let star = (rng.random_range(6.0..250.0), rng.random_range(6.0..250.0));
        canvas.disc(star, rng.random_range(0.9..2.3), Fill::Translucent(palette.light, rng.random_range(35..90)));
    }
    let [body, rings, moon] = palette.shades;
    let tilt: f64 = rng.random_range(-32.0..-14.0);
    let radius = rng.random_range(56.0..68.0);
    let distances = [radius + 30.0, radius + 46.0, radius + 58.0];
    canvas.open_group(&format!("transform=\"rotate({} 128 128)\"", short(tilt)));
    for (distance, width) in distances.into_iter().zip([9.0, 4.0, 1.5]) {
        half_ring(canvas, distance, 0, rings.lighter(18), width);
    }
    planet(canvas, (MIDDLE, MIDDLE), radius, body.lighter(12), palette);
    for (distance, width) in distances.into_iter().zip([9.0, 4.0, 1.5]) {
        half_ring(canvas, distance, 1, rings.lighter(30), width);
    }
    canvas.close_group();
    let angle = rng.random_range(200.0..330.0);
    let place = polar((MIDDLE, MIDDLE), 98.0, angle);
    canvas.disc(place, rng.random_range(13.0..19.0), moon.lighter(10));
    canvas.disc((place.0 - 4.0, place.1 - 4.0), 6.0, Fill::Translucent(palette.light, 45));
    let place = polar((MIDDLE, MIDDLE), 104.0, angle + rng.random_range(110.0..200.0));
    canvas.disc(place, rng.random_range(6.0..10.0), palette.accent);
}

/// The far (`sweep` 0 goes over the top) or near half of a ring seen from the side.
fn half_ring(canvas: &mut Canvas, distance: f64, sweep: u8, colour: Colour, width: f64) {
    let (left, across, down) = (short(MIDDLE - distance), short(distance), short(distance * 0.3));
    let right = short(MIDDLE + distance);
    let sweep = 1 - sweep;
    canvas.path(&format!("M{left} 128A{across} {down} 0 0 {sweep} {right} 128"), Fill::Line(colour, width));
}

/// A globe with bands, lit from the upper left.
fn planet(canvas: &mut Canvas, (x, y): Point, radius: f64, body: Colour, palette: &Palette) {
    canvas.disc((x, y), radius, body);
    let r = short(radius);
    for (offset, colour, percent) in [(-0.52, palette.accent, 90), (-0.1, palette.light, 40), (0.4, palette.deep, 45)] {
        let half = radius * (1.0_f64 - offset * offset).sqrt();
        let low = offset + 0.22;
        let low_half = radius * (1.0_f64 - low * low).sqrt();
        let path = format!(
            "M{} {}H{}A{r} {r} 0 0 1 {} {}H{}A{r} {r} 0 0 1 {} {}z",
            short(x - half),
            short(y + radius * offset),
            short(x + half),
            short(x + low_half),
            short(y + radius * low),
            short(x - low_half),
            short(x - half),
            short(y + radius * offset),
        );
        canvas.path(&path, Fill::Translucent(colour, percent));
    }
    let shadow = format!(
        "M{0} {1}A{r} {r} 0 0 1 {2} {3}A{4} {4} 0 0 0 {0} {1}z",
        short(x + radius * 0.64),
        short(y - radius * 0.768),
        short(x - radius * 0.64),
        short(y + radius * 0.768),
        short(radius * 1.25),
    );
    canvas.path(&shadow, Fill::Translucent(palette.deep.darker(50), 55));
}
