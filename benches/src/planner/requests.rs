//! The requests of the two-sided mix: placed, withdrawn and filled.

use std::sync::Arc;

use domain::{
    Allowance, BorrowRequest, Command, Inscription, InterestRate, Limits, NamedBorrower, OfferDraft, Quantity,
    RequestId, RequestTerms, Sats, Taker, TermDays, UserId,
};
use rand::RngExt as _;

use super::{BORROWERS_FROM, Planner, START, user};
use crate::{
    book_log::{Kind, Step},
    market::{FLOOR, RANKINGS, place_of},
};

impl Planner {
    /// Lets a borrower ask for 20 to 60 % of the floor against an inscription; with too many requests one is withdrawn.
    pub fn request(&mut self, steps: &mut Vec<Step>) {
        if self.requests.len() >= BorrowRequest::PER_BOOK_MAX / 2 {
            return self.withdraw(steps);
        }
        self.serial += 1;
        let mut txid = [0; 32];
        txid[..16].copy_from_slice(&self.serial.to_le_bytes());
        let user = UserId(BORROWERS_FROM + 10_000 + u64::try_from(self.serial).expect("short logs"));
        let terms = Arc::new(RequestTerms {
            borrower: NamedBorrower { user, payment_address: format!("bc1qborrower{}", user.0) },
            inscriptions: vec![Inscription { txid, index: 0 }],
            quantity: Quantity::inscriptions(1),
            principal: Sats::new(FLOOR.get() / 100 * self.rng.random_range(20..60)),
            interest_max: InterestRate::from_basis_points(2_000),
            term_min: TermDays(1),
            term_max: TermDays(90),
            good_until: START.plus_ms(BorrowRequest::GOOD_FOR_MAX_MS),
        });
        self.act(Kind::Request, Command::PlaceRequest { terms, held_raw: None }, steps);
    }

    /// Lets a borrower withdraw a request.
    pub fn withdraw(&mut self, steps: &mut Vec<Step>) {
        let Some((request, borrower)) = self.any_request() else { return };
        self.act(Kind::Withdraw, Command::WithdrawRequest { borrower, request }, steps);
    }

    /// Lets a lender fill a request, and its borrower take the offer.
    pub fn fill_request(&mut self, steps: &mut Vec<Step>) {
        let Some((request, borrower)) = self.any_request() else { return };
        let terms = &self.book.request(request).expect("the request is open").terms;
        let (principal, inscriptions) = (terms.principal, terms.inscriptions.clone());
        let lender = user(self.rng.random_range(0..self.vaults.len()));
        let (sub_collection, process) = place_of(self.rng.random_range(0..RANKINGS / 2) * 2);
        let draft = OfferDraft::plain(sub_collection, process, principal);
        if self.book.offers_of(lender).count() >= usize::from(Limits::default().offers_per_lender_max) {
            return;
        }
        let (usable, allowance) = (None, Allowance::default());
        self.act(Kind::Fill, Command::FillRequest { lender, request, draft, usable, allowance }, steps);
        let offer = self.offers.last().expect("the offer was created").0;
        self.take(offer, Taker { inscriptions, ..Taker::new(borrower) }, steps);
    }

    fn any_request(&mut self) -> Option<(RequestId, UserId)> {
        let count = self.requests.len();
        (count > 0).then(|| self.requests[self.rng.random_range(0..count)])
    }
}
