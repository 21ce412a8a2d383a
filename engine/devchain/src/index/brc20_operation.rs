//! BRC-20 operations in inscriptions.

use serde_json::{Map, Value};

use super::envelope::Envelope;

/// The decimals of every balance.
pub(super) const DECIMALS: u8 = 18;
/// Raw units of a whole token.
const WHOLE: u128 = 1_000_000_000_000_000_000;
/// The highest supply of a ticker: 2^64 - 1 whole tokens.
const MAX_RAW: u128 = 18_446_744_073_709_551_615 * WHOLE;
/// The bytes of a ticker with open mint, and of one that only its deployer may mint.
const PUBLIC_TICKER_BYTES: usize = 4;
const SELF_MINT_TICKER_BYTES: usize = 5;

/// The operation of an inscription; tickers are in lower case, amounts in raw units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Deploy {
        ticker: String,
        max: u128,
        limit: u128,
        decimals: u8,
        /// Whether only children of the deployment can mint.
        is_self_mint: bool,
    },
    Mint {
        ticker: String,
        amount: DecimalAmount,
    },
    Transfer {
        ticker: String,
        amount: DecimalAmount,
    },
}

/// An amount as it was written; the allowed number of decimals depends on the ticker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecimalAmount {
    raw: u128,
    decimals: u8,
}

impl DecimalAmount {
    /// The amount in raw units; `None` with more decimals than the ticker has, or above the highest supply.
    pub(super) fn raw(self, decimals: u8) -> Option<u128> {
        (self.decimals <= decimals && (1..=MAX_RAW).contains(&self.raw)).then_some(self.raw)
    }
}

/// Parses the operation of an inscription, if it is one.
pub(super) fn operation(envelope: &Envelope) -> Option<Operation> {
    let kind = envelope.content_type.as_deref()?;
    let is_text = kind.starts_with(b"text/plain") || kind.starts_with(b"application/json");
    let fields: Map<String, Value> = serde_json::from_slice(envelope.body.as_deref().filter(|_| is_text)?).ok()?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    if text("p")? != "brc-20" {
        return None;
    }
    let written = text("tick")?;
    let ticker = written.to_lowercase();
    let is_own = written.len() == SELF_MINT_TICKER_BYTES;
    if !is_own && written.len() != PUBLIC_TICKER_BYTES {
        return None;
    }
    match text("op")? {
        "deploy" => deploy(&fields, ticker, is_own),
        "mint" => Some(Operation::Mint { ticker, amount: amount(text("amt")?)? }),
        "transfer" => Some(Operation::Transfer { ticker, amount: amount(text("amt")?)? }),
        _ => None,
    }
}

fn deploy(fields: &Map<String, Value>, ticker: String, is_own: bool) -> Option<Operation> {
    // A field that is present must be a string.
    let text = |name: &str| fields.get(name).map(Value::as_str);
    let is_self_mint = is_own && text("self_mint")?? == "true";
    if is_own && !is_self_mint {
        return None;
    }
    let decimals = text("dec").map_or(Some(DECIMALS), |text| digits(text?)?.try_into().ok())?;
    if decimals > DECIMALS {
        return None;
    }
    // A self-mint ticker may be unlimited, which is written as zero.
    let bound = |text: &str| {
        let amount = amount(text)?;
        if amount.raw == 0 && is_self_mint { Some(MAX_RAW) } else { amount.raw(decimals) }
    };
    let max = bound(text("max")??)?;
    let limit = text("lim").map_or(Some(max), |text| bound(text?))?;
    Some(Operation::Deploy { ticker, max, limit, decimals, is_self_mint })
}

