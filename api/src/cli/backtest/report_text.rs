//! The report of a backtest as a table.

use backtest::{Figures, Report};

use super::super::moment;
use crate::number::grouped;

/// The assumption that every report states.
pub(super) const ASSUMPTION: &str = "The market does not react: others quote, accept, repay and default as recorded.";

const HEADINGS: [&str; 9] = [
    "collection",
    "loans",
    "lent sats",
    "interest",
    "fees",
    "defaults",
    "their principal",
    "their floor",
    "yield p.a. on lent",
];

/// Returns the table, the sums, and the assumption.
pub(super) fn text(report: &Report) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    for one in &report.collections {
        rows.push(row(&one.collection.to_string(), &one.figures, one.yield_on_lent));
    }
    rows.push(row("total", &report.total, report.yield_on_lent));
    let mut lines = aligned(&rows);
    let Figures { running, beyond_budget, .. } = report.total;
    lines.extend([
        String::new(),
        format!("From {} until {}.", moment::shown(report.from), moment::shown(report.until)),
        format!(
            "Result: {} sats, {} p.a. on the budget of {} sats.",
            signed(report.result_sats),
            percent(report.yield_on_budget),
            grouped(report.budget_sats)
        ),
        format!(
            "Still running: {} loans of {} sats, without their interest. Beyond the budget: {} acceptances.",
            grouped(running.count),
            grouped(running.principal_sats),
            grouped(beyond_budget)
        ),
        ASSUMPTION.to_owned(),
        "Interest is not lent again. A default counts with the floor of its collateral at the time of the claim."
            .to_owned(),
    ]);
    lines.join("\n") + "\n"
}

fn row(name: &str, figures: &Figures, yield_on_lent: Option<i64>) -> [String; 9] {
    let defaults = figures.defaults;
    let numbers = [
        figures.loans,
        figures.lent_sats,
        figures.interest_sats,
        figures.fees_sats,
        defaults.count,
        defaults.principal_sats,
        defaults.collateral_sats,
    ];
    let [loans, lent, interest, fees, count, principal, collateral] = numbers.map(grouped);
    [name.to_owned(), loans, lent, interest, fees, count, principal, collateral, percent(yield_on_lent)]
}

/// Names are aligned to the left, numbers to the right.
fn aligned(rows: &[[String; 9]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 9] = std::array::from_fn(width);
    let line = |row: &[String; 9]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

fn percent(hundredths: Option<i64>) -> String {
    let Some(hundredths) = hundredths else { return "-".to_owned() };
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02} %", grouped(size / 100), size % 100)
}

fn signed(sats: i128) -> String {
    let sign = if sats < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(u64::try_from(sats.unsigned_abs()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_signed_and_grouped() {
        assert_eq!(percent(Some(-39_489)), "-394.89 %");
        assert_eq!(percent(Some(5)), "0.05 %");
        assert_eq!(percent(None), "-");
        assert_eq!(signed(-94_125), format!("-{}", grouped(94_125)));
    }

    #[test]
    fn columns_are_aligned() {
        let row =
            |first: &str, other: &str| std::array::from_fn(|column| if column == 0 { first } else { other }.to_owned());
        assert_eq!(aligned(&[row("a", "1"), row("bc", "23")])[0], "a    1   1   1   1   1   1   1   1");
    }
}
