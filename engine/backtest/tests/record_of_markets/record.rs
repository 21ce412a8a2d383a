//! A record in memory, and the collection in it.

use std::collections::BTreeMap;
use std::convert::Infallible;

use backtest::{History, Principal, Rule};
use domain::{
    BookEvent, Bundle, CollateralType, CollectionGroup, DAY_MS, GroupId, InterestRate, LoanDeal, LoanEnd, LoanId, Ltv,
    OfferId, OfferTerms, PledgedIds, ProcessType, Quantity, ReleaseReason, Reservation, ReservationId, Sats,
    SubCollection, SubCollectionId, TermDays, UnitPrice, UnixMs, UserId,
};

#[derive(Default)]
pub struct Record {
    pub groups: Vec<CollectionGroup>,
    pub events: Vec<(GroupId, UnixMs, BookEvent)>,
    pub deals: BTreeMap<LoanId, LoanDeal>,
}

impl History for Record {
    type Error = Infallible;

    fn groups(&self) -> Result<Vec<CollectionGroup>, Infallible> {
        Ok(self.groups.clone())
    }

    fn book_events(&self, group: GroupId, each: &mut dyn FnMut(&BookEvent, UnixMs)) -> Result<(), Infallible> {
        self.events.iter().filter(|(of, _, _)| *of == group).for_each(|(_, at, event)| each(event, *at));
        Ok(())
    }

    fn deal(&self, loan: LoanId) -> Result<Option<LoanDeal>, Infallible> {
        Ok(self.deals.get(&loan).cloned())
    }
}

/// A collection of inscriptions with a term of 7 days at 1.2 % and one of 30 days at 4 %.
pub fn group(id: u32, slug: &str) -> CollectionGroup {
    let place = |number: u16, days: u16, interest: u32| SubCollection {
        id: SubCollectionId(number),
        slug: format!("{slug}-{days}d").parse().unwrap(),
        term: TermDays(days),
        interest: InterestRate::from_basis_points(interest),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: false,
    };
    CollectionGroup {
        id: GroupId(id),
        slug: slug.parse().unwrap(),
        name: slug.into(),
        symbol: slug.into(),
        image: "".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![place(0, 7, 120), place(1, 30, 400)],
    }
}

pub fn half_of_floor(budget: u64) -> Rule {
    Rule {
        principal: Principal::Ltv(Ltv::from_basis_points(5_000)),
        process: ProcessType::Manual,
        budget: Sats::new(budget),
        interest_min: InterestRate::from_basis_points(0),
        term: None,
        collections: [].into(),
        from: None,
        until: None,
    }
}

pub fn day(number: u64) -> UnixMs {
    UnixMs(1_700_000_000_000 + number * DAY_MS)
}

/// The events of one book.
pub struct BookOf(pub u32);

impl BookOf {
    pub fn offer_id(&self, number: u64) -> OfferId {
        OfferId::new(GroupId(self.0), number).unwrap()
    }

    pub fn offer(&self, number: u64, lender: u64, sub: u16, principal: u64) -> BookEvent {
        let terms = OfferTerms {
            sub_collection: SubCollectionId(sub),
            process: ProcessType::Manual,
            principal: Sats::new(principal),
            quantity: Quantity::inscriptions(1),
            smallest_take: Sats::new(principal),
            max_ltv: None,
            accepts_next_term: false,
        };
        BookEvent::OfferCreated { offer: self.offer_id(number), lender: UserId(lender), terms }
    }

    pub fn reserve(&self, reservation: u128, offer: u64, principal: u64) -> BookEvent {
        BookEvent::OfferReserved(Reservation {
            id: ReservationId(reservation),
            offer: self.offer_id(offer),
            borrower: UserId(999),
            principal: Sats::new(principal),
            pledged_raw: 1,
            expires_at: day(9_999),
        })
    }
}

pub fn price(sats: u64, at: UnixMs) -> BookEvent {
    BookEvent::PriceMoved { price: UnitPrice::from_sats(Sats::new(sats)).unwrap(), observed_at: at }
}

pub fn confirm(reservation: u128) -> BookEvent {
    BookEvent::ReservationConfirmed { reservation: ReservationId(reservation), loan: LoanId(reservation) }
}

pub fn release(reservation: u128) -> BookEvent {
    BookEvent::ReservationReleased { reservation: ReservationId(reservation), reason: ReleaseReason::Expired }
}

pub fn end(loan: u128, end: LoanEnd) -> BookEvent {
    BookEvent::LoanEnded { loan: LoanId(loan), end }
}

pub fn deal(book: u32, principal: u64, rate: u32, fee: u64) -> LoanDeal {
    let (principal, rate) = (Sats::new(principal), InterestRate::from_basis_points(rate));
    LoanDeal {
        offer: OfferId::new(GroupId(book), 1).unwrap(),
        sub_collection: SubCollectionId(0),
        process: ProcessType::Manual,
        lender: UserId(1),
        borrower: UserId(999),
        principal,
        rate,
        interest: rate.of(principal).unwrap(),
        platform_fee: Sats::new(fee),
        pledged_raw: 1,
        pledged_ids: PledgedIds::default(),
        term: TermDays(7),
        claim_after: day(9_999),
        follows: None,
    }
}
