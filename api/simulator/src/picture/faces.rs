//! The motifs with mirrored faces.

use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE};
use super::palette::Palette;

/// A fox carrying a lantern's glow on its brow.
pub(super) fn fox(canvas: &mut Canvas, palette: &Palette) {
    let coat = palette.accent;
    canvas.disc((MIDDLE, 120.0), 112.0, Fill::Translucent(palette.shades[0], 35));
    canvas.disc((MIDDLE, 120.0), 84.0, Fill::Translucent(palette.shades[1], 35));
    canvas.polygon_pair(&[(34.0, 24.0), (118.0, 92.0), (46.0, 142.0)], coat.darker(22));
    canvas.polygon_pair(&[(48.0, 50.0), (98.0, 92.0), (56.0, 122.0)], palette.deep);
    canvas
        .polygon(&[(128.0, 78.0), (214.0, 118.0), (236.0, 168.0), (128.0, 236.0), (20.0, 168.0), (42.0, 118.0)], coat);
    canvas.polygon(&[(128.0, 78.0), (214.0, 118.0), (236.0, 168.0), (128.0, 236.0)], coat.darker(10));
    canvas.polygon_pair(&[(20.0, 168.0), (56.0, 148.0), (112.0, 178.0), (128.0, 236.0)], palette.light);
    canvas.polygon(&[(128.0, 236.0), (144.0, 178.0), (200.0, 148.0), (236.0, 168.0)], palette.light.darker(7));
    canvas.polygon(&[(128.0, 84.0), (148.0, 150.0), (128.0, 200.0), (108.0, 150.0)], coat.lighter(26));
    canvas.polygon_pair(&[(64.0, 138.0), (82.0, 124.0), (104.0, 142.0), (84.0, 150.0)], palette.deep);
    canvas.disc_pair((85.0, 137.0), 4.5, palette.light);
    canvas.polygon(&[(110.0, 206.0), (146.0, 206.0), (128.0, 232.0)], palette.deep);
    canvas.disc((MIDDLE, 106.0), 15.0, Fill::Translucent(palette.light, 55));
    canvas.disc((MIDDLE, 106.0), 8.0, palette.light);
}

/// An owl whose eyes are embers.
pub(super) fn owl(canvas: &mut Canvas, palette: &Palette) {
    let [body, feathers, breast] = palette.shades;
    canvas.disc((MIDDLE, 128.0), 116.0, Fill::Translucent(feathers, 18));
    canvas.polygon_pair(&[(38.0, 22.0), (110.0, 64.0), (40.0, 120.0)], body.darker(18));
    canvas.path("M36 112C36 60 80 46 128 46s92 14 92 66v54c0 52-40 90-92 90s-92-38-92-90z", body);
    canvas.path("M66 190c0-30 26-48 62-48s62 18 62 48c0 42-26 66-62 66s-62-24-62-66z", breast);
    for (row, count) in [(196.0, 5), (216.0, 4), (236.0, 3)] {
        for index in 0..count {
            let x = MIDDLE + 24.0 * (f64::from(index) - f64::from(count - 1) / 2.0);
            canvas.path(&format!("M{} {row}h20l-10 14z", x - 10.0), feathers.darker(12));
        }
    }
    for (radius, fill) in [(52.0, palette.light), (43.0, feathers), (31.0, palette.deep), (22.0, palette.accent)] {
        canvas.disc_pair((82.0, 116.0), radius, fill);
    }
    canvas.disc_pair((82.0, 116.0), 11.0, palette.deep);
    canvas.disc_pair((88.0, 108.0), 5.0, palette.light);
    canvas.polygon(&[(128.0, 46.0), (150.0, 84.0), (128.0, 112.0), (106.0, 84.0)], body.darker(30));
    canvas.polygon(&[(128.0, 126.0), (146.0, 144.0), (128.0, 174.0), (110.0, 144.0)], palette.accent.lighter(20));
    canvas.polygon(&[(128.0, 126.0), (146.0, 144.0), (128.0, 174.0)], palette.accent.darker(12));
}

