//! BRC-20 transfer inscriptions.

use thiserror::Error;

use super::inscription::Inscription;

/// The raw units of one token, whatever decimals it was deployed with.
const UNITS: u128 = 1_000_000_000_000_000_000;
/// The maximum supply of a token.
const TOKENS_MAX: u128 = 0xffff_ffff_ffff_ffff;

/// The content of a transfer inscription: an amount of a token for the receiver of the inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brc20Transfer {
    ticker: String,
    amount: u128,
}

/// The reason why there can be no such transfer inscription.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Brc20TransferError {
    /// Tickers have 4 bytes, or 5 if only their deployer can mint.
    #[error("a ticker has 4 or 5 bytes, not {0}")]
    TickerLength(usize),
    /// The ticker contains invisible characters.
    #[error("a ticker has no control characters")]
    TickerCharacter,
    /// The amount is zero; indexers ignore such an inscription.
    #[error("a transfer inscription transfers a positive amount")]
    Nothing,
    /// The amount exceeds the maximum supply of any token.
    #[error("no token has a supply of {0} raw units")]
    TooMuch(u128),
}

impl Brc20Transfer {
    /// Builds the transfer of `amount` raw units of 18 decimals.
    pub fn new(ticker: &str, amount: u128) -> Result<Self, Brc20TransferError> {
        if !matches!(ticker.len(), 4 | 5) {
            return Err(Brc20TransferError::TickerLength(ticker.len()));
        }
        if ticker.chars().any(char::is_control) {
            return Err(Brc20TransferError::TickerCharacter);
        }
        if amount == 0 {
            return Err(Brc20TransferError::Nothing);
        }
        if amount > TOKENS_MAX * UNITS {
            return Err(Brc20TransferError::TooMuch(amount));
        }
        Ok(Self { ticker: ticker.to_owned(), amount })
    }

    /// The ticker as the inscription spells it; indexers ignore case.
    #[must_use]
    pub fn ticker(&self) -> &str {
        &self.ticker
    }

    /// The amount, in raw units of 18 decimals.
    #[must_use]
    pub const fn amount(&self) -> u128 {
        self.amount
    }

    /// The inscription: `{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1.5"}`.
    #[must_use]
    pub fn inscription(&self) -> Inscription {
        // JSON needs no other escapes, because control characters are refused.
        let ticker = self.ticker.replace('\\', "\\\\").replace('"', "\\\"");
        let body = format!(r#"{{"p":"brc-20","op":"transfer","tick":"{ticker}","amt":"{}"}}"#, self.decimal());
        Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body: body.into_bytes() }
    }

    /// The exact decimal without superfluous zeros: indexers ignore a transfer with more decimals than its token has.
    fn decimal(&self) -> String {
        let (whole, part) = (self.amount / UNITS, self.amount % UNITS);
        let text = format!("{whole}.{part:018}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn parsed(transfer: &Brc20Transfer) -> Value {
        serde_json::from_slice(&transfer.inscription().body).unwrap()
    }

    #[test]
    fn amounts_are_written_exactly() {
        let amount = |units| parsed(&Brc20Transfer::new("ordi", units).unwrap())["amt"].as_str().unwrap().to_owned();
        assert_eq!(amount(1), "0.000000000000000001");
        assert_eq!(amount(UNITS), "1");
        assert_eq!(amount(1_000 * UNITS), "1000");
        assert_eq!(amount(UNITS * 3 / 2), "1.5");
        assert_eq!(amount(TOKENS_MAX * UNITS), "18446744073709551615");
    }

    #[test]
    fn a_transfer_that_indexers_ignore_is_refused() {
        let refusal = |ticker, amount| Brc20Transfer::new(ticker, amount).err();
        assert_eq!(refusal("ordi", 1), None);
        assert_eq!(refusal("a\u{1f600}", 1), None, "bytes count, not characters");
        assert_eq!(refusal("ord", 1), Some(Brc20TransferError::TickerLength(3)));
        assert_eq!(refusal("ordina", 1), Some(Brc20TransferError::TickerLength(6)));
        assert_eq!(refusal("or\u{7f}i", 1), Some(Brc20TransferError::TickerCharacter));
        assert_eq!(refusal("ordi", 0), Some(Brc20TransferError::Nothing));
        let most = TOKENS_MAX * UNITS;
        assert_eq!(refusal("ordi", most), None);
        assert_eq!(refusal("ordi", most + 1), Some(Brc20TransferError::TooMuch(most + 1)));
    }

    proptest! {
        #[test]
        fn a_transfer_inscription_states_its_ticker_and_amount(ticker in "[ -~]{4,5}", amount in 1..=TOKENS_MAX * UNITS) {
            let transfer = Brc20Transfer::new(&ticker, amount).unwrap();
            prop_assert_eq!((transfer.ticker(), transfer.amount()), (&*ticker, amount));
            let text = parsed(&transfer)["amt"].as_str().unwrap().to_owned();
            let expected = json!({"p": "brc-20", "op": "transfer", "tick": ticker, "amt": text});
            prop_assert_eq!(parsed(&transfer), expected);
            let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
            let padded = format!("{part:0<18}");
            let units = whole.parse::<u128>().unwrap() * UNITS + padded.parse::<u128>().unwrap();
            prop_assert_eq!((padded.len(), units), (18, amount));
            prop_assert!(!part.ends_with('0'));
        }
    }
}
