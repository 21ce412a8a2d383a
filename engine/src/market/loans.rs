//! Loans: each step in one batch with its consequences for the book, the vault and the pledges.
//!
//! A loan and the reservation that it was made from have the same number.

use domain::{
    BlockTime, BorrowerRecord, CancelledBy, Command, Ending, Inscription, LoanAccount, LoanEnd, LoanEvent, LoanId,
    LoanRejection, LoanStage, Outpoint, PledgedIds, ReservationId, UnixMs, UserId,
};

use crate::{
    Applied, LoanList, NonceUse, Refusal, ReserveRequest, asset_index::InscriptionId, book_actor::LedgerEffects,
    ledger::LoanRange, touched_books,
};

use super::Market;

/// A fully signed loan that is about to be broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedLoan {
    /// The id of its transaction, in internal byte order.
    pub txid: [u8; 32],
    /// The transactions, and the data that is needed to end the loan.
    pub running: String,
    /// The outputs that a vault spends, if any.
    pub vault: Option<domain::VaultSpend>,
    /// The loan that the same transaction ends, and the event that ends it, applied in the same batch.
    pub ends: Option<(LoanId, LoanEvent)>,
}

/// The inscriptions that a loan pledges, ascending.
fn pledged_inscriptions(ids: &PledgedIds) -> Vec<Inscription> {
    let parsed = ids.iter().filter_map(|id| id.parse::<InscriptionId>().ok());
    let mut inscriptions: Vec<Inscription> = parsed.map(Into::into).collect();
    inscriptions.sort_unstable();
    inscriptions
}

impl Market {
    /// A loan.
    pub async fn loan(&self, id: LoanId) -> Option<LoanAccount> {
        self.shared.ledger.loan(id).await
    }

    /// The loans of a user on either side, the earliest prepared first, with all their data.
    pub async fn loans_of(&self, user: UserId) -> Vec<LoanAccount> {
        self.shared.ledger.loans_of(user).await
    }

    /// The latest loan of a user on either side that has not ended and that `is_wanted` selects. The ledger is not
    /// blocked by the search, however many loans there are.
    pub async fn open_loan_of(
        &self,
        user: UserId,
        is_wanted: impl Fn(&LoanAccount) -> bool + Send,
    ) -> Option<LoanAccount> {
        let range = LoanRange { list: LoanList::Open, after: None, from: UnixMs(0) };
        let pick = |loan: &LoanAccount, _| is_wanted(loan).then(|| loan.clone());
        let found = self.shared.ledger.pick_loans(user, range, (1, usize::MAX), pick).await?;
        found.picked.into_iter().next().map(|(_, loan)| loan)
    }

    /// The loans that the chain can still change: running ones, and those that ended on it until
    /// [`Market::forget_watched_loan`]. Only their ids: there may be thousands.
    pub async fn watched_loans(&self) -> Vec<LoanId> {
        self.shared.ledger.watched_loans().await
    }

    /// The loans that wait for their lender's signature.
    pub async fn loans_awaiting_lender(&self) -> Vec<LoanAccount> {
        self.shared.ledger.loans_awaiting_lender().await
    }

    /// Stops watching a loan whose end is buried so deep that it is final. After a restart it is watched again.
    pub fn forget_watched_loan(&self, id: LoanId) {
        self.shared.ledger.lock().forget_watched(id);
    }

    /// Stops watching the loans that ended in a block up to this height, as [`Market::forget_watched_loan`] does: after
    /// a restart all loans that ever ended are watched again.
    pub fn forget_loans_ended(&self, height: u32) {
        self.shared.ledger.lock().forget_ended(height);
    }

    /// Stores a loan for its borrower to sign. Nothing is reserved for it before the borrower has signed. `prepared` is
    /// a [`LoanEvent::SoftPrepared`].
    ///
    /// # Errors
    /// [`LoanRejection::TooManyPrepared`], [`LoanRejection::Postponed`]; [`Refusal::Asset`] and [`Refusal::Order`] when
    /// a coin is locked otherwise.
    pub async fn prepare_loan(&self, id: LoanId, prepared: LoanEvent) -> Result<(), Refusal> {
        let offer = prepared.opened_deal().map(|deal| deal.offer);
        self.on_ledger(|ledger, now| Ok((ledger.prepare_loan(id, prepared, now)?, ()))).await?;
        if let Some(offer) = offer {
            touched_books::note_prepared(offer);
        }
        Ok(())
    }