/// A crown above an empty hood.
pub(super) fn king(canvas: &mut Canvas, palette: &Palette) {
    let [robe, lining, trim] = palette.shades;
    canvas.path_ring("M128 128L120-60h16z", (MIDDLE, 132.0), 16, 11.25, Fill::Translucent(palette.accent, 14));
    canvas.path("M20 256c4-54 30-78 52-88V112c0-34 26-54 56-54s56 20 56 54v56c22 10 48 34 52 88z", robe);
    canvas.path("M128 58c30 0 56 20 56 54v56c22 10 48 34 52 88H128z", robe.darker(20));
    canvas.path("M88 124c0-24 18-38 40-38s40 14 40 38v34c0 28-18 46-40 46s-40-18-40-46z", lining);
    canvas.path("M96 128c0-20 14-32 32-32s32 12 32 32v28c0 24-14 38-32 38s-32-14-32-38z", palette.deep.darker(35));
    canvas.disc_pair((115.0, 138.0), 5.5, palette.light);
    canvas.path("M72 168l56 56 56-56 12 7-68 81h0L60 175z", trim);
    canvas.polygon(&[(128.0, 214.0), (142.0, 232.0), (128.0, 252.0), (114.0, 232.0)], palette.accent);
    canvas.path("M64 92L52 28l38 30 38-46 38 46 38-30-12 64c-40-12-88-12-128 0z", palette.accent);
    canvas.path("M128 12l38 46 38-30-12 64c-20-6-42-9-64-9z", palette.accent.darker(16));
    canvas.path("M62 82l2 10c40-12 88-12 128 0l2-10c-42-12-90-12-132 0z", palette.accent.darker(38));
    canvas.disc((MIDDLE, 52.0), 8.0, palette.light);
    canvas.disc_pair((52.0, 27.0), 7.0, palette.light);
    canvas.disc((MIDDLE, 12.0), 8.0, palette.light);
}

/// A small creature of random mirrored squares.
pub(super) fn beast(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    const CELL: f64 = 24.0;
    let [coat, spots, belly] = palette.shades;
    canvas.rect((0.0, 208.0), (256.0, 48.0), palette.deep);
    // The number of the five columns left of the middle that each row fills, from the ears down to the feet.
    let ear = rng.random_range(1..=2);
    let rows: [u32; 8] =
        [rng.random_range(ear + 1..=3), 3, 4, 4, rng.random_range(3..=4), rng.random_range(2..=4), 4, 3];
    for (row, filled) in (0..).zip(rows) {
        for column in 0..filled {
            // Ears and feet leave a gap in the middle.
            if (row == 0 && column < ear) || (row == 7 && column == 0) {
                continue;
            }
            let (x, y) = (MIDDLE - CELL * f64::from(column + 1), 24.0 + CELL * f64::from(row));
            let colour = match (row, column) {
                (4..=6, 0) => belly,
                _ if rng.random_ratio(1, 5) => spots,
                _ => coat,
            };
            // A little wider than a cell, so that no seam shows between neighbours.
            canvas.rect((x, y), (CELL + 0.7, CELL + 0.7), colour);
            canvas.rect((2.0 * MIDDLE - x - CELL, y), (CELL + 0.7, CELL + 0.7), colour.darker(10));
        }
    }
    for x in [MIDDLE - 2.0 * CELL, MIDDLE + CELL] {
        canvas.rect((x, 24.0 + 2.0 * CELL), (CELL, CELL), palette.light);
        canvas.rect((x + 8.0, 32.0 + 2.0 * CELL), (CELL - 8.0, CELL - 8.0), palette.deep.darker(40));
    }
    canvas.rect((MIDDLE - CELL / 2.0, 24.0 + 4.0 * CELL), (CELL, CELL / 2.0), palette.accent);
}
