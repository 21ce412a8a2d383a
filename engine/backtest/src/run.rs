//! A backtest from the record to the report.

use std::collections::{BTreeMap, BTreeSet};

use domain::{CollectionGroup, LoanId, OfferId, Slug, UnixMs};
use thiserror::Error;

use crate::acceptance::{Acceptance, Candidate};
use crate::book_reader::BookReader;
use crate::budget::{self, Facts};
use crate::deal_terms::DealTerms;
use crate::figures::Figures;
use crate::history::History;
use crate::report::{CollectionReport, Report};
use crate::rule::Rule;
use crate::tape::Tape;

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
    let (mut tapes, mut placed_before, mut extent) = (Vec::new(), BTreeMap::new(), None);
    for group in groups.iter().filter(|group| rule.chooses(group)) {
        let mut reader = BookReader::new(rule, group.clone());
        history.book_events(group.id, &mut |event, at| reader.take(event, at)).map_err(BacktestError::History)?;
        let (tape, before) = reader.finish();
        placed_before.insert(group.id, before);
        extent = match (extent, tape.extent()) {
            (Some((first, last)), Some((from, until))) => Some((from.min(first), until.max(last))),
            (one, other) => one.or(other),
        };
        tapes.push(tape);
    }
    let (first, end) = extent.ok_or(BacktestError::Empty)?;
    let from = rule.from.map_or(first, |from| from.max(first));
    if from > end {
        return Err(BacktestError::Empty);
    }
    let candidates = candidates(rule, tapes.iter().flat_map(Tape::acceptances));
    let mut deals = BTreeMap::new();
    for loan in candidates.iter().flat_map(|one| one.acceptance.loans()) {
        if let Some(deal) = history.deal(loan).map_err(BacktestError::History)? {
            deals.insert(loan, DealTerms::from(&deal));
        }
    }
    let facts = Facts { deals: &deals, placed_before: &placed_before, end };
    Ok(report(rule, &candidates, &groups, from, &facts))
}

/// Tests a rule on the acceptances of one book, whose record began at `began` and ends now. A rule that quotes later than
/// that places its first offer just before the first acceptance in its time.
#[must_use]
pub fn run_on_acceptances<'a>(
    rule: &Rule,
    group: &CollectionGroup,
    acceptances: impl IntoIterator<Item = &'a Acceptance>,
    deals: &BTreeMap<LoanId, DealTerms>,
    began: UnixMs,
    now: UnixMs,
) -> Report {
    let candidates = candidates(rule, acceptances);
    let from = rule.from.map_or(began, |from| from.max(began)).min(now);
    let first = OfferId::new(group.id, 1).filter(|_| from == began);
    let placed_before = first.into_iter().map(|first| (group.id, first)).collect();
    let facts = Facts { deals, placed_before: &placed_before, end: now };
    report(rule, &candidates, std::slice::from_ref(group), from, &facts)
}

fn candidates<'a>(rule: &Rule, acceptances: impl IntoIterator<Item = &'a Acceptance>) -> Vec<Candidate<'a>> {
    acceptances.into_iter().filter_map(|acceptance| rule.candidate(acceptance)).collect()
}

fn report(
    rule: &Rule,
    candidates: &[Candidate<'_>],
    groups: &[CollectionGroup],
    from: UnixMs,
    facts: &Facts<'_>,
) -> Report {
    let budget::Outcome { by_group, loans } = budget::outcome(candidates, rule.budget, facts);
    let mut total = Figures::default();
    for figures in by_group.values() {
        total.add(figures);
    }
    let collections = groups.iter().filter_map(|group| {
        let figures = *by_group.get(&group.id)?;
        let yield_on_lent = figures.yield_on_lent();
        Some(CollectionReport { group: group.id, collection: group.slug.clone(), figures, yield_on_lent })
    });
    let budget_ms = u128::from(rule.budget.get()) * u128::from(facts.end.0 - from.0);
    Report {
        from,
        until: facts.end,
        budget_sats: rule.budget.get(),
        collections: collections.collect(),
        result_sats: total.result_sats(),
        yield_on_budget: total.yield_on_budget(budget_ms),
        yield_on_lent: total.yield_on_lent(),
        total,
        loans,
    }
}
