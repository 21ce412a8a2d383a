//! Shorthands for the actions of lenders and borrowers.

use domain::{
    Command, GroupId, OfferDraft, OfferId, Outpoint, ProcessType, Quantity, ReservationId, Sats, SubCollectionId,
    UserId,
};
use engine::{Applied, Refusal, ReserveRequest, clock::Clock};

use crate::fixture::{FROGS, Fixture, GOLD, INSTANT, MANUAL, percent};

/// A draft for one frog.
pub(crate) fn frog_draft(process: ProcessType, principal: u64) -> OfferDraft {
    OfferDraft {
        max_ltv: if matches!(process, ProcessType::Instant) { Some(percent(90)) } else { None },
        ..OfferDraft::plain(SubCollectionId(0), process, Sats::new(principal))
    }
}

/// A draft for gold worth 1,000,000 sats.
pub(crate) fn gold_draft(principal: u64) -> OfferDraft {
    let quantity = Some(Quantity::tokens(10_000_000, 2));
    OfferDraft { quantity, ..frog_draft(INSTANT, principal) }
}

/// Creates one offer.
pub(crate) const fn create(lender: UserId, draft: OfferDraft) -> Command {
    Command::Create { lender, draft, count: 1, usable: None }
}

/// An outpoint that is unique to `number`.
pub(crate) const fn outpoint(number: u8) -> Outpoint {
    Outpoint { txid: [number; 32], vout: 0 }
}

impl Fixture {
    pub(crate) async fn submit(&self, group: GroupId, command: Command) -> Result<Applied, Refusal> {
        self.market.command(group, command, None).await
    }

    /// A manual offer for a frog.
    pub(crate) async fn manual(&self, lender: UserId, principal: u64) -> OfferId {
        let applied = self.submit(FROGS, create(lender, frog_draft(MANUAL, principal))).await.unwrap();
        applied.offers[0].offer_id.0
    }

    /// An instant offer for a frog.
    pub(crate) async fn instant(&self, lender: UserId, principal: u64) -> OfferId {
        let applied = self.submit(FROGS, create(lender, frog_draft(INSTANT, principal))).await.unwrap();
        applied.offers[0].offer_id.0
    }

    /// An instant offer for gold.
    pub(crate) async fn gold(&self, lender: UserId, principal: u64) -> OfferId {
        let applied = self.submit(GOLD, create(lender, gold_draft(principal))).await.unwrap();
        applied.offers[0].offer_id.0
    }

    /// A reservation of all that is left, pledging outpoint `number`, for ten minutes.
    pub(crate) fn reserve_request(&self, number: u8, offer: OfferId, borrower: UserId) -> ReserveRequest {
        ReserveRequest {
            reservation: ReservationId(u128::from(number)),
            offer,
            borrower,
            pledged_raw: None,
            inscriptions: Vec::new(),
            outpoints: vec![outpoint(number)],
            expires_at: self.clock.now().plus_ms(600_000),
        }
    }

    pub(crate) async fn reserve(&self, number: u8, offer: OfferId, borrower: UserId) -> Result<ReservationId, Refusal> {
        let request = self.reserve_request(number, offer, borrower);
        self.market.reserve(request, None).await.map(|reservation| reservation.id)
    }
}
