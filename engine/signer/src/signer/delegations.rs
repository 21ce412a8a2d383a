//! Delegations: their admission and end, and the offers that programs sign under them.

use escrow::action::{Action, OfferProcess};
use escrow::delegated_action::DelegatedAction;
use escrow::delegation_id::DelegationId;

use super::Signer;
use super::lenders::check_offer_id;
use crate::delegation::DELEGATIONS_MAX;
use crate::delegation_refusal::DelegationRefusal;
use crate::delegation_request::{DelegationName, DelegationRequest, DelegationStatus};
use crate::entry::Entry;
use crate::offer::Offer;
use crate::program_text::ProgramText;
use crate::refusal::Refusal;
use crate::request::{Answer, LoanRequest};
use crate::signed_text::{SignedText, VerifiedMessage};

impl Signer {
    pub(super) fn answer_delegation(&mut self, request: DelegationRequest, now_ms: u64) -> Result<Answer, Refusal> {
        match request {
            DelegationRequest::Admit { lender_id, signed } => self.admit_delegation(lender_id, signed, now_ms),
            DelegationRequest::Revoke { lender_id, delegation } => {
                self.revoke_delegation(lender_id, delegation, now_ms)
            }
            DelegationRequest::AdmitOffer { lender_id, offer_id, signed } => {
                self.admit_delegated(lender_id, offer_id, signed, now_ms)
            }
            DelegationRequest::ReviseOffers { lender_id, signed } => self.revise_delegated(lender_id, signed, now_ms),
            DelegationRequest::Status { lender_id, delegations } => {
                self.delegation_status(lender_id, &delegations, now_ms)
            }
        }
    }

    fn admit_delegation(&mut self, lender_id: u64, signed: SignedText, now_ms: u64) -> Result<Answer, Refusal> {
        let checked = self.check_lenders(lender_id, &signed, now_ms)?;
        let Action::DelegateQuotes(limits) = checked.action() else {
            return Err(Refusal::WrongAction { expected: "delegate quotes".to_owned() });
        };
        let policy = self.policy.hash().to_string();
        if !limits.covers_vault(&policy) {
            return Err(DelegationRefusal::OtherVault { policy }.into());
        }
        if self.was_used(&checked, &signed)? {
            // A repeated request: the delegation still stands, or was revoked since and must not return.
            self.state.delegations.get(lender_id, limits.id)?.check_open()?;
            return Ok(Answer::Revised);
        }
        self.state.delegations.check_new(lender_id, limits.id)?;
        self.record(now_ms, Entry::DelegationAdmitted { lender_id, signed })?;
        Ok(Answer::Revised)
    }

    fn revoke_delegation(&mut self, lender_id: u64, delegation: DelegationId, now_ms: u64) -> Result<Answer, Refusal> {
        self.state.vault(lender_id)?;
        if !self.state.delegations.is_revoked(lender_id, delegation) {
            if self.state.delegations.get(lender_id, delegation).is_err() {
                self.state.delegations.check_early(lender_id)?;
            }
            self.record(now_ms, Entry::DelegationRevoked { lender_id, delegation })?;
        }
        Ok(Answer::Revised)
    }

    fn admit_delegated(
        &mut self,
        lender_id: u64,
        offer_id: String,
        signed: ProgramText,
        now_ms: u64,
    ) -> Result<Answer, Refusal> {
        let action = self.check_program(lender_id, &signed, now_ms)?;
        let Some(new_offer) = action.new_offer() else {
            return Err(Refusal::WrongAction { expected: "create offer".to_owned() });
        };
        let OfferProcess::Instant(terms) = &new_offer.process else { return Err(Refusal::ManualOffer) };
        VerifiedMessage::check_policy(&self.policy, &terms.vault)?;
        let slug = &new_offer.collection_slug;
        let listing = self.sheet.listing(slug).ok_or_else(|| Refusal::UnknownSlug { slug: slug.clone() })?;
        let (number, id) = (action.envelope().number, action.envelope().delegation);
        let delegation = self.state.delegations.get(lender_id, id)?;
        delegation.check_open()?;
        delegation.check_time(now_ms / 1_000)?;
        if !delegation.limits.covers_vault(&terms.vault) {
            return Err(DelegationRefusal::OtherVault { policy: terms.vault.clone() }.into());
        }
        delegation.check_terms(slug, new_offer.principal_sats, listing.term())?;
        let (max, asked) = (delegation.limits.daily_max_sats, new_offer.principal_sats);
        if asked > max {
            return Err(DelegationRefusal::DaySats { max, used: 0, asked }.into());
        }
        Offer::new(lender_id, offer_id.clone(), listing, action.envelope().issued_s, new_offer)?;
        check_offer_id(&offer_id)?;
        if self.state.offer(lender_id, &signed.id()).is_ok_and(|known| known.is_named(lender_id, &offer_id)) {
            return Ok(Answer::Offer(signed.id()));
        }
        if number <= delegation.latest_number {
            return Err(DelegationRefusal::NumberUsed { latest: delegation.latest_number, found: number }.into());
        }
        if let Action::EditOffer { delete_offer_id, .. } = action.action() {
            self.check_under(lender_id, id, delete_offer_id)?;
        }
        if self.state.offer_named(lender_id, &offer_id).is_some() {
            return Err(Refusal::DuplicateOffer { offer_id });
        }
        self.check_not_cancelled(lender_id, &offer_id, action.envelope().issued_s)?;
        let answer = Answer::Offer(signed.id());
        self.record(now_ms, Entry::DelegatedOfferAdmitted { lender_id, offer_id, listing, signed })?;
        Ok(answer)
    }

