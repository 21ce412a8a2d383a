//! A signed offer, and the loans against it.

use bitcoin::hashes::sha256;
use bitcoin::{Amount, Network, OutPoint, Script, Txid};
use escrow::action::{NewOffer, OfferProcess};
use escrow::address::WalletAddress;
use escrow::delegation_id::DelegationId;
use ethnum::U256;
use ordinals::RuneId;

use crate::refusal::Refusal;
use crate::term_sheet::{Listing, Term, TermSheet};

/// An admitted offer.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) lender_id: u64,
    pub(crate) id: String,
    pub(crate) slug: String,
    /// The principal; the largest one if it follows the floor.
    pub(crate) principal: Amount,
    /// The least principal, if it follows the floor: the signer knows no price, and lends what is within these bounds.
    pub(crate) principal_min: Option<Amount>,
    /// The rune and its amount in raw units; `None` for an offer against an inscription.
    pub(crate) rune: Option<(RuneId, u128)>,
    /// The number of inscriptions that secure a loan together, for an offer against inscriptions.
    pub(crate) inscriptions: u32,
    pub(crate) accepts_next_term: bool,
    pub(crate) policy: String,
    pub(crate) term: Term,
    /// The last change of the term that the lender accepted by a separate message.
    pub(crate) accepted: Option<Term>,
    pub(crate) issued_s: u64,
    /// The payment address of the only borrower who is lent to; `None` if anyone is.
    pub(crate) borrower: Option<String>,
    /// The time from which nothing is lent, in Unix seconds; `None` if the offer is good until it is cancelled.
    pub(crate) good_until_s: Option<u64>,
    /// The delegation that a program signed it under; `None` if its lender signed it.
    pub(crate) delegation: Option<DelegationId>,
    pub(crate) is_paused: bool,
    uses: Vec<Use>,
}

/// The amount of collateral that a borrower pledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PledgedAmount {
    /// This number of inscriptions.
    Inscriptions(usize),
    /// This amount of a rune, in raw units.
    Rune(RuneId, u128),
}

/// A signed loan.
#[derive(Clone, Debug)]
struct Use {
    txid: Txid,
    principal: Amount,
    inputs: Vec<OutPoint>,
}

impl Offer {
    /// Creates the offer of a message that was checked, and issued at `issued_s`.
    pub(crate) fn new(
        lender_id: u64,
        id: String,
        listing: Listing,
        issued_s: u64,
        new_offer: &NewOffer,
    ) -> Result<Self, Refusal> {
        let OfferProcess::Instant(terms) = &new_offer.process else { return Err(Refusal::ManualOffer) };
        if listing.rune.is_some() != terms.fungible_amount.is_some() {
            return Err(Refusal::WrongCollateral);
        }
        if terms.fungible_amount == Some(0) {
            return Err(Refusal::NoRunesWanted);
        }
        let principal_min = terms.principal_min_sats.map(Amount::from_sat);
        let principal = Amount::from_sat(new_offer.principal_sats);
        if principal_min.is_some_and(|least| least > principal || least == Amount::ZERO || listing.rune.is_some()) {
            return Err(Refusal::ImpossiblePeg);
        }
        let inscriptions = terms.inscriptions.unwrap_or(1);
        let is_impossible = terms.inscriptions.is_some() && (listing.rune.is_some() || principal_min.is_some());
        if is_impossible || inscriptions == 0 {
            return Err(Refusal::WrongCollateral);
        }
        Ok(Self {
            inscriptions,
            lender_id,
            id,
            slug: new_offer.collection_slug.clone(),
            principal,
            principal_min,
            rune: listing.rune.zip(terms.fungible_amount),
            accepts_next_term: terms.accept_next_term,
            policy: terms.vault.clone(),
            term: listing.term(),
            accepted: None,
            issued_s,
            delegation: None,
            borrower: terms.borrower.clone(),
            good_until_s: terms.good_until_s,
            is_paused: false,
            uses: Vec::new(),
        })
    }

    /// Returns whether this lender knows it by this id.
    pub(crate) fn is_named(&self, lender_id: u64, offer_id: &str) -> bool {
        self.lender_id == lender_id && self.id == offer_id
    }

    /// Returns whether it was signed for this policy.
    pub(crate) fn is_for(&self, policy: &sha256::Hash) -> bool {
        self.policy == policy.to_string()
    }

