//! A histogram of response times.

use std::fmt::Write as _;

use super::within;
use crate::number::grouped;

const BAR_WIDTH: u32 = 9;
const GAP: u32 = 2;
const HEIGHT: u32 = 28;
/// The smallest height of a bar, so that one request in a thousand is visible.
const BAR_LEAST: u32 = 2;

/// Draws a bar for each bucket, the longest times to the right, with a description in words.
pub(super) fn drawn(steps: &[(f64, u64)]) -> String {
    let Some(most) = steps.iter().map(|(_, tries)| *tries).max().filter(|most| *most > 0) else {
        return "not tried yet".to_owned();
    };
    let (mut bars, mut words) = (String::new(), Vec::new());
    for (place, (end, tries)) in (0_u32..).zip(steps) {
        let height = bar_height(*tries, most);
        let (x, y) = (place * (BAR_WIDTH + GAP), HEIGHT - height);
        let _ = write!(bars, r#"<rect x="{x}" y="{y}" width="{BAR_WIDTH}" height="{height}" rx="1"/>"#);
        if *tries > 0 {
            let times = grouped(*tries);
            words.push(if end.is_infinite() {
                format!("{times} longer")
            } else {
                format!("{times} within {}", within(Some(*end)))
            });
        }
    }
    let width = u32::try_from(steps.len()).unwrap_or(u32::MAX).saturating_mul(BAR_WIDTH + GAP);
    let words = words.join(", ");
    format!(
        r#"<svg role="img" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}"><title>{words}</title>{bars}</svg>"#
    )
}

fn bar_height(tries: u64, most: u64) -> u32 {
    if tries == 0 {
        return 0;
    }
    let share = u128::from(tries) * u128::from(HEIGHT) / u128::from(most.max(1));
    u32::try_from(share).unwrap_or(HEIGHT).max(BAR_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_share_and_always_visible() {
        assert_eq!([0, 1, 500, 1_000].map(|tries| bar_height(tries, 1_000)), [0, BAR_LEAST, HEIGHT / 2, HEIGHT]);
        assert_eq!(bar_height(u64::MAX, u64::MAX), HEIGHT);
    }

    #[test]
    fn a_histogram_is_described_in_words() {
        assert_eq!(drawn(&[]), "not tried yet");
        assert_eq!(drawn(&[(0.1, 0)]), "not tried yet");
        let svg = drawn(&[(0.1, 1_500), (1.0, 0), (f64::INFINITY, 2)]);
        assert!(svg.contains("<title>1,500 within 100 ms, 2 longer</title>"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 3);
    }
}
