//! A backtest from the record to the report.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::Slug;
use thiserror::Error;

use crate::book_reader::BookReader;
use crate::budget::{self, Facts};
use crate::figures::Figures;
use crate::history::History;
use crate::report::{CollectionReport, Report};
use crate::rule::Rule;

/// The reason why there is no report.
#[derive(Debug, Error)]
pub enum BacktestError<E> {
    /// The record cannot be read.
    #[error(transparent)]
    History(E),
    /// The rule names a collection that is not in the record.
    #[error("there is no collection {0}")]
    UnknownCollection(Slug),
    /// No event is in the time of the rule.
    #[error("nothing is recorded in this time")]
    Empty,
}

/// Tests a rule on a record. The result follows from both alone.
///
/// # Errors
/// [`BacktestError`].
pub fn run<H: History>(rule: &Rule, history: &H) -> Result<Report, BacktestError<H::Error>> {
    let groups = history.groups().map_err(BacktestError::History)?;
    let known: BTreeSet<&Slug> = groups.iter().map(|group| &group.slug).collect();
    if let Some(unknown) = rule.collections.iter().find(|slug| !known.contains(slug)) {
        return Err(BacktestError::UnknownCollection(unknown.clone()));
    }
    let (mut acceptances, mut placed_before, mut extent) = (Vec::new(), BTreeMap::new(), None);
    for group in groups.iter().filter(|group| rule.chooses(group)) {
        let mut reader = BookReader::new(rule, group.clone());
        history.book_events(group.id, &mut |event, at| reader.take(event, at)).map_err(BacktestError::History)?;
        let read = reader.finish();
        acceptances.extend(read.acceptances);
        placed_before.insert(group.id, read.placed_before);
        extent = match (extent, read.extent) {
            (Some((first, last)), Some((from, until))) => Some((from.min(first), until.max(last))),
            (one, other) => one.or(other),
        };
    }
    let (first, end) = extent.ok_or(BacktestError::Empty)?;
    let from = rule.from.map_or(first, |from| from.max(first));
    if from > end {
        return Err(BacktestError::Empty);
    }
    let mut deals = HashMap::new();
    for record in acceptances.iter().flat_map(|one| &one.loans) {
        if let Some(deal) = history.deal(record.loan).map_err(BacktestError::History)? {
            deals.insert(record.loan, deal);
        }
    }
    let facts = Facts { deals: &deals, placed_before: &placed_before, end };
    let by_group = budget::figures(&acceptances, rule.budget, &facts);
    let mut total = Figures::default();
    for figures in by_group.values() {
        total.add(figures);
    }
    let collections = groups.into_iter().filter_map(|group| {
        let figures = *by_group.get(&group.id)?;
        let yield_on_lent = figures.yield_on(figures.sat_ms);
        Some(CollectionReport { group: group.id, collection: group.slug, figures, yield_on_lent })
    });
    let budget_ms = u128::from(rule.budget.get()) * u128::from(end.0 - from.0);
    Ok(Report {
        from,
        until: end,
        budget_sats: rule.budget.get(),
        collections: collections.collect(),
        result_sats: total.result_sats(),
        yield_on_budget: total.yield_on(budget_ms),
        yield_on_lent: total.yield_on(total.sat_ms),
        total,
    })
}