    /// Reserves offer, vault and collateral for the borrower of an instant loan, whose signatures were verified: all or
    /// nothing. Other prepared loans that would take the same end.
    ///
    /// # Errors
    /// Those of the book when the offer was taken by another borrower, paused or removed; [`Refusal::DealChanged`] when
    /// the book would reserve something else; [`Refusal::Asset`] when a coin is locked otherwise.
    pub async fn hold_loan(&self, id: LoanId, expires_at: UnixMs) -> Result<(), Refusal> {
        self.hold(id, LoanEvent::Held { expires_at }, expires_at).await
    }

    /// Stores the borrower's signatures, and reserves everything until the lender has signed.
    ///
    /// # Errors
    /// As [`Market::hold_loan`].
    pub async fn await_lender(&self, id: LoanId, answer: String, expires_at: UnixMs) -> Result<(), Refusal> {
        let signed = LoanEvent::BorrowerSigned { answer, expires_at };
        if self.existing_loan(id).await?.extended_until.is_some() {
            return self.step_loan(id, signed).await;
        }
        self.hold(id, signed, expires_at).await
    }

    /// The loans of other borrowers that lock some of these outputs and that only their borrowers have signed.
    #[must_use]
    pub fn evictable(&self, owner: UserId, outpoints: &[Outpoint]) -> Vec<LoanId> {
        let ledger = self.shared.ledger.lock();
        let state = ledger.state();
        let holders =
            outpoints.iter().filter_map(|outpoint| state.pledged_for(outpoint)).map(|holder| LoanId(holder.0));
        let mut evictable: Vec<LoanId> = holders.filter(|id| state.is_evictable(*id, owner)).collect();
        evictable.dedup();
        evictable
    }

    /// Refuses a dropped loan that another borrower's signature ended, if it is still remembered.
    ///
    /// # Errors
    /// [`LoanRejection::Taken`].
    pub fn check_taken(&self, id: LoanId) -> Result<(), LoanRejection> {
        self.shared.ledger.lock().state().taken(id).map_or(Ok(()), Err)
    }

    /// The outcomes of a borrower's loans.
    #[must_use]
    pub fn borrower_record(&self, borrower: UserId) -> BorrowerRecord {
        self.shared.ledger.lock().state().borrower_record(borrower)
    }

    /// Stores a rebuilt transaction, for the borrower to sign again; from now on these outputs are locked for it and no
    /// others.
    ///
    /// # Errors
    /// [`Refusal::Asset`] when one of them is locked for another loan.
    pub async fn rebuild_loan(
        &self,
        id: LoanId,
        contract: String,
        outpoints: Vec<Outpoint>,
        expires_at: UnixMs,
    ) -> Result<Applied, Refusal> {
        let rebuilt = LoanEvent::Rebuilt { contract, expires_at };
        self.extend_hold(id, rebuilt, outpoints, expires_at).await
    }

    /// The reservation that an output is locked for.
    #[must_use]
    pub fn reservation_of_output(&self, outpoint: &Outpoint) -> Option<ReservationId> {
        self.shared.ledger.lock().state().pledged_for(outpoint)
    }

    /// The market's current time.
    #[must_use]
    pub fn now(&self) -> UnixMs {
        self.shared.clock.now()
    }

    /// Begins a fully signed loan: the offer is used, the vault's sats leave, and the loan enters the book.
    pub async fn begin_loan(&self, id: LoanId, signed: SignedLoan, nonce_use: Option<NonceUse>) -> Result<(), Refusal> {
        let SignedLoan { txid, running, vault, ends } = signed;
        let loans = ends.into_iter().chain([(id, LoanEvent::Signed { txid, running, vault })]).collect();
        let loan = self.existing_loan(id).await?;
        if loan.extended_until.is_some() {
            return self.begin_extension(&loan, loans).await;
        }
        let command = Command::Confirm { reservation: ReservationId(id.0), loan: id };
        self.submit_for_loan(id, command, LedgerEffects { nonce_use, loans, ..LedgerEffects::default() })
            .await
            .map(drop)
    }

    /// Cancels a loan that will not be signed any more, whichever side's signature is missing: offer, vault and
    /// collateral are free again.
    pub async fn cancel_loan(&self, id: LoanId, by: CancelledBy) -> Result<(), Refusal> {
        self.cancel_from(id, None, by).await
    }

    /// Cancels a loan for a reason that held at the stage that was seen. A loan that never began and is already over is
    /// not an error.
    ///
    /// # Errors
    /// [`LoanRejection::WrongStage`] when it was signed in the meantime: then it goes on.
    pub async fn cancel_loan_at_stage(&self, seen: &LoanAccount, by: CancelledBy) -> Result<(), Refusal> {
        let Err(refusal) = self.cancel_from(seen.id, Some(seen.stage), by).await else { return Ok(()) };
        let stage = self.loan(seen.id).await.map(|loan| loan.stage);
        let is_over = matches!(stage, None | Some(LoanStage::Cancelled | LoanStage::Lapsed));
        if is_over && matches!(refusal, Refusal::Loan(_)) { Ok(()) } else { Err(refusal) }
    }

