//! Delegations of lenders to programs, and what was lent by them.

use std::collections::{BTreeMap, VecDeque};

use escrow::action::Action;
use escrow::delegation_id::DelegationId;
use escrow::new_delegation::{NewDelegation, VALIDITY_S_MAX};

use crate::delegation_refusal::DelegationRefusal;
use crate::refusal::Refusal;
use crate::signed_text::SignedText;
use crate::term_sheet::Term;

/// The period of a delegation's daily limit, in milliseconds: any 24 hours, so that no midnight doubles it.
pub const DAY_MS: u64 = 86_400_000;

/// The maximum number of delegations of one lender, revoked ones included, until their time is over.
pub const DELEGATIONS_MAX: usize = 64;

/// The maximum number of revocations of one lender that came before their delegation.
pub const EARLY_REVOCATIONS_MAX: usize = 256;

/// A delegation that a lender signed.
#[derive(Debug)]
pub(crate) struct Delegation {
    pub(crate) limits: NewDelegation,
    /// The lender's address that signed it.
    pub(crate) address: String,
    pub(crate) is_revoked: bool,
    /// The highest number of an admitted offer; 0 before any.
    pub(crate) latest_number: u64,
    /// The principals of the loans signed within the period, oldest first, with their times in Unix milliseconds.
    lent: VecDeque<(u64, u64)>,
}

/// The delegations of all lenders.
#[derive(Debug, Default)]
pub(crate) struct Delegations {
    known: BTreeMap<(u64, DelegationId), Delegation>,
    /// Revocations of ids that no delegation has yet, with the time from which none can follow, in Unix seconds.
    early: BTreeMap<(u64, DelegationId), u64>,
}

impl Delegation {
    /// Checks that it is not revoked.
    pub(crate) fn check_open(&self) -> Result<(), DelegationRefusal> {
        if self.is_revoked {
            Err(DelegationRefusal::Revoked { delegation: self.limits.id.to_string() })
        } else {
            Ok(())
        }
    }

    /// Checks that its time is not over, in Unix seconds.
    pub(crate) const fn check_time(&self, now_s: u64) -> Result<(), DelegationRefusal> {
        let valid_until_s = self.limits.valid_until_s;
        if valid_until_s <= now_s { Err(DelegationRefusal::Expired { valid_until_s }) } else { Ok(()) }
    }

    /// Checks a principal, slug and term against its limits.
    pub(crate) fn check_terms(&self, slug: &str, principal_sats: u64, term: Term) -> Result<(), DelegationRefusal> {
        Ok(self.limits.check_terms(slug, principal_sats, term.interest_bps, term.days)?)
    }

    /// Checks that this principal may be lent now, in Unix milliseconds.
    pub(crate) fn check_day(&self, now_ms: u64, asked: u64) -> Result<(), DelegationRefusal> {
        let (max, used) = (self.limits.daily_max_sats, self.lent_within_day(now_ms));
        if used.saturating_add(asked) > max { Err(DelegationRefusal::DaySats { max, used, asked }) } else { Ok(()) }
    }

    /// Returns the sum of the principals of loans signed within the period before this time.
    pub(crate) fn lent_within_day(&self, now_ms: u64) -> u64 {
        let recent = self.lent.iter().filter(|(at_ms, _)| now_ms.saturating_sub(*at_ms) < DAY_MS);
        recent.fold(0, |sum, (_, sats)| sum.saturating_add(*sats))
    }

    /// Records a loan. Times never go backwards: the log guarantees that.
    pub(crate) fn push_loan(&mut self, at_ms: u64, principal_sats: u64) {
        while self.lent.pop_front_if(|(earlier_ms, _)| at_ms.saturating_sub(*earlier_ms) >= DAY_MS).is_some() {}
        self.lent.push_back((at_ms, principal_sats));
    }
}

impl Delegations {
    /// Returns a delegation of a lender.
    pub(crate) fn get(&self, lender_id: u64, id: DelegationId) -> Result<&Delegation, DelegationRefusal> {
        let unknown = || DelegationRefusal::Unknown { delegation: id.to_string() };
        self.known.get(&(lender_id, id)).ok_or_else(unknown)
    }

    /// Returns a delegation of a lender to change it; `None` if it is unknown.
    pub(crate) fn get_mut(&mut self, lender_id: u64, id: DelegationId) -> Option<&mut Delegation> {
        self.known.get_mut(&(lender_id, id))
    }

    /// Checks that a delegation of this id can be admitted.
    pub(crate) fn check_new(&self, lender_id: u64, id: DelegationId) -> Result<(), DelegationRefusal> {
        if self.is_revoked(lender_id, id) {
            return Err(DelegationRefusal::Revoked { delegation: id.to_string() });
        }
        if self.known.contains_key(&(lender_id, id)) {
            return Err(DelegationRefusal::Duplicate { delegation: id.to_string() });
        }
        let count = self.known.keys().filter(|(lender, _)| *lender == lender_id).count();
        let max = DELEGATIONS_MAX;
        if count >= max { Err(DelegationRefusal::TooMany { max }) } else { Ok(()) }
    }

    /// Checks that a revocation of an id that no delegation has can be kept.
    pub(crate) fn check_early(&self, lender_id: u64) -> Result<(), DelegationRefusal> {
        let count = self.early.keys().filter(|(lender, _)| *lender == lender_id).count();
        let max = EARLY_REVOCATIONS_MAX;
        if count >= max { Err(DelegationRefusal::TooMany { max }) } else { Ok(()) }
    }

    /// Returns whether it was revoked, also before it was admitted.
    pub(crate) fn is_revoked(&self, lender_id: u64, id: DelegationId) -> bool {
        let key = (lender_id, id);
        self.early.contains_key(&key) || self.known.get(&key).is_some_and(|known| known.is_revoked)
    }

    /// Returns whether nothing can be lent by it, whatever the time.
    pub(crate) fn is_void(&self, lender_id: u64, id: DelegationId) -> bool {
        self.known.get(&(lender_id, id)).is_none_or(|known| known.is_revoked)
    }

    /// Adds the delegation of a message that was checked.
    pub(crate) fn admit(&mut self, lender_id: u64, signed: &SignedText) -> Result<(), Refusal> {
        let message = signed.parse()?;
        let Action::DelegateQuotes(limits) = message.action() else {
            return Err(Refusal::WrongAction { expected: "delegate quotes".to_owned() });
        };
        let delegation = Delegation {
            address: message.envelope().address.clone(),
            limits: limits.clone(),
            is_revoked: false,
            latest_number: 0,
            lent: VecDeque::new(),
        };
        self.known.insert((lender_id, limits.id), delegation);
        Ok(())
    }

    /// Revokes a delegation, also one that is not admitted yet.
    pub(crate) fn revoke(&mut self, at_ms: u64, lender_id: u64, id: DelegationId) {
        if let Some(known) = self.known.get_mut(&(lender_id, id)) {
            known.is_revoked = true;
        } else {
            let until_s = (at_ms / 1_000).saturating_add(VALIDITY_S_MAX);
            self.early.insert((lender_id, id), until_s);
        }
    }

    /// Removes those whose time was over a day ago, in Unix seconds.
    pub(crate) fn prune(&mut self, now_s: u64) {
        self.known.retain(|_, known| known.limits.valid_until_s.saturating_add(DAY_MS / 1_000) > now_s);
        self.early.retain(|_, until_s| *until_s > now_s);
    }
}
