//! The motifs with floors, stones and gates.

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE, Point, polar, short};
use super::colour::Colour;
use super::palette::Palette;

/// A floor of square tiles, each with a quarter circle, a leaf or a disc.
pub(super) fn tiles(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    const SIDE: f64 = 64.0;
    let [first, second, third] = palette.shades;
    let colours = [first, second, third, palette.accent, palette.light, palette.deep];
    for row in 0..4_u32 {
        for column in 0..4_u32 {
            let (x, y) = (SIDE * f64::from(column), SIDE * f64::from(row));
            // Neighbours differ because the colours alternate like a chess board.
            let ground = if (row + column) % 2 == 0 { palette.background } else { palette.deep };
            canvas.rect((x, y), (SIDE, SIDE), ground);
            let others: Vec<Colour> = colours.iter().copied().filter(|colour| *colour != ground).collect();
            let figure = others.choose(rng).copied().unwrap_or(palette.accent);
            let inner = others.iter().copied().filter(|c| *c != figure).collect::<Vec<_>>();
            let inner = inner.choose(rng).copied().unwrap_or(palette.light);
            let quarter = 90.0 * f64::from(rng.random_range(0..4_u32));
            let turn =
                format!("transform=\"translate({} {}) rotate({})\"", short(x + 32.0), short(y + 32.0), short(quarter));
            match rng.random_range(0..7_u32) {
                0..=2 => {
                    canvas.open_group(&turn);
                    canvas.path("M-32-32h64a64 64 0 0 1-64 64z", figure);
                    canvas.path("M-32-32h32a32 32 0 0 1-32 32z", inner);
                    canvas.close_group();
                }
                3 | 4 => {
                    canvas.open_group(&turn);
                    canvas.path("M-32-32a64 64 0 0 1 64 64a64 64 0 0 1-64-64z", figure);
                    canvas.close_group();
                }
                5 => {
                    canvas.disc((x + 32.0, y + 32.0), 26.0, figure);
                    canvas.disc((x + 32.0, y + 32.0), 12.0, inner);
                }
                _ => {
                    canvas.open_group(&turn);
                    canvas.path("M-32-32h64v64z", figure);
                    canvas.close_group();
                }
            }
        }
    }
}

/// A cut stone: each facet is lit according to its direction.
pub(super) fn prism(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let corners: u32 = rng.random_range(6..=9);
    let middle = (MIDDLE, MIDDLE);
    canvas.disc(middle, 124.0, Fill::Translucent(palette.shades[1], 26));
    let angle_of = |index: u32| 360.0 * f64::from(index) / f64::from(corners) - 90.0;
    let corners_at = |distance: f64, spread: f64, offset: f64, wobble: &mut dyn FnMut(f64) -> f64| -> Vec<Point> {
        let step = 360.0 / f64::from(corners);
        (0..corners).map(|index| polar(middle, distance + wobble(spread), angle_of(index) + offset * step)).collect()
    };
    let mut wobble = |spread: f64| rng.random_range(-spread..spread);
    let outer = corners_at(108.0, 9.0, 0.0, &mut wobble);
    let belt = corners_at(66.0, 8.0, 0.5, &mut wobble);
    let table = corners_at(34.0, 4.0, 0.0, &mut wobble);
    let [first, second, third] = palette.shades;
    let count = outer.len();
    for index in 0..count {
        let next = (index + 1) % count;
        facet(canvas, [outer[index], outer[next], belt[index]], [second, first]);
        facet(canvas, [belt[index], outer[next], belt[next]], [first, third]);
        facet(canvas, [belt[index], belt[next], table[next]], [third, palette.accent]);
        facet(canvas, [belt[index], table[next], table[index]], [palette.accent, third]);
    }
    canvas.polygon(&table, palette.light);
    if let [first_corner, .., last_corner] = table.as_slice() {
        canvas.polygon(&[*first_corner, table[count / 2], *last_corner], palette.light.darker(10));
    }
}

/// One triangle of a stone, lit from the upper left.
fn facet(canvas: &mut Canvas, points: [Point; 3], [near, far]: [Colour; 2]) {
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / 3.0, y + point.1 / 3.0));
    // From 0 in the upper left to 10 in the lower right.
    let shadow = ((x + y) / 512.0 * 10.0).clamp(0.0, 10.0);
    let steps = (0..10_u16).take_while(|step| f64::from(*step) < shadow).count();
    let percent = u16::try_from(steps).unwrap_or(0) * 8;
    canvas.polygon(
        &points,
        near.mixed(far, 30).lighter(30_u16.saturating_sub(percent)).darker(percent.saturating_sub(24)),
    );
}

/// Gates within gates, the innermost open to a light.
pub(super) fn arch(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let [first, second, third] = palette.shades;
    let sky = canvas.gradient("sky", palette.background, palette.deep);
    canvas.fill_background(sky);
    let rays: u32 = rng.random_range(9..=15);
    for index in 0..=rays {
        let angle = 180.0 + 180.0 * f64::from(index) / f64::from(rays);
        let points =
            [(MIDDLE, 140.0), polar((MIDDLE, 140.0), 220.0, angle - 3.0), polar((MIDDLE, 140.0), 220.0, angle + 3.0)];
        canvas.polygon(&points, Fill::Translucent(palette.accent, 16));
    }
    let colours = [first, palette.light, second, palette.deep, third, palette.accent];
    let mut half = 104.0;
    for colour in colours {
        gate(canvas, half, colour);
        half -= rng.random_range(11.0..16.0);
    }
    let opening = canvas.gradient("opening", palette.deep.darker(20), first.mixed(palette.accent, 35));
    gate(canvas, half, opening);
    canvas.disc((MIDDLE, 146.0), (half * 0.5).max(8.0), palette.light);
    for (step, width) in [(226.0, 170.0), (236.0, 204.0), (246.0, 256.0)] {
        let colour =
            palette.deep.mixed(second, if step < 230.0 { 60 } else { 35 }).darker(if step > 240.0 { 30 } else { 0 });
        canvas.rect((MIDDLE - width / 2.0, step), (width, 11.0), colour);
    }
}

fn gate(canvas: &mut Canvas, half: f64, fill: impl Into<Fill>) {
    let (left, radius, right) = (short(MIDDLE - half), short(half), short(MIDDLE + half));
    canvas.path(&format!("M{left} 228V140A{radius} {radius} 0 0 1 {right} 140V228z"), fill);
}
