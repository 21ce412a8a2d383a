//! Due dates as an iCalendar file (RFC 5545).

use domain::{LoanId, Role, Sats, UnixMs};
use escrow::utc::utc;
use thiserror::Error;

/// The longest line in bytes, without its line end (RFC 5545, section 3.1).
const LINE_LENGTH_MAX: usize = 75;

/// A loan that will be due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDate {
    /// The loan.
    pub loan: LoanId,
    /// The side of the loan that the calendar's owner is on.
    pub role: Role,
    /// The display name of the collateral's collection.
    pub collection: String,
    /// The sum to be repaid, interest included.
    pub payout: Sats,
    /// The due time.
    pub due_at: UnixMs,
}

/// A calendar that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CalendarError {
    /// A time beyond those that scripts can lock to.
    #[error("{0:?} is no time of this calendar")]
    TimeOutOfRange(UnixMs),
}

/// Returns the calendar of these loans for the site `domain`, stamped `now`.
///
/// An entry's UID is made of loan, role and site, so that importing a newer file moves entries instead of duplicating
/// them. Each has an alarm 24 hours before its time.
///
/// # Errors
/// [`CalendarError`] when a time is beyond the year 2106.
pub fn calendar(dates: &[DueDate], domain: &str, now: UnixMs) -> Result<String, CalendarError> {
    let mut text = String::new();
    for line in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lienbook//Loans//EN", "CALSCALE:GREGORIAN"] {
        push_line(&mut text, line);
    }
    push_line(&mut text, "METHOD:PUBLISH");
    for date in dates {
        push_event(&mut text, date, domain, now)?;
    }
    push_line(&mut text, "END:VCALENDAR");
    Ok(text)
}

fn push_event(text: &mut String, date: &DueDate, domain: &str, now: UnixMs) -> Result<(), CalendarError> {
    let DueDate { loan, role, collection, payout, due_at } = date;
    let (title, advice) = match role {
        Role::Borrower => {
            ("Loan to repay", "Begin the repayment before this time, or the lender may claim the collateral.")
        }
        Role::Lender => {
            ("Loan due", "The borrower repays by this time. Otherwise the collateral can be claimed later.")
        }
    };
    let title = format!("{title}: {collection}, {payout} BTC");
    push_line(text, "BEGIN:VEVENT");
    push_line(text, &format!("UID:{loan}-{}@{}", role.name(), escaped(domain)));
    push_line(text, &format!("DTSTAMP:{}", date_time(now)?));
    push_line(text, &format!("DTSTART:{}", date_time(*due_at)?));
    push_line(text, &format!("SUMMARY:{}", escaped(&title)));
    push_line(text, &format!("DESCRIPTION:{}", escaped(&format!("{advice}\nLoan {loan}"))));
    push_line(text, "BEGIN:VALARM");
    push_line(text, "ACTION:DISPLAY");
    push_line(text, "TRIGGER:-PT24H");
    push_line(text, &format!("DESCRIPTION:{}", escaped(&title)));
    push_line(text, "END:VALARM");
    push_line(text, "END:VEVENT");
    Ok(())
}

/// A time in UTC: `20300317T174640Z`.
fn date_time(at: UnixMs) -> Result<String, CalendarError> {
    let seconds = u32::try_from(at.seconds()).map_err(|_| CalendarError::TimeOutOfRange(at))?;
    let digits: String = utc(seconds).chars().filter(char::is_ascii_digit).collect();
    let (date, time) = digits.split_at(8);
    Ok(format!("{date}T{time}Z"))
}

/// A text value (RFC 5545, section 3.3.11). Control characters are dropped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            other if other.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

/// Writes a content line, folded between characters so that no line is too long.
fn push_line(text: &mut String, line: &str) {
    let mut length = 0;
    for character in line.chars() {
        if length + character.len_utf8() > LINE_LENGTH_MAX {
            text.push_str("\r\n ");
            length = 1;
        }
        text.push(character);
        length += character.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: UnixMs = UnixMs(1_709_210_096_000);

    fn due(collection: &str) -> DueDate {
        DueDate {
            loan: LoanId(0x2a),
            role: Role::Borrower,
            collection: collection.to_owned(),
            payout: Sats::new(506_000),
            due_at: UnixMs(1_900_000_000_000),
        }
    }

    /// Parses a file as RFC 5545 defines: unfolds, splits at line ends, unescapes text.
    fn read(text: &str) -> Vec<(String, String)> {
        let unfolded = text.replace("\r\n ", "");
        let lines = unfolded.strip_suffix("\r\n").unwrap().split("\r\n");
        lines
            .map(|line| {
                let (name, value) = line.split_once(':').unwrap();
                let (mut plain, mut rest) = (String::new(), value.chars());
                while let Some(character) = rest.next() {
                    plain.push(match character {
                        '\\' => match rest.next().unwrap() {
                            'n' => '\n',
                            other => other,
                        },
                        other => other,
                    });
                }
                (name.to_owned(), plain)
            })
            .collect()
    }

    #[test]
    fn an_entry_has_loan_sum_and_time_and_an_alarm_a_day_before() {
        let text = calendar(&[due("Paper Frogs")], "lienbook.example", NOW).unwrap();
        for line in [
            "UID:ln_2a-borrower@lienbook.example",
            "DTSTAMP:20240229T123456Z",
            "DTSTART:20300317T174640Z",
            "SUMMARY:Loan to repay: Paper Frogs\\, 0.00506000 BTC",
            "TRIGGER:-PT24H",
        ] {
            assert!(text.contains(&format!("\r\n{line}\r\n")), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn an_entry_keeps_its_uid_when_it_moves_and_sides_have_their_own() {
        let uid = |date: DueDate| {
            let lines = read(&calendar(&[date], "a.example", NOW).unwrap());
            lines.into_iter().find(|(name, _)| name == "UID").unwrap().1
        };
        assert_eq!(uid(due("a")), uid(DueDate { due_at: NOW, payout: Sats::new(1), ..due("b") }));
        assert_ne!(uid(due("a")), uid(DueDate { role: Role::Lender, ..due("a") }));
        assert_ne!(uid(due("a")), uid(DueDate { loan: LoanId(1), ..due("a") }));
    }

    #[test]
    fn a_time_that_no_script_can_lock_to_is_refused() {
        let late = UnixMs((u64::from(u32::MAX) + 1) * 1_000);
        let refused = Err(CalendarError::TimeOutOfRange(late));
        assert_eq!(calendar(&[DueDate { due_at: late, ..due("a") }], "a.example", NOW), refused);
        assert_eq!(calendar(&[due("a")], "a.example", late), refused);
    }

    proptest! {
        #[test]
        fn any_name_round_trips_and_no_line_is_too_long(name in "[a-zé\u{1f438}\\\\;,:\"\r\n\t ]{0,200}") {
            let text = calendar(&[due(&name), due("plain")], "a.example", NOW).unwrap();
            for line in text.strip_suffix("\r\n").unwrap().split("\r\n") {
                prop_assert!(line.len() <= 75 && !line.contains(['\r', '\n']), "{:?}", line);
            }
            let lines = read(&text);
            let shown: String = name.chars().filter(|it| *it == '\n' || !it.is_control()).collect();
            let title = format!("Loan to repay: {shown}, 0.00506000 BTC");
            prop_assert_eq!(lines.iter().filter(|(name, value)| name == "SUMMARY" && *value == title).count(),
                if shown == "plain" { 2 } else { 1 });
            prop_assert_eq!(lines.iter().filter(|(name, _)| name == "BEGIN").count(), 5);
        }
    }
}
