//! Negotiations: the API's view of them as far as the simulation reads it, and the answers of simulated users.

use domain::{GroupId, Quantity, Sats, SubCollection, UnitPrice};
use serde::Deserialize;

use crate::wire::parsed;

/// The highest LTV that a lender agrees to, in basis points.
const LTV_MAX_BPS: u32 = 6_500;
/// The lowest LTV that a borrower agrees to, in basis points.
const LTV_MIN_BPS: u32 = 3_000;
/// The share of the usual interest per day that a lender agrees to, in percent.
const INTEREST_SHARE_PERCENT: u64 = 90;
/// The highest interest per day that a borrower agrees to, in hundredths of a basis point.
const INTEREST_DAY_MAX: u64 = 2_500;
/// The number of proposals after which a lender declines.
const ROUNDS_MAX: usize = 4;

/// The caller's negotiations.
#[derive(Deserialize)]
pub(crate) struct NegotiationList {
    pub(crate) negotiations: Vec<Negotiation>,
}

/// A side of a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Borrower,
    Lender,
}

/// A negotiation as one of its sides sees it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Negotiation {
    #[serde(rename = "negotiationId")]
    pub(crate) id: String,
    #[serde(deserialize_with = "parsed")]
    pub(crate) group_id: GroupId,
    /// The running loan whose extension it is about.
    pub(crate) loan_id: Option<String>,
    pub(crate) role: Side,
    pub(crate) inscription_ids: Vec<String>,
    pub(crate) proposals: Vec<Proposal>,
    pub(crate) is_your_turn: bool,
}

/// Proposed terms.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proposal {
    pub(crate) principal_amount_sats: u64,
    pub(crate) interest_rate_percentage: f64,
    pub(crate) loan_term_days: u16,
}

/// The answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NegotiationAnswer {
    Accept,
    Propose {
        principal: Sats,
        /// In basis points for the whole term.
        interest: u32,
        days: u16,
    },
    Decline,
}

impl Negotiation {
    /// The answer to its latest proposal at a price, among terms that are usual in the collection; `None` if another one
    /// is next, or it is not about an inscription.
    pub(crate) fn answer(&self, price: UnitPrice, usual: &[SubCollection]) -> Option<NegotiationAnswer> {
        let latest = self.proposals.last().filter(|_| self.is_your_turn && !self.inscription_ids.is_empty())?;
        let days = latest.loan_term_days;
        if self.loan_id.is_some() {
            return self.answer_extension(*latest, usual);
        }
        let quote = UnitPrice::quoted(Sats::new(latest.principal_amount_sats), Quantity::inscriptions(1));
        let ltv = price.ltv_of(quote).basis_points();
        let offered = basis_points(latest.interest_rate_percentage);
        if self.role == Side::Borrower {
            let is_cheap = u64::from(offered) * 100 <= INTEREST_DAY_MAX * u64::from(days);
            let is_enough = ltv >= LTV_MIN_BPS;
            return Some(if is_cheap && is_enough { NegotiationAnswer::Accept } else { NegotiationAnswer::Decline });
        }
        let asked = usual_interest(usual, days)?;
        let is_dear = u64::from(offered) * 100 >= u64::from(asked) * INTEREST_SHARE_PERCENT;
        if is_dear && ltv <= LTV_MAX_BPS {
            return Some(NegotiationAnswer::Accept);
        }
        if self.proposals.len() >= ROUNDS_MAX {
            return Some(NegotiationAnswer::Decline);
        }
        let most = price.value_floor(Quantity::inscriptions(1)).get() / 10_000 * u64::from(LTV_MAX_BPS);
        let principal = Sats::new(latest.principal_amount_sats.min(most) / 1_000 * 1_000);
        Some(NegotiationAnswer::Propose { principal, interest: offered.max(asked), days })
    }
}

impl Negotiation {
    /// The answer to a proposal about an extension, which keeps the principal: a simulated borrower repays instead.
    fn answer_extension(&self, latest: Proposal, usual: &[SubCollection]) -> Option<NegotiationAnswer> {
        if self.role == Side::Borrower || self.proposals.len() >= ROUNDS_MAX {
            return Some(NegotiationAnswer::Decline);
        }
        let (days, offered) = (latest.loan_term_days, basis_points(latest.interest_rate_percentage));
        let asked = usual_interest(usual, days)?;
        if u64::from(offered) * 100 >= u64::from(asked) * INTEREST_SHARE_PERCENT {
            return Some(NegotiationAnswer::Accept);
        }
        let principal = Sats::new(latest.principal_amount_sats);
        Some(NegotiationAnswer::Propose { principal, interest: asked, days })
    }
}

