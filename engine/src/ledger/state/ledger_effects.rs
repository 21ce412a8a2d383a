//! The consequences of a book's events for vaults, pledges and loans.

use domain::{
    BookEvent, CancelledBy, LoanEnd, LoanEvent, LoanId, LoanStage, OrderBook, Outpoint, ProcessType, Rejection,
    Reservation, ReservationId, Sats, SpendId, UnixMs, Vault, VaultEvent, VaultRejection, VaultSpend,
};

use super::LedgerState;
use crate::{Refusal, ledger::LedgerEvent};

impl LedgerState {
    /// The event that the end of a reservation implies for the loan prepared from it, unless the batch already holds an
    /// event of that loan.
    fn unreserved_loan_event(
        &self,
        reservation: ReservationId,
        batch_events: &[(LoanId, LoanEvent)],
    ) -> Option<LedgerEvent> {
        let id = LoanId(reservation.0);
        if batch_events.iter().any(|(loan, _)| *loan == id) {
            return None;
        }
        let event = match self.loan(id)?.stage {
            LoanStage::Prepared => LoanEvent::Cancelled { by: CancelledBy::Time },
            LoanStage::AwaitingLender => LoanEvent::Lapsed,
            _ => return None,
        };
        Some(LedgerEvent::Loan(id, event))
    }

    /// The consequences of a book's events for vaults and pledges: a reservation holds sats and collateral, its end
    /// frees them or turns them into a loan. `book` is in its state before the events.
    pub(crate) fn ledger_effects(
        &self,
        book: &OrderBook,
        events: &[BookEvent],
        outpoints: &[Outpoint],
        loans: &[(LoanId, LoanEvent)],
        now: UnixMs,
    ) -> Result<Vec<LedgerEvent>, Refusal> {
        let mut decided = Vec::new();
        for event in events {
            match event {
                BookEvent::OfferReserved(reservation) => {
                    self.halts.check_new_loan()?;
                    self.check_deal(reservation)?;
                    let offer = book.offer(reservation.offer);
                    if let Some(offer) = offer {
                        // The book may not know yet that another book's loan took the budget: to the borrower it is
                        // paused already.
                        let allowance = self.allowance(offer.lender, offer.id.group(), now);
                        let checked = allowance.check(offer.process, reservation.principal);
                        checked.map_err(|_| Rejection::OfferPaused(offer.id))?;
                    }
                    if let Some(offer) = offer.filter(|offer| offer.process == ProcessType::Instant) {
                        let (id, amount) = (reservation.id, self.vault_payment(reservation));
                        decided.push(self.decide(offer.lender, |vault| vault.hold(id, amount))?);
                    }
                    for outpoint in outpoints {
                        decided.push(self.lock(*outpoint, reservation.id)?);
                    }
                    let left = offer.map_or(Sats::ZERO, |offer| offer.takeable_after(reservation.principal));
                    decided.extend(self.displaced(reservation, outpoints, left));
                }
                BookEvent::ReservationExtended { reservation, .. } if !outpoints.is_empty() => {
                    let held = self.pledges.get(reservation);
                    let is_held = |outpoint: &Outpoint| held.is_some_and(|held| held.contains(outpoint));
                    for outpoint in held.into_iter().flatten().filter(|held| !outpoints.contains(held)) {
                        decided.push(LedgerEvent::Asset(self.assets.unlock(*outpoint, *reservation)?));
                    }
                    for outpoint in outpoints.iter().filter(|outpoint| !is_held(outpoint)) {
                        decided.push(self.lock(*outpoint, *reservation)?);
                    }
                }
                BookEvent::OfferCancelled { offer, .. } => {
                    let admitter = self.admitters.get(offer);
                    let vault = admitter.and_then(|user| Some((*user, self.vault(*user)?.remove_admission(*offer)?)));
                    decided.extend(vault.map(|(user, event)| LedgerEvent::Vault(user, event)));
                    decided.extend(self.prepared_of(*offer));
                }
                BookEvent::ReservationConfirmed { reservation, .. } => {
                    let taken = spent_for(*reservation, loans);
                    let end = |vault: &Vault| match taken {
                        Some((txid, VaultSpend { outputs, change })) => {
                            vault.spend(*reservation, txid, outputs.clone(), change.clone())
                        }
                        None => vault.lend(*reservation),
                    };
                    self.end_hold(*reservation, end, &mut decided)?;
                    let id = LoanId(reservation.0);
                    if !loans.iter().any(|(loan, event)| *loan == id && matches!(event, LoanEvent::Signed { .. })) {
                        self.unlock_all(id, &mut decided)?;
                    }
                }
                BookEvent::LoanEnded { loan, end: LoanEnd::Failed } => {
                    let failed = self.loan(*loan).filter(|failed| failed.vault.is_some());
                    if let Some(failed) = failed {
                        let spend = SpendId::Loan(ReservationId(loan.0));
                        decided.push(self.decide(failed.deal.lender, |vault| vault.fail(spend))?);
                    }
                }
                BookEvent::LoanReplaced { successor, .. } => self.unlock_all(*successor, &mut decided)?,
                BookEvent::ReservationReleased { reservation, .. } => {
                    self.end_hold(*reservation, |vault| vault.release(*reservation), &mut decided)?;
                    self.unlock_all(LoanId(reservation.0), &mut decided)?;
                    decided.extend(self.unreserved_loan_event(*reservation, loans));
                }
                _ => {}
            }
        }
        Ok(decided)
    }

    /// The amount that a vault pays for a reservation: the principal, and the loan's platform fee.
    fn vault_payment(&self, reservation: &Reservation) -> Sats {
        let fee = self.loan(LoanId(reservation.id.0)).map_or(Sats::ZERO, |loan| loan.deal.platform_fee);
        reservation.principal.saturating_add(fee)
    }

    /// Checks that a loan has the same borrower, principal and collateral as the book's reservation for it.
    fn check_deal(&self, reservation: &Reservation) -> Result<(), Refusal> {
        let Some(loan) = self.loan(LoanId(reservation.id.0)) else { return Ok(()) };
        let deal = &loan.deal;
        let is_same = deal.offer == reservation.offer
            && deal.borrower == reservation.borrower
            && deal.principal == reservation.principal
            && deal.pledged_raw == reservation.pledged_raw;
        if is_same { Ok(()) } else { Err(Refusal::DealChanged) }
    }

    fn end_hold(
        &self,
        reservation: ReservationId,
        end: impl FnOnce(&Vault) -> Result<VaultEvent, VaultRejection>,
        decided: &mut Vec<LedgerEvent>,
    ) -> Result<(), Refusal> {
        if let Some(holder) = self.holders.get(&reservation) {
            decided.push(self.decide(*holder, end)?);
        }
        Ok(())
    }
}

/// The outputs that an on-chain vault spends for a fully signed loan, and the transaction that spends them.
fn spent_for(reservation: ReservationId, loans: &[(LoanId, LoanEvent)]) -> Option<([u8; 32], &VaultSpend)> {
    loans.iter().find_map(|(id, event)| match event {
        LoanEvent::Signed { txid, vault: Some(vault), .. } if id.0 == reservation.0 => Some((*txid, vault)),
        _ => None,
    })
}
