//! Groups that lack offers.

use domain::{GroupId, ProcessType};

use crate::demo_group::DemoGroup;
use crate::public_book::PublicBook;

/// A group that accepts offers of a process type and has none that can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vacancy {
    pub(crate) group: GroupId,
    pub(crate) process: ProcessType,
}

/// Whether a group that lenders visit accepts offers of this process type at its price, and has none that can be taken.
pub(crate) fn is_vacant(demo: &DemoGroup, book: &PublicBook, process: ProcessType) -> bool {
    demo.activity.weight() > 0
        && demo.group.is_lending_allowed
        && book.is_open
        && book.price.is_some()
        && demo.group.sub_collections.iter().any(|sub| sub.accepts(process))
        && !book.offers.values().any(|offer| offer.process == process && !offer.is_reserved)
}

/// The vacancies of one group.
pub(crate) fn vacancies<'a>(demo: &'a DemoGroup, book: &'a PublicBook) -> impl Iterator<Item = Vacancy> + 'a {
    let kinds = [ProcessType::Manual, ProcessType::Instant].into_iter();
    let vacant = kinds.filter(move |process| is_vacant(demo, book, *process));
    vacant.map(|process| Vacancy { group: demo.group.id, process })
}
