//! The history of loans as CSV for spreadsheets (RFC 4180).

use domain::{LoanId, Role, Sats, UnixMs};
use engine::wire::{Percent, Txid};
use escrow::utc::utc;

/// The column names. Sums are in whole sats, times in UTC.
const HEADER: [&str; 15] = [
    "loan",
    "role",
    "state",
    "collection",
    "collateral",
    "principal_sats",
    "interest_sats",
    "started",
    "due",
    "ended",
    "payout_sats",
    "platform_fee_sats",
    "apy_percent",
    "transaction",
    "ending_transaction",
];

/// Characters that begin a formula, also in full width, which some spreadsheets treat like the narrow ones.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Characters that separate cells or rows in some spreadsheets.
const PARTS_CELLS: [char; 6] = [',', ';', '\t', '\r', '\n', '"'];

/// One loan of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// The loan.
    pub loan: LoanId,
    /// The side of the loan that the reader is on.
    pub role: Role,
    /// The name of its state.
    pub state: String,
    /// The display name of the collateral's collection.
    pub collection: String,
    /// The collateral: an inscription id, or an amount and its token.
    pub collateral: String,
    /// The principal.
    pub principal: Sats,
    /// Interest for the whole term.
    pub interest: Sats,
    /// The time at which the loan was confirmed.
    pub started_at: Option<UnixMs>,
    /// The due time.
    pub due_at: Option<UnixMs>,
    /// The time at which it was repaid, claimed or given up.
    pub ended_at: Option<UnixMs>,
    /// The sum to repay, interest included.
    pub payout: Sats,
    /// The platform fee that the lender paid, if the reader is the lender.
    pub platform_fee: Option<Sats>,
    /// Annual yield.
    pub apy: Percent,
    /// The transaction that originated it.
    pub transaction: Option<Txid>,
    /// The transaction that ends or ended it.
    pub ending_transaction: Option<Txid>,
}

/// Returns the table of these loans, in their order, after a header line.
///
/// Names are untrusted text: one that a spreadsheet would run as a formula is prefixed with an apostrophe. Figures are
/// written unchanged.
#[must_use]
pub fn csv(rows: &[HistoryRow]) -> String {
    header() + &records(rows)
}

/// The header line.
#[must_use]
pub fn header() -> String {
    let mut text = String::new();
    push_record(&mut text, &HEADER.map(str::to_owned));
    text
}

/// Returns a part of the table, in the order of the rows, so that a long table can be written in parts.
#[must_use]
pub fn records(rows: &[HistoryRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let record = [
            row.loan.to_string(),
            row.role.name().to_owned(),
            row.state.clone(),
            guarded(&row.collection),
            guarded(&row.collateral),
            row.principal.get().to_string(),
            row.interest.get().to_string(),
            time(row.started_at),
            time(row.due_at),
            time(row.ended_at),
            row.payout.get().to_string(),
            row.platform_fee.map(|fee| fee.get().to_string()).unwrap_or_default(),
            percent(row.apy),
            row.transaction.map(|txid| txid.to_string()).unwrap_or_default(),
            row.ending_transaction.map(|txid| txid.to_string()).unwrap_or_default(),
        ];
        push_record(&mut text, &record);
    }
    text
}

/// A time in readable form; empty where there is none, or none that a script could lock to.
fn time(at: Option<UnixMs>) -> String {
    at.and_then(|at| u32::try_from(at.seconds()).ok()).map(utc).unwrap_or_default()
}

/// Percent with two decimal places.
fn percent(percent: Percent) -> String {
    let hundredths = percent.hundredths();
    let (sign, magnitude) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
    format!("{sign}{}.{:02}", magnitude / 100, magnitude % 100)
}

fn push_record(text: &mut String, fields: &[String]) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push_field(text, field);
    }
    text.push_str("\r\n");
}

/// Returns the text with an apostrophe before each formula sign at the beginning of a cell. Depending on the locale,
/// spreadsheets separate cells by commas, semicolons or tabs and then ignore CSV quotes; blanks before a formula are
/// skipped.
fn guarded(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut begins_cell = true;
    for character in text.chars() {
        if begins_cell && FORMULA_SIGNS.contains(&character) {
            safe.push('\'');
        }
        begins_cell = PARTS_CELLS.contains(&character) || (begins_cell && character.is_whitespace());
        safe.push(character);
    }
    safe
}

