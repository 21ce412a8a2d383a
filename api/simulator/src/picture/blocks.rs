//! The picture of BRC-20 tokens: stacked blocks.

use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE, Point};
use super::colour::Colour;
use super::palette::Palette;

/// Half the width of a block seen from a corner.
const ACROSS: f64 = 34.0;
/// Half the depth of its lid.
const DEEP: f64 = 19.5;
/// The height of one block.
const TALL: f64 = 32.0;

/// Nine stacks of blocks on a plate with six corners.
pub(super) fn blocks(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let ground = canvas.gradient("ground", palette.background.lighter(6), palette.deep);
    canvas.fill_background(ground);
    canvas.polygon(&hexagon(120.0), Fill::Translucent(palette.shades[1], 28));
    canvas.polygon(&hexagon(120.0), Fill::Line(palette.accent, 3.0));
    canvas.polygon(&hexagon(108.0), Fill::Line(palette.shades[2], 1.5));
    let tall_one = (rng.random_range(0..3_u32), rng.random_range(0..3_u32));
    let colours = [palette.shades[0], palette.shades[1], palette.shades[2]];
    // From the far corner to the near one, so that near stacks cover far ones.
    for diagonal in 0..5_u32 {
        for row in 0..3_u32 {
            let Some(column) = diagonal.checked_sub(row).filter(|column| *column < 3) else { continue };
            let is_tall = (row, column) == tall_one;
            let height = if is_tall { 3.0 } else { f64::from(rng.random_range(1..=4_u32)) / 2.0 };
            let x = MIDDLE + (f64::from(column) - f64::from(row)) * ACROSS;
            let y = 94.0 + (f64::from(column) + f64::from(row)) * DEEP;
            let colour = if is_tall { palette.accent } else { colours[rng.random_range(0..3_usize)] };
            stack(canvas, (x, y), height * TALL, colour);
        }
    }
}

/// A stack whose foot has its far corner at `(x, y)`.
fn stack(canvas: &mut Canvas, (x, y): Point, height: f64, colour: Colour) {
    let lid = y - height + TALL;
    let (left, right, near) = (x - ACROSS, x + ACROSS, lid + 2.0 * DEEP);
    let foot = y + TALL;
    canvas.polygon(&[(left, lid + DEEP), (x, near), (x, foot + 2.0 * DEEP), (left, foot + DEEP)], colour.darker(22));
    canvas.polygon(&[(right, lid + DEEP), (x, near), (x, foot + 2.0 * DEEP), (right, foot + DEEP)], colour.darker(46));
    canvas.polygon(&[(x, lid), (right, lid + DEEP), (x, near), (left, lid + DEEP)], colour.lighter(22));
}

/// Six corners about the middle, one of them on top.
fn hexagon(radius: f64) -> [Point; 6] {
    let (wide, half) = (radius * 0.866, radius / 2.0);
    [
        (MIDDLE, MIDDLE - radius),
        (MIDDLE + wide, MIDDLE - half),
        (MIDDLE + wide, MIDDLE + half),
        (MIDDLE, MIDDLE + radius),
        (MIDDLE - wide, MIDDLE + half),
        (MIDDLE - wide, MIDDLE - half),
    ]
}