    /// Checks that it can be used under this policy.
    pub(crate) fn check_usable(&self, policy: &sha256::Hash) -> Result<(), Refusal> {
        if !self.is_for(policy) {
            return Err(Refusal::OtherPolicy { expected: policy.to_string(), found: self.policy.clone() });
        }
        if self.is_paused {
            return Err(Refusal::OfferPaused { offer_id: self.id.clone() });
        }
        Ok(())
    }

    /// Checks that a loan can be signed at this time, in Unix seconds.
    pub(crate) fn check_time(&self, now_s: u64) -> Result<(), Refusal> {
        match self.good_until_s.filter(|good_until_s| *good_until_s <= now_s) {
            Some(good_until_s) => Err(Refusal::OfferExpired { offer_id: self.id.clone(), good_until_s }),
            None => Ok(()),
        }
    }

    /// Checks that the loan is paid out to the borrower that the lender named.
    pub(crate) fn check_borrower(&self, payment: &Script, network: Network) -> Result<(), Refusal> {
        let Some(named) = &self.borrower else { return Ok(()) };
        let is_named = WalletAddress::parse(named, network).is_ok_and(|address| *address.script_pubkey() == *payment);
        if is_named { Ok(()) } else { Err(Refusal::OtherBorrower { named: named.clone() }) }
    }

    /// Returns whether it was signed too long ago.
    pub(crate) fn is_expired(&self, age_max_s: u64, now_s: u64) -> bool {
        now_s.saturating_sub(self.issued_s) > age_max_s
    }

    /// Checks a term: the one that was offered, a change that the lender accepted, or the next one for a lender who
    /// accepts any.
    pub(crate) fn check_term(&self, asked: Term, sheet: &TermSheet) -> Result<(), Refusal> {
        let is_next = self.accepts_next_term && sheet.listing(&self.slug).is_some_and(|next| next.term() == asked);
        if asked == self.term || self.accepted == Some(asked) || is_next {
            return Ok(());
        }
        Err(Refusal::WrongTerm { days: asked.days, interest_bps: asked.interest_bps })
    }

    /// Checks that a principal can be lent against this collateral from these outputs.
    pub(crate) fn check_use(
        &self,
        principal: Amount,
        pledged: PledgedAmount,
        inputs: &[OutPoint],
    ) -> Result<(), Refusal> {
        let (offered, asked) = (self.principal.to_sat(), principal.to_sat());
        match (self.rune, pledged) {
            (None, PledgedAmount::Inscriptions(count)) if u32::try_from(count) == Ok(self.inscriptions) => {
                self.check_whole(asked, inputs)?;
            }
            (Some((id, wanted)), PledgedAmount::Rune(pledged_id, pledged)) if id == pledged_id => {
                // The price of a unit must not exceed that of the whole offer.
                let given = U256::from(pledged) * U256::from(offered);
                if given < U256::from(wanted) * U256::from(asked) {
                    let (pledged, wanted) = (pledged.to_string(), wanted.to_string());
                    return Err(Refusal::TooLittleCollateral { pledged, principal: asked, wanted, offered });
                }
            }
            _ => return Err(Refusal::WrongCollateral),
        }
        let used = self.used_excluding(inputs);
        if used.saturating_add(asked) > offered {
            return Err(Refusal::OfferUsedUp { offered, used, asked });
        }
        Ok(())
    }

    /// Checks the principal of an offer that one loan takes as a whole.
    fn check_whole(&self, asked: u64, inputs: &[OutPoint]) -> Result<(), Refusal> {
        let offered = self.principal.to_sat();
        let Some(least) = self.principal_min.map(Amount::to_sat) else {
            return if asked == offered { Ok(()) } else { Err(Refusal::WrongPrincipal { offered, asked }) };
        };
        if !(least..=offered).contains(&asked) {
            return Err(Refusal::PrincipalOutOfBounds { least, offered, asked });
        }
        // A loan of less than the largest principal leaves nothing.
        let used = self.used_excluding(inputs);
        if used > 0 { Err(Refusal::OfferUsedUp { offered, used, asked }) } else { Ok(()) }
    }