    /// Withdraws offers, whatever the number of the text and the time of the delegation: a repeated cancellation, or one
    /// that comes late, can only take away.
    fn revise_delegated(&mut self, lender_id: u64, signed: ProgramText, now_ms: u64) -> Result<Answer, Refusal> {
        let action = self.check_program(lender_id, &signed, now_ms)?;
        let (number, id) = (action.envelope().number, action.envelope().delegation);
        let named: Vec<&String> = match action.action() {
            Action::CancelOffers(cancel) => cancel.ordinal_offer_ids.iter().chain(&cancel.rune_offer_ids).collect(),
            Action::EditOffer { delete_offer_id, .. } => vec![delete_offer_id],
            _ => Vec::new(),
        };
        for offer_id in &named {
            self.check_under(lender_id, id, offer_id)?;
        }
        let is_admitted = self.state.offer(lender_id, &signed.id()).is_ok();
        let issued_s = action.envelope().issued_s;
        let is_cancelled = |offer_id: &&String| self.state.cancellations.cancels(lender_id, offer_id, issued_s);
        let removes = !named.iter().all(is_cancelled)
            || named.iter().any(|offer_id| self.state.offer_named(lender_id, offer_id).is_some());
        // A higher number is used up, so that the text of a failed quote is never admitted later.
        let is_later = number > self.state.delegations.get(lender_id, id)?.latest_number;
        let uses_number = is_later && action.new_offer().is_some();
        if is_admitted || removes || uses_number {
            self.record(now_ms, Entry::DelegatedOffersRevised { lender_id, signed })?;
        }
        Ok(Answer::Revised)
    }

    fn delegation_status(
        &self,
        lender_id: u64,
        delegations: &[DelegationName],
        now_ms: u64,
    ) -> Result<Answer, Refusal> {
        let (max, found) = (DELEGATIONS_MAX, delegations.len());
        if found > max {
            return Err(Refusal::TooManyOffers { max, found });
        }
        let status = |name: &DelegationName| {
            let known = self.state.delegations.get(lender_id, name.0).ok()?;
            Some(DelegationStatus {
                delegation: *name,
                is_revoked: known.is_revoked,
                latest_number: known.latest_number,
                lent_within_day_sats: known.lent_within_day(now_ms),
            })
        };
        Ok(Answer::Delegations(delegations.iter().filter_map(status).collect()))
    }

    /// Checks a loan by an offer under a delegation against all limits but time and sum; nothing for another offer.
    pub(super) fn check_delegated_loan(&self, offer: &Offer, loan: &LoanRequest) -> Result<(), Refusal> {
        let Some(id) = offer.delegation else { return Ok(()) };
        let delegation = self.state.delegations.get(offer.lender_id, id)?;
        delegation.check_open()?;
        Ok(delegation.check_terms(&offer.slug, loan.principal_sats, loan.term)?)
    }

    /// Checks the time and the daily limit of the delegation for a loan that was not signed before.
    pub(super) fn check_delegated_sum(&self, offer: &Offer, principal_sats: u64, now_ms: u64) -> Result<(), Refusal> {
        let Some(id) = offer.delegation else { return Ok(()) };
        let delegation = self.state.delegations.get(offer.lender_id, id)?;
        delegation.check_time(now_ms / 1_000)?;
        Ok(delegation.check_day(now_ms, principal_sats)?)
    }

    /// Checks a program's text: its delegation, place, time and signature.
    fn check_program(&self, lender_id: u64, signed: &ProgramText, now_ms: u64) -> Result<DelegatedAction, Refusal> {
        self.state.vault(lender_id)?;
        let action = signed.parse()?;
        let delegation = self.state.delegations.get(lender_id, action.envelope().delegation)?;
        signed.check(&action, delegation, &self.policy, now_ms / 1_000)?;
        Ok(action)
    }

    /// Checks that an offer is under a delegation, or no longer exists.
    fn check_under(&self, lender_id: u64, id: DelegationId, offer_id: &str) -> Result<(), DelegationRefusal> {
        let foreign = self.state.offer_named(lender_id, offer_id).filter(|offer| offer.delegation != Some(id));
        foreign.map_or(Ok(()), |_| Err(DelegationRefusal::ForeignOffer { offer_id: offer_id.to_owned() }))
    }
}
