//! Colour palettes.

use rand::seq::SliceRandom as _;
use rand::{Rng, RngExt as _};

use super::colour::Colour;
use crate::motif::Motif;

/// The colours of one picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    /// The background.
    pub(super) background: Colour,
    /// A darker background.
    pub(super) deep: Colour,
    /// Three colours for large shapes.
    pub(super) shades: [Colour; 3],
    /// The most conspicuous colour.
    pub(super) accent: Colour,
    /// The brightest colour.
    pub(super) light: Colour,
}

/// Chosen by eye: ground, deep, three shades, accent, light.
#[rustfmt::skip]
const CHOSEN: [[u32; 7]; 21] = [
    [0x001b_1f3b, 0x0011_142a, 0x0053_448a, 0x00b0_468c, 0x00f2_6b5e, 0x00ff_b74d, 0x00ff_e8c2],
    [0x000f_3d3e, 0x000a_2a2b, 0x001f_6f6b, 0x003f_a796, 0x008b_d3b4, 0x00ff_8a5b, 0x00f2_f5e6],
    [0x00f3_e3d0, 0x00e4_c9a8, 0x00c8_553d, 0x008c_2f39, 0x00f2_8f3b, 0x002d_3047, 0x00ff_faf0],
    [0x002b_2d6e, 0x001c_1d4f, 0x005a_4fcf, 0x00c7_7dff, 0x00ff_afcc, 0x00ff_d166, 0x00fd_f0ff],
    [0x0016_302b, 0x000e_201c, 0x002f_5d50, 0x005b_8e7d, 0x00a9_c9a4, 0x00f4_d35e, 0x00f5_f1e3],
    [0x000b_2545, 0x0007_182e, 0x0013_4f8c, 0x002a_7de1, 0x008d_b9e4, 0x00f7_b32b, 0x00ee_f4ed],
    [0x003d_1e3f, 0x0028_0f2b, 0x007b_2d5b, 0x00c9_485b, 0x00f0_8a5d, 0x00f9_e069, 0x00ff_f3e0],
    [0x00e3_efe0, 0x00c6_dfc9, 0x002a_9d8f, 0x0026_4653, 0x00e9_c46a, 0x00e7_6f51, 0x00ff_fdf6],
    [0x002a_1a3e, 0x001a_0f29, 0x005b_3a8c, 0x008e_5fb8, 0x00d9_a5d0, 0x00f2_c14e, 0x00fb_f3e4],
    [0x0022_303c, 0x0015_1f28, 0x003d_5a73, 0x0078_95a8, 0x00c5_d5dd, 0x00ff_6f61, 0x00f7_fafc],
    [0x0042_3a1c, 0x002b_2610, 0x007a_6a2c, 0x00b3_9a48, 0x00e5_c185, 0x00ff_8f70, 0x00ff_f4dc],
    [0x00bf_e3f2, 0x008e_cae6, 0x0021_9ebc, 0x0002_3047, 0x00ff_b703, 0x00fb_8500, 0x00ff_ffff],
    [0x004a_0e17, 0x0030_070d, 0x008f_1d2c, 0x00d1_495b, 0x00ed_ae49, 0x0066_d0c0, 0x00fd_f1e3],
    [0x001d_2321, 0x0012_1614, 0x0039_443f, 0x006d_8777, 0x00a6_c3a4, 0x00d6_f74c, 0x00f4_fbe9],
    [0x00f7_d9d0, 0x00ee_b8a9, 0x00d9_5d6a, 0x0054_2e71, 0x00f3_9c6b, 0x001f_5f78, 0x00ff_f7f0],
    [0x0008_3344, 0x0005_2230, 0x000e_7490, 0x0022_d3ee, 0x00a5_f3fc, 0x00fb_7185, 0x00ec_feff],
    [0x0021_1a1d, 0x0014_1012, 0x0063_3a34, 0x00a6_5e3f, 0x00d9_a05b, 0x00f2_d0a4, 0x00ff_f6e9],
    [0x001f_2a44, 0x0013_1b2f, 0x00b3_3951, 0x00e8_6a92, 0x0091_c7b1, 0x00f7_d488, 0x00fd_f6f0],
    [0x0030_1b4d, 0x001e_1033, 0x0000_7f7a, 0x0033_b5a6, 0x00f0_7fb0, 0x00ff_c857, 0x00f9_f4ff],
    [0x001a_2c1f, 0x0010_1c13, 0x003b_6e3c, 0x00c0_5746, 0x00e8_b04a, 0x00f4_a79d, 0x00fb_f7e9],
    [0x0017_2a4f, 0x000e_1b36, 0x0046_5ea6, 0x008f_7fd6, 0x00f3_a6b8, 0x00ff_9e4f, 0x00ff_f1e8],
];

impl Palette {
    /// Draws one of the chosen palettes, with its shades in any order and its background slightly varied.
    ///
    /// Neighbouring numbers of `tint` give different palettes.
    pub(super) fn draw(motif: Motif, tint: usize, rng: &mut impl Rng) -> Self {
        // These motifs need a dark background for contrast.
        let dark_only = matches!(motif, Motif::Orbit | Motif::Coin | Motif::King | Motif::Owl);
        let chosen: Vec<[Colour; 7]> = CHOSEN
            .iter()
            .map(|row| row.map(colour))
            .filter(|[ground, ..]| !dark_only || brightness(*ground) < 300)
            .collect();
        let row = chosen.get(tint % chosen.len().max(1)).copied();
        let [ground, deep, first, second, third, accent, light] = row.unwrap_or(CHOSEN[0].map(colour));
        let mut shades = [first, second, third];
        shades.shuffle(rng);
        let background = ground.mixed(shades[0], rng.random_range(0..12));
        Self { background, deep, shades, accent, light }
    }
}

fn colour(rgb: u32) -> Colour {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Colour(red, green, blue)
}

fn brightness(colour: Colour) -> u16 {
    u16::from(colour.0) + u16::from(colour.1) + u16::from(colour.2)
}