    async fn cancel_from(&self, id: LoanId, seen: Option<LoanStage>, by: CancelledBy) -> Result<(), Refusal> {
        let cancelled = LoanEvent::Cancelled { by };
        if self.existing_loan(id).await?.is_outside_book() {
            match self.end_outside_book(id, seen, cancelled.clone()).await {
                // Its borrower's signatures arrived in the meantime.
                Err(Refusal::Loan(LoanRejection::Reserved(_))) => {}
                ended => return ended,
            }
        }
        let command = Command::Release { reservation: ReservationId(id.0) };
        let seen = seen.map(|stage| (id, stage));
        let effects = LedgerEffects { loans: vec![(id, cancelled)], seen, ..LedgerEffects::default() };
        self.submit_for_loan(id, command, effects).await.map(drop)
    }

    /// Fails a loan that can never begin, because its coins were spent otherwise.
    pub async fn fail_loan(&self, id: LoanId) -> Result<(), Refusal> {
        let loan = self.existing_loan(id).await?;
        if loan.extended_until.is_some() {
            return self.fail_extension(&loan).await;
        }
        self.remove_from_book(id, LoanEnd::Failed, LoanEvent::Failed).await.map(drop)
    }

    /// Finishes a loan whose escrow was spent in a block.
    pub async fn finish_loan(
        &self,
        id: LoanId,
        ending: Ending,
        txid: [u8; 32],
        mined: BlockTime,
    ) -> Result<Applied, Refusal> {
        let end = if ending == Ending::Claim { LoanEnd::Claimed } else { LoanEnd::Repaid };
        self.remove_from_book(id, end, LoanEvent::Ended { ending, txid, mined }).await
    }

    /// Applies an event of a loan that concerns no book: a confirmation, an expiry, a signed or dropped end, a reorg.
    pub async fn step_loan(&self, id: LoanId, event: LoanEvent) -> Result<(), Refusal> {
        self.on_ledger(|ledger, now| Ok((ledger.loan_step(id, event, now)?, ()))).await.map(drop)
    }

    /// Reserves what a loan spends, or extends its reservation, together with an event of the loan.
    async fn hold(&self, id: LoanId, event: LoanEvent, expires_at: UnixMs) -> Result<(), Refusal> {
        let loan = self.existing_loan(id).await?;
        let Some(coins) = loan.coins_to_reserve else {
            return self.extend_hold(id, event, Vec::new(), expires_at).await.map(drop);
        };
        let request = ReserveRequest {
            reservation: ReservationId(id.0),
            offer: loan.deal.offer,
            borrower: loan.deal.borrower,
            pledged_raw: Some(loan.deal.pledged_raw),
            inscriptions: pledged_inscriptions(&loan.deal.pledged_ids),
            outpoints: coins.iter().collect(),
            expires_at,
        };
        self.reserve_with_effects(request, LedgerEffects { loans: vec![(id, event)], ..LedgerEffects::default() })
            .await
            .map(drop)
    }

    async fn extend_hold(
        &self,
        id: LoanId,
        event: LoanEvent,
        mut outpoints: Vec<Outpoint>,
        expires_at: UnixMs,
    ) -> Result<Applied, Refusal> {
        outpoints.sort_unstable();
        outpoints.dedup();
        let command = Command::ExtendReservation { reservation: ReservationId(id.0), expires_at };
        self.submit_for_loan(
            id,
            command,
            LedgerEffects { outpoints, loans: vec![(id, event)], ..LedgerEffects::default() },
        )
        .await
    }

    async fn remove_from_book(&self, id: LoanId, end: LoanEnd, event: LoanEvent) -> Result<Applied, Refusal> {
        let command = Command::EndLoan { loan: id, end };
        self.submit_for_loan(id, command, LedgerEffects { loans: vec![(id, event)], ..LedgerEffects::default() }).await
    }

    async fn submit_for_loan(&self, id: LoanId, command: Command, effects: LedgerEffects) -> Result<Applied, Refusal> {
        let loan = self.existing_loan(id).await?;
        self.submit(loan.deal.group(), vec![command], effects).await
    }

    async fn existing_loan(&self, id: LoanId) -> Result<LoanAccount, Refusal> {
        Ok(self.loan(id).await.ok_or(LoanRejection::Unknown(id))?)
    }
}
