//! The views of a loan's cost: to its borrower, and what it brings its lender.

use domain::{LenderReturn, LoanCost, Sats};
use serde::Serialize;
use utoipa::ToSchema;

use super::Percent;

/// The cost of a loan to its borrower, as known at the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanCostView {
    /// The interest for the whole term, in sats.
    #[schema(value_type = u64)]
    pub interest_sats: Sats,
    /// The borrower's share of the network fee of the transactions that originate the loan, in sats.
    #[schema(value_type = u64)]
    pub origination_fee_sats: Sats,
    /// The sats of a consumed BRC-20 transfer inscription, which the repayment does not return; 0 for other collateral.
    #[schema(value_type = u64)]
    pub postage_sats: Sats,
    /// An estimate of the repayment's network fee, at the fee rate of the origination and with one coin, in sats.
    #[schema(value_type = u64)]
    pub repayment_fee_estimate_sats: Sats,
    /// The total cost of credit, in sats: the sum of interest, fees and postage. The lender pays the platform fee.
    #[schema(value_type = u64)]
    pub total_cost_sats: Sats,
    /// The total amount payable, in sats: principal and total cost of credit.
    #[schema(value_type = u64)]
    pub total_payable_sats: Sats,
    /// The annual percentage rate in percent, fees included; `null` above 99,999 %.
    #[schema(value_type = Option<f64>, required)]
    pub apr: Option<Percent>,
}

/// The result of a loan for its lender if it is repaid when due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LenderReturnView {
    /// The platform fee, in sats.
    #[schema(value_type = u64)]
    pub platform_fee_sats: Sats,
    /// Interest less platform fee, in sats.
    #[schema(value_type = u64)]
    pub gain_sats: Sats,
    /// The annual percentage rate of the sum lent in percent, platform fee included; `null` above 99,999 %.
    #[schema(value_type = Option<f64>, required)]
    pub yearly_return: Option<Percent>,
}

impl From<LoanCost> for LoanCostView {
    fn from(cost: LoanCost) -> Self {
        let charges = cost.charges();
        Self {
            interest_sats: cost.interest(),
            origination_fee_sats: charges.origination_fee,
            postage_sats: charges.postage,
            repayment_fee_estimate_sats: charges.repayment_fee,
            total_cost_sats: cost.total(),
            total_payable_sats: cost.payable(),
            apr: Percent::annual_rate(cost.received(), cost.repaid(), cost.term()),
        }
    }
}

impl From<LenderReturn> for LenderReturnView {
    fn from(result: LenderReturn) -> Self {
        Self {
            platform_fee_sats: result.platform_fee(),
            gain_sats: result.gain(),
            yearly_return: Percent::annual_rate(result.paid(), result.paid_back(), result.term()),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        GroupId, InterestRate, LoanDeal, OfferId, PledgedIds, ProcessType, SubCollectionId, TermDays, UnixMs, UserId,
    };

    use super::*;

    fn view(platform_fee: u64) -> LenderReturnView {
        let deal = LoanDeal {
            offer: OfferId::new(GroupId(3), 9).unwrap(),
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            lender: UserId(1),
            borrower: UserId(2),
            principal: Sats::new(1_000_000),
            rate: InterestRate::from_basis_points(120),
            interest: Sats::new(12_000),
            platform_fee: Sats::new(platform_fee),
            pledged_raw: 1,
            pledged_ids: PledgedIds::default(),
            term: TermDays(365),
            claim_after: UnixMs(9),
            follows: None,
        };
        LenderReturn::of(&deal).unwrap().into()
    }

    #[test]
    fn a_lenders_return_counts_the_platform_fee() {
        assert_eq!(view(2_400).gain_sats, Sats::new(9_600));
        // 1,012,000 of 1,002,400.
        assert_eq!(view(2_400).yearly_return, Some(Percent::from_hundredths(96)));
        assert_eq!(view(0).yearly_return, Some(Percent::from_hundredths(120)));
    }
}
