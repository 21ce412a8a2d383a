//! The motifs with flowers, hills and the sea.

use std::fmt::Write as _;

use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE, short};
use super::palette::Palette;

/// Three rings of petals about a heart.
pub(super) fn bloom(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let petals: u32 = rng.random_range(7..=10);
    let turn = 180.0 / f64::from(petals);
    canvas.disc((MIDDLE, MIDDLE), 122.0, Fill::Translucent(palette.shades[1], 22));
    let widths = [rng.random_range(30.0..42.0), rng.random_range(24.0..34.0), rng.random_range(16.0..24.0)];
    for (ring, (length, width)) in [118.0, 88.0, 58.0].into_iter().zip(widths).enumerate() {
        let tip = MIDDLE - length;
        let shoulder = MIDDLE - length * 0.62;
        let (left, right) = (short(MIDDLE - width), short(MIDDLE + width));
        let (tip, shoulder) = (short(tip), short(shoulder));
        let whole = format!("M128 128C{left} {shoulder} {left} {tip} 128 {tip}S{right} {shoulder} 128 128z");
        let half = format!("M128 128C{right} {shoulder} {right} {tip} 128 {tip}z");
        let first = if ring % 2 == 0 { 0.0 } else { turn };
        let shade = palette.shades[ring % 3];
        canvas.path_ring(&whole, (MIDDLE, MIDDLE), petals, first, shade);
        canvas.path_ring(&half, (MIDDLE, MIDDLE), petals, first, shade.darker(16));
    }
    canvas.disc((MIDDLE, MIDDLE), 25.0, palette.deep);
    canvas.disc((MIDDLE, MIDDLE), 19.0, palette.accent);
    canvas.disc((MIDDLE, MIDDLE), 8.0, palette.light);
}

/// Ranges of hills, darker the nearer, before a low sun.
pub(super) fn strata(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let [haze, middle, glow] = palette.shades;
    let sky = canvas.gradient("sky", haze.mixed(palette.background, 45), glow.lighter(25));
    canvas.fill_background(sky);
    let sun = (rng.random_range(72.0..184.0), rng.random_range(74.0..104.0));
    for (radius, percent) in [(74.0, 16), (56.0, 26)] {
        canvas.disc(sun, radius, Fill::Translucent(palette.light, percent));
    }
    canvas.disc(sun, 38.0, palette.accent.lighter(12));
    let far = middle.mixed(glow, 35);
    for layer in 0..5_u16 {
        let base = 108.0 + 32.0 * f64::from(layer);
        let colour = far.mixed(palette.deep.darker(10), layer * 24);
        let mut path = String::from("M0 256");
        let mut x = -8.0;
        let (mut rising, peaked) = (rng.random_bool(0.5), layer % 2 == 0);
        let _ = write!(path, "L-8 {}", short(base + rng.random_range(-10.0..22.0)));
        while x < 264.0 {
            let step = rng.random_range(26.0..58.0);
            let height = if rising { rng.random_range(-30.0..-12.0) } else { rng.random_range(10.0..26.0) };
            let (next, y) = (x + step, base + height);
            if peaked {
                let _ = write!(path, "L{} {}", short(next), short(y));
            } else {
                let _ = write!(path, "S{} {} {} {}", short(next - step * 0.4), short(y), short(next), short(y));
            }
            rising = !rising;
            x = next;
        }
        path += "V256z";
        canvas.path(&path, colour);
    }
}

/// Rows of overlapping scales under a moon.
pub(super) fn wave(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    const RADIUS: f64 = 32.0;
    let sky = canvas.gradient("sky", palette.background, palette.shades[1].mixed(palette.background, 40));
    canvas.fill_background(sky);
    let moon = (rng.random_range(70.0..186.0), 78.0);
    canvas.disc(moon, 62.0, Fill::Translucent(palette.light, 16));
    canvas.disc(moon, 46.0, palette.accent);
    let colours = [palette.light, palette.shades[0], palette.deep, palette.shades[2], palette.shades[0].darker(25)];
    canvas.element("<defs><g id=\"scale\">");
    for (radius, colour) in [RADIUS, 26.0, 19.5, 13.0, 6.5].into_iter().zip(colours) {
        canvas.disc((0.0, 0.0), radius, colour);
    }
    canvas.element("</g></defs>");
    let depth: u32 = rng.random_range(0..2);
    for row in 0..9_u32 {
        let y = 122.0 + 16.0 * f64::from(row) - 8.0 * f64::from(depth);
        let shift = if row % 2 == 0 { 0.0 } else { RADIUS };
        for column in 0..5_u32 {
            let x = f64::from(column) * 2.0 * RADIUS + shift;
            canvas.element(&format!("<use href=\"#scale\" x=\"{}\" y=\"{}\"/>", short(x), short(y)));
        }
    }
}
