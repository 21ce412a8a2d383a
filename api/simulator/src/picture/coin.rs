//! The picture of runes: coins with a carved sign.

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::canvas::{Canvas, Fill, MIDDLE, short};
use super::palette::Palette;

/// A coin on its own glow. The sign is carved into its face.
pub(super) fn coin(canvas: &mut Canvas, palette: &Palette, rng: &mut impl Rng) {
    let middle = (MIDDLE, MIDDLE);
    let metal = palette.accent;
    let ground = canvas.gradient("ground", palette.background, palette.deep);
    canvas.fill_background(ground);
    canvas.disc(middle, 122.0, Fill::Translucent(palette.shades[0], 30));
    let face = canvas.gradient("face", metal.lighter(38), metal.darker(24));
    let rim = canvas.gradient("rim", metal.darker(38), metal.lighter(22));
    canvas.disc((MIDDLE, MIDDLE + 5.0), 106.0, palette.deep.darker(45));
    canvas.disc(middle, 106.0, face);
    canvas.disc(middle, 93.0, rim);
    canvas.disc(middle, 88.0, palette.shades[0].mixed(palette.deep, 58));
    // The milled edge is one dashed circle.
    let notches = f64::from(rng.random_range(30..48_u32));
    let notch = short(std::f64::consts::TAU * 99.5 / notches / 2.0);
    canvas.element(&format!(
        "<circle cx=\"128\" cy=\"128\" r=\"99.5\" fill=\"none\" stroke=\"{}\" stroke-width=\"5\" stroke-dasharray=\"{notch}\"/>",
        metal.darker(34)
    ));
    canvas.disc(middle, 78.0, Fill::Line(metal.mixed(palette.deep, 45), 2.0));
    let sign = sign(rng);
    for (shift, colour, width) in [(4.0, palette.deep.darker(40), 12.0), (0.0, palette.light.mixed(metal, 28), 11.0)] {
        canvas.element(&format!(
            "<path d=\"{sign}\" transform=\"translate(0 {})\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
            short(shift)
        ));
    }
    let dots: u32 = rng.random_range(0..3);
    for index in 0..dots {
        let y = 108.0 + 40.0 * f64::from(index);
        canvas.disc_pair((66.0, y), 5.0, palette.shades[2].lighter(20));
    }
    canvas.path("M50 96A84 84 0 0 1 96 50", Fill::Line(palette.light.lighter(40), 5.0));
}

/// One of many invented signs: a head, a middle and a foot on one axis. None of them is a letter of any script.
fn sign(rng: &mut impl Rng) -> String {
    const HEADS: [&str; 6] = [
        "M112 94a16 16 0 1 0 32 0a16 16 0 1 0-32 0M128 110V128",
        "M102 78a26 26 0 0 0 52 0M128 104V128",
        "M102 106a26 26 0 0 1 52 0M128 80V128",
        "M128 74L150 96L128 118L106 96z",
        "M102 80H154M112 98H144M128 98V128",
        "M104 78V92a24 24 0 0 0 48 0V78",
    ];
    const MIDDLES: [&str; 5] = [
        "M100 132q14-18 28 0t28 0",
        "M92 122V138M164 122V138M92 130H164",
        "M96 130H160",
        "M98 130H108M148 130H158",
        "M100 130a28 28 0 0 0 56 0",
    ];
    const FEET: [&str; 6] = [
        "M128 132V150M114 164a14 14 0 1 0 28 0a14 14 0 1 0-28 0",
        "M104 154a24 24 0 0 0 48 0",
        "M128 132V154M110 154h36v24h-36z",
        "M128 132V180M104 180H152",
        "M128 150l26 30h-52z",
        "M104 180a24 24 0 0 1 48 0",
    ];
    let mut pick = |parts: &[&'static str]| parts.choose(rng).copied().unwrap_or_default();
    format!("{}{}{}", pick(&HEADS), pick(&MIDDLES), pick(&FEET))
}