/// The interest for a term at the lowest rate per day that the collection has.
fn usual_interest(usual: &[SubCollection], days: u16) -> Option<u32> {
    let for_days = usual.iter().map(|sub| {
        let share = u64::from(sub.interest.basis_points()) * u64::from(days) / u64::from(sub.term.0.max(1));
        u32::try_from(share).unwrap_or(u32::MAX).max(1)
    });
    for_days.min()
}

fn basis_points(percent: f64) -> u32 {
    crate::float_conversion::to_u64((percent * 100.0).round()).and_then(|bps| u32::try_from(bps).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use domain::{Bundle, InterestRate, SubCollectionId, TermDays};

    use super::*;

    fn usual() -> [SubCollection; 1] {
        [SubCollection {
            id: SubCollectionId(0),
            slug: "paper-frogs-10d".parse().unwrap(),
            term: TermDays(10),
            interest: InterestRate::from_basis_points(200),
            bundle: Bundle::Fixed(Quantity::inscriptions(1)),
            manual: true,
            instant: true,
        }]
    }

    fn answer(role: Side, rounds: usize, principal: u64, percent: f64, days: u16) -> Option<NegotiationAnswer> {
        negotiation(role, rounds, principal, percent, days).answer(price(), &usual())
    }

    fn price() -> UnitPrice {
        UnitPrice::from_sats(Sats::new(1_000_000)).unwrap()
    }

    fn negotiation(role: Side, rounds: usize, principal: u64, percent: f64, days: u16) -> Negotiation {
        let proposal =
            Proposal { principal_amount_sats: principal, interest_rate_percentage: percent, loan_term_days: days };
        Negotiation {
            id: "ng_1".to_owned(),
            group_id: GroupId(1),
            loan_id: None,
            role,
            inscription_ids: vec!["i".to_owned()],
            proposals: vec![proposal; rounds],
            is_your_turn: true,
        }
    }

    #[test]
    fn a_lender_extends_for_fair_interest_at_the_same_principal_and_a_borrower_does_not_extend() {
        let extended = |role, rounds, percent| {
            let loan_id = Some("ln_1".to_owned());
            Negotiation { loan_id, ..negotiation(role, rounds, 1_234_567, percent, 20) }.answer(price(), &usual())
        };
        assert_eq!(extended(Side::Lender, 1, 3.6), Some(NegotiationAnswer::Accept));
        let asked = NegotiationAnswer::Propose { principal: Sats::new(1_234_567), interest: 400, days: 20 };
        assert_eq!(extended(Side::Lender, 1, 1.0), Some(asked));
        assert_eq!(extended(Side::Lender, 5, 1.0), Some(NegotiationAnswer::Decline));
        assert_eq!(extended(Side::Borrower, 1, 0.1), Some(NegotiationAnswer::Decline));
    }

    #[test]
    fn a_lender_agrees_to_a_fair_price_and_asks_for_one_otherwise() {
        assert_eq!(answer(Side::Lender, 1, 500_000, 3.6, 20), Some(NegotiationAnswer::Accept));
        let (principal, interest, days) = (Sats::new(500_000), 400, 20);
        let asked = NegotiationAnswer::Propose { principal, interest, days };
        assert_eq!(answer(Side::Lender, 1, 500_000, 3.5, 20), Some(asked));
        let lower = NegotiationAnswer::Propose { principal: Sats::new(650_000), interest: 500, days: 20 };
        assert_eq!(answer(Side::Lender, 3, 900_000, 5.0, 20), Some(lower));
        assert_eq!(answer(Side::Lender, 5, 900_000, 5.0, 20), Some(NegotiationAnswer::Decline));
    }

    #[test]
    fn a_borrower_agrees_to_a_cheap_loan_alone() {
        assert_eq!(answer(Side::Borrower, 1, 500_000, 2.0, 10), Some(NegotiationAnswer::Accept));
        assert_eq!(answer(Side::Borrower, 1, 500_000, 2.6, 10), Some(NegotiationAnswer::Decline));
        assert_eq!(answer(Side::Borrower, 1, 100_000, 1.0, 10), Some(NegotiationAnswer::Decline));
    }
}
