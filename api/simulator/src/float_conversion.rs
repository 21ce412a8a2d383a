//! Conversions between the real numbers of the simulation and the whole numbers of everything else.

/// 2^32, the weight of the upper half of a `u64`.
const UPPER_HALF: f64 = 4_294_967_296.0;

/// 2^53, up to which an `f64` represents every whole number exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// `value` as a real number, exact below 2^53.
pub(crate) fn to_f64(value: u64) -> f64 {
    let half = |bits: u64| f64::from(u32::try_from(bits & 0xffff_ffff).unwrap_or(u32::MAX));
    half(value >> 32) * UPPER_HALF + half(value)
}

/// The nearest whole number; `None` for NaN, negative numbers and those above 2^53.
pub(crate) fn to_u64(value: f64) -> Option<u64> {
    const MANTISSA_BITS: u64 = 52;
    const EXPONENT_BIAS: u64 = 1_023;
    let value = value.round();
    if !(0.0..=WHOLE_MAX).contains(&value) {
        return None;
    }
    if value < 1.0 {
        return Some(0);
    }
    // Between 1 and 2^53 the exponent is the number of mantissa bits before the binary point, and after rounding the
    // bits behind it are zero.
    let bits = value.to_bits();
    let exponent = (bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    let mantissa = (bits & ((1 << MANTISSA_BITS) - 1)) | (1 << MANTISSA_BITS);
    Some(if exponent <= MANTISSA_BITS { mantissa >> (MANTISSA_BITS - exponent) } else { mantissa << 1 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_representable_whole_numbers_are_converted() {
        for (value, counted) in [(0.0, Some(0)), (-0.4, Some(0)), (0.5, Some(1)), (1.0, Some(1)), (2.499, Some(2))] {
            assert_eq!(to_u64(value), counted, "{value}");
        }
        assert_eq!(to_u64(WHOLE_MAX), Some(1 << 53));
        for value in [-0.6, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, WHOLE_MAX * 2.0] {
            assert_eq!(to_u64(value), None, "{value}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_survive_the_round_trip(value in 0_u64..=1 << 53) {
            prop_assert_eq!(to_u64(to_f64(value)), Some(value));
        }

        #[test]
        fn the_nearest_whole_number_is_at_most_a_half_away(value in 0.0_f64..1e15) {
            let nearest = to_f64(to_u64(value).unwrap());
            prop_assert!((nearest - value).abs() <= 0.5);
        }
    }
}