fn digits(text: &str) -> Option<u128> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Parses digits, with an optional point between digits.
fn amount(text: &str) -> Option<DecimalAmount> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let decimals = if text.contains('.') { u8::try_from(part.len()).ok()? } else { 0 };
    if decimals > DECIMALS {
        return None;
    }
    let unit = 10_u128.checked_pow(u32::from(DECIMALS - decimals))?;
    let raw = digits(whole)?.checked_mul(WHOLE)?.checked_add(digits(part)?.checked_mul(unit)?)?;
    Some(DecimalAmount { raw, decimals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<Operation> {
        operation(&Envelope {
            content_type: Some(b"text/plain;charset=utf-8".to_vec()),
            body: Some(body.as_bytes().to_vec()),
            ..Envelope::default()
        })
    }

    #[test]
    fn an_amount_is_digits_with_up_to_eighteen_after_the_point() {
        let raw = |text| amount(text).and_then(|amount| amount.raw(DECIMALS));
        assert_eq!(raw("1"), Some(WHOLE));
        assert_eq!(raw("0.000000000000000001"), Some(1));
        assert_eq!(raw("12.5"), Some(12 * WHOLE + WHOLE / 2));
        assert_eq!(raw("18446744073709551615"), Some(MAX_RAW));
        for wrong in
            ["", ".", "1.", ".5", "-1", "+1", "1e3", " 1", "1.0000000000000000000", "18446744073709551616", "0", "0.0"]
        {
            assert_eq!(raw(wrong), None, "{wrong}");
        }
        assert_eq!(amount("1.25").unwrap().raw(1), None);
        assert_eq!(amount("340282366920938463463374607431768211456"), None);
    }

    #[test]
    fn a_deployment_has_a_bound_and_perhaps_a_limit() {
        let deploy = |ticker: &str, rest: &str| {
            read(&format!(r#"{{"p":"brc-20","op":"deploy","tick":"{ticker}","max":"21000000"{rest}}}"#))
        };
        let expected = |limit: u128, decimals, is_self_mint, ticker: &str| {
            Some(Operation::Deploy {
                ticker: ticker.into(),
                max: 21_000_000 * WHOLE,
                limit: limit * WHOLE,
                decimals,
                is_self_mint,
            })
        };
        assert_eq!(deploy("ORDI", ""), expected(21_000_000, 18, false, "ordi"));
        assert_eq!(deploy("ordi", r#","lim":"1000","dec":"2""#), expected(1_000, 2, false, "ordi"));
        assert_eq!(deploy("owned", r#","self_mint":"true""#), expected(21_000_000, 18, true, "owned"));
        let wrong = [
            r#","dec":"19""#,
            r#","dec":2"#,
            r#","lim":"0""#,
            r#","lim":1"#,
            r#","max":"0""#,
            r#","dec":"1","lim":"1.25""#,
        ];
        for rest in wrong {
            assert_eq!(deploy("ordi", rest), None, "{rest}");
        }
        for ticker in ["abc", "abcdef", "owned"] {
            assert_eq!(deploy(ticker, ""), None);
        }
        let unlimited = read(r#"{"p":"brc-20","op":"deploy","tick":"owned","max":"0","self_mint":"true"}"#);
        assert!(matches!(unlimited, Some(Operation::Deploy { max: MAX_RAW, limit: MAX_RAW, .. })));
    }

    #[test]
    fn other_texts_are_not_operations() {
        for body in [
            "",
            "[]",
            r#"{"p":"brc-20"}"#,
            r#"{"p":"brc20","op":"mint","tick":"ordi","amt":"1"}"#,
            r#"{"p":"brc-20","op":"burn","tick":"ordi","amt":"1"}"#,
            r#"{"p":"brc-20","op":"mint","tick":"ordi","amt":1}"#,
            r#"{"p":"brc-20","op":"mint","tick":"ordi"}"#,
        ] {
            assert_eq!(read(body), None, "{body}");
        }
        let mint = r#"{"p":"brc-20","op":"mint","tick":"ordi","amt":"1"}"#;
        assert!(read(mint).is_some());
        let picture =
            Envelope { content_type: Some(b"image/png".to_vec()), body: Some(mint.into()), ..Envelope::default() };
        assert_eq!(operation(&picture), None);
    }
}