    /// Returns the principal of the loans that could still start in addition to one that spends these outputs.
    ///
    /// A signed loan that spends one of the same outputs conflicts with it and is not counted. So a borrower who
    /// abandons a loan does not use up the offer, and still no set of loans that can all start exceeds it: for the last
    /// one signed of such a set, all others were counted in full.
    fn used_excluding(&self, inputs: &[OutPoint]) -> u64 {
        let others = self.uses.iter().filter(|one| !one.inputs.iter().any(|input| inputs.contains(input)));
        others.fold(0, |sum, one| sum.saturating_add(one.principal.to_sat()))
    }

    /// Returns the principal of all signed loans.
    pub(crate) fn used(&self) -> u64 {
        self.used_excluding(&[])
    }

    /// Returns whether exactly this transaction was signed.
    pub(crate) fn has_signed(&self, txid: Txid) -> bool {
        self.uses.iter().any(|one| one.txid == txid)
    }

    /// Records a signed loan.
    pub(crate) fn push_use(&mut self, txid: Txid, principal: Amount, inputs: Vec<OutPoint>) {
        self.uses.push(Use { txid, principal, inputs });
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;
    use proptest::prelude::*;

    use super::*;

    const DOG: RuneId = RuneId { block: 840_000, tx: 3 };

    fn offer(principal: u64, quantity: u128) -> Offer {
        Offer {
            lender_id: 4,
            id: "of_1".to_owned(),
            slug: "dog-14d".to_owned(),
            principal: Amount::from_sat(principal),
            principal_min: None,
            rune: Some((DOG, quantity)),
            inscriptions: 1,
            accepts_next_term: false,
            policy: String::new(),
            term: Term { days: 14, interest_bps: 325 },
            accepted: None,
            issued_s: 0,
            borrower: None,
            good_until_s: None,
            delegation: None,
            is_paused: false,
            uses: Vec::new(),
        }
    }

    fn outpoint(number: u8) -> OutPoint {
        OutPoint::new(Txid::from_byte_array([number; 32]), 0)
    }

    #[test]
    fn the_price_of_a_unit_never_exceeds_the_offer_even_for_large_numbers() {
        let whole = offer(1_000, u128::MAX);
        let half = PledgedAmount::Rune(DOG, u128::MAX / 2 + 1);
        assert_eq!(whole.check_use(Amount::from_sat(500), half, &[]), Ok(()));
        let refusal = whole.check_use(Amount::from_sat(501), half, &[]);
        assert!(matches!(refusal, Err(Refusal::TooLittleCollateral { principal: 501, .. })), "{refusal:?}");
        let other = RuneId { block: 840_000, tx: 4 };
        for pledged in [PledgedAmount::Inscriptions(1), PledgedAmount::Rune(other, u128::MAX)] {
            assert_eq!(whole.check_use(Amount::from_sat(1), pledged, &[]), Err(Refusal::WrongCollateral));
        }
    }

    proptest! {
        #[test]
        fn loans_that_can_all_start_never_exceed_the_offer(
            asked in prop::collection::vec((1_u64..60, prop::collection::hash_set(0_u8..6, 1..4)), 1..9),
        ) {
            let mut offer = offer(100, 100);
            let mut signed: Vec<(u64, Vec<OutPoint>)> = Vec::new();
            for (number, (sats, inputs)) in asked.into_iter().enumerate() {
                let inputs: Vec<OutPoint> = inputs.into_iter().map(outpoint).collect();
                let principal = Amount::from_sat(sats);
                if offer.check_use(principal, PledgedAmount::Rune(DOG, 100), &inputs).is_ok() {
                    let txid = Txid::from_byte_array([100 + u8::try_from(number).unwrap(); 32]);
                    offer.push_use(txid, principal, inputs.clone());
                    signed.push((sats, inputs));
                }
            }
            // Every set of loans of which no two spend the same output.
            for set in 0_u32..1 << signed.len() {
                let chosen: Vec<_> =
                    signed.iter().enumerate().filter(|(place, _)| set & (1 << place) != 0).map(|(_, one)| one).collect();
                let mut spent: Vec<OutPoint> = chosen.iter().flat_map(|(_, inputs)| inputs.clone()).collect();
                let count = spent.len();
                spent.sort();
                spent.dedup();
                if spent.len() == count {
                    prop_assert!(chosen.iter().map(|(sats, _)| sats).sum::<u64>() <= 100);
                }
            }
        }
    }
}