fn push_field(text: &mut String, field: &str) {
    if field.contains(['"', ',', ';', '\t', '\r', '\n']) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(collection: &str) -> HistoryRow {
        HistoryRow {
            loan: LoanId(0x2a),
            role: Role::Lender,
            state: "REPAID".to_owned(),
            collection: collection.to_owned(),
            collateral: "1,000 FROG•POND".to_owned(),
            principal: Sats::new(500_000),
            interest: Sats::new(6_000),
            started_at: Some(UnixMs(1_709_210_096_000)),
            due_at: Some(UnixMs(1_900_000_000_000)),
            ended_at: None,
            payout: Sats::new(506_000),
            platform_fee: Some(Sats::new(1_200)),
            apy: Percent::from_hundredths(8_605),
            transaction: Some(Txid([0xab; 32])),
            ending_transaction: None,
        }
    }

    /// Parses a table as RFC 4180 defines.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
        let (mut rest, mut is_quoted) = (text.chars().peekable(), false);
        while let Some(character) = rest.next() {
            match (character, is_quoted) {
                ('"', true) if rest.peek() == Some(&'"') => field.extend(rest.next()),
                ('"', _) => is_quoted = !is_quoted,
                (',', false) => record.push(std::mem::take(&mut field)),
                ('\r', false) => {
                    assert_eq!(rest.next(), Some('\n'));
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                }
                (other, _) => field.push(other),
            }
        }
        assert!(!is_quoted && field.is_empty() && record.is_empty());
        records
    }

    #[test]
    fn a_row_is_written_under_its_headers() {
        let text = csv(&[row("Paper Frogs")]);
        let (header, rest) = text.split_once("\r\n").unwrap();
        let columns = "loan,role,state,collection,collateral,principal_sats,interest_sats,started,due,ended,\
                       payout_sats,platform_fee_sats,apy_percent,transaction,ending_transaction";
        assert_eq!(header, columns);
        let line = "ln_2a,lender,REPAID,Paper Frogs,\"1,000 FROG•POND\",500000,6000,\
                    2024-02-29 12:34:56 UTC,2030-03-17 17:46:40 UTC,,506000,1200,86.05,";
        assert_eq!(rest, format!("{line}{},\r\n", "ab".repeat(32)));
    }

    #[test]
    fn a_percentage_has_two_places() {
        for (hundredths, text) in [(0, "0.00"), (7, "0.07"), (-7, "-0.07"), (15_208, "152.08"), (-250, "-2.50")] {
            assert_eq!(percent(Percent::from_hundredths(hundredths)), text);
        }
    }

    #[test]
    fn formulas_of_spreadsheets_are_prefixed() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "=cmd|' /C calc'!A0", "=\"a\",1"] {
            assert_eq!(read(&csv(&[row(text)]))[1][3], format!("'{text}"));
        }
        for (text, safe) in [
            ("  =1", "  '=1"),
            ("\t=1", "\t'=1"),
            ("Frogs;=1+1", "Frogs;'=1+1"),
            ("Frogs, +1", "Frogs, '+1"),
            ("Frogs\n@a", "Frogs\n'@a"),
            ("\"=1", "\"'=1"),
        ] {
            assert_eq!(read(&csv(&[row(text)]))[1][3], safe);
        }
        for text in ["", "a=1", "1-1", "'=1", "\r", "Frogs; 1-1"] {
            assert_eq!(read(&csv(&[row(text)]))[1][3], text);
        }
    }

    /// The largest and smallest figures, and a negative one, which is no formula.
    #[test]
    fn figures_round_trip_to_the_last_digit() {
        let most = Sats::new(2_100_000_000_000_000);
        for (sats, apy) in [(most, i64::MAX), (Sats::new(1), 1), (Sats::ZERO, -725), (Sats::new(123_456_789), 0)] {
            let apy = Percent::from_hundredths(apy);
            let figures = HistoryRow {
                principal: sats,
                interest: sats,
                payout: sats,
                platform_fee: Some(sats),
                apy,
                ..row("Paper Frogs")
            };
            let [_, record] = read(&csv(&[figures])).try_into().unwrap();
            for column in ["principal_sats", "interest_sats", "payout_sats", "platform_fee_sats"] {
                assert_eq!(field(&record, column).parse(), Ok(sats.get()), "{column}");
            }
            let text = field(&record, "apy_percent");
            assert_eq!(text.replace('.', "").parse(), Ok(apy.hundredths()), "{text}");
        }
    }

    fn field<'a>(record: &'a [String], column: &str) -> &'a str {
        let place = HEADER.iter().position(|name| *name == column).unwrap();
        &record[place]
    }

    proptest! {
        #[test]
        fn any_name_round_trips_and_none_begins_a_formula(
            names in proptest::collection::vec("[=+\\-@＝a,;\"'\r\n\t •]{0,12}", 0..8)
        ) {
            let rows: Vec<_> = names.iter().map(|name| row(name)).collect();
            let records = read(&csv(&rows));
            prop_assert_eq!(records.len(), 1 + names.len());
            let (one, other) = rows.split_at(rows.len() / 2);
            prop_assert_eq!(super::header() + &super::records(one) + &super::records(other), csv(&rows));
            for (record, name) in records.iter().skip(1).zip(&names) {
                prop_assert_eq!(record.len(), HEADER.len());
                let unsigned = |text: &str| text.replace('\'', "");
                prop_assert_eq!(unsigned(&record[3]), unsigned(name), "nothing but guards is added");
                for cell in record[3].split(PARTS_CELLS) {
                    prop_assert!(!cell.trim_start().starts_with(FORMULA_SIGNS), "{:?}", record[3]);
                }
            }
        }
    }
}
