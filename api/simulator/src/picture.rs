//! Generated pictures of the demo's collections.

mod blocks;
mod canvas;
mod coin;
mod colour;
mod faces;
mod nature;
mod ornament;
mod palette;
mod sky;

use crate::motif::Motif;
use crate::picture::canvas::Canvas;
use crate::picture::palette::Palette;
use crate::seeded::seeded_rng;

/// Draws a collection as an SVG document of 256 by 256 units.
///
/// The same arguments give the same picture; neighbouring numbers of `tint` have different colours. It holds shapes
/// alone: no text, no scripts, no external references, and none of the slug's characters, so it is well-formed whatever
/// the slug.
#[must_use]
pub fn picture(motif: Motif, tint: usize, slug: &str, seed: u64) -> String {
    let mut rng = seeded_rng(seed, "picture", slug);
    let palette = Palette::draw(motif, tint, &mut rng);
    let mut canvas = Canvas::new(palette.background);
    match motif {
        Motif::Fox => faces::fox(&mut canvas, &palette),
        Motif::Owl => faces::owl(&mut canvas, &palette),
        Motif::King => faces::king(&mut canvas, &palette),
        Motif::Beast => faces::beast(&mut canvas, &palette, &mut rng),
        Motif::Bloom => nature::bloom(&mut canvas, &palette, &mut rng),
        Motif::Strata => nature::strata(&mut canvas, &palette, &mut rng),
        Motif::Wave => nature::wave(&mut canvas, &palette, &mut rng),
        Motif::Orbit => sky::orbit(&mut canvas, &palette, &mut rng),
        Motif::Tiles => ornament::tiles(&mut canvas, &palette, &mut rng),
        Motif::Prism => ornament::prism(&mut canvas, &palette, &mut rng),
        Motif::Arch => ornament::arch(&mut canvas, &palette, &mut rng),
        Motif::Coin => coin::coin(&mut canvas, &palette, &mut rng),
        Motif::Blocks => blocks::blocks(&mut canvas, &palette, &mut rng),
    }
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::catalogue::groups;

    /// Checks that tags are balanced and attributes quoted.
    fn assert_well_formed(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        for piece in svg.split('<').skip(1) {
            let (tag, rest) = piece.split_once('>').expect("a tag without an end");
            assert!(rest.trim().is_empty(), "text between tags: {rest:?}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            let body = tag.strip_suffix('/').unwrap_or(tag);
            assert_eq!(body.matches('"').count() % 2, 0, "an open quote in {tag}");
            assert!(!body.contains(['&', '\'']), "an escape is needed in {tag}");
            if !tag.ends_with('/') {
                open.push(body.split(' ').next().unwrap_or_default());
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
    }

    proptest! {
        #[test]
        fn every_picture_is_small_well_formed_and_repeatable(seed: u64, tint: usize, slug in "\\PC{0,40}", motif in 0..Motif::ALL.len()) {
            let motif = Motif::ALL[motif];
            let svg = picture(motif, tint, &slug, seed);
            prop_assert!(svg.len() < 6 * 1024, "{:?} with seed {} has {} bytes", motif, seed, svg.len());
            prop_assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 256 256\""));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{:?} with seed {}", motif, seed);
            assert_well_formed(&svg);
            prop_assert_eq!(svg, picture(motif, tint, &slug, seed));
        }
    }

    #[test]
    fn no_two_collections_look_the_same() {
        let pictures: HashSet<String> = groups(7).iter().map(|group| group.picture(7)).collect();
        assert_eq!(pictures.len(), groups(7).len());
    }
}
