//! A loan's view for one of its two sides.

use std::sync::Arc;

use domain::{
    Ending, GroupId, LoanId, LoanStage, OfferId, PendingAction, RefinanceObstacle, ReservationId, Role, Sats, Slug,
    UnixMs, UserId,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AsString, CollateralName, LoanProcessType, Percent, RefinanceOrderView, Txid};

/// A side of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleName {
    /// The borrower, who pledged the collateral and owes the repayment.
    Borrower,
    /// The lender, who paid the principal.
    Lender,
}

impl From<RoleName> for Role {
    fn from(role: RoleName) -> Self {
        match role {
            RoleName::Borrower => Self::Borrower,
            RoleName::Lender => Self::Lender,
        }
    }
}

impl From<Role> for RoleName {
    fn from(role: Role) -> Self {
        match role {
            Role::Borrower => Self::Borrower,
            Role::Lender => Self::Lender,
        }
    }
}

/// The stage of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// Waits for the borrower's signature.
    Prepared,
    /// Waits for the lender's signature.
    AwaitingLender,
    /// Broadcast and not confirmed yet.
    Broadcast,
    /// Running: confirmed, and the term is not over.
    Active,
    /// The term is over. It can be repaid as long as the collateral is not claimed.
    Expired,
    /// The borrower's transaction is not confirmed yet.
    Repaying,
    /// The lender's transaction is not confirmed yet.
    Claiming,
    /// Repaid, by the borrower or out of the loan that follows.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Not signed in time, or cancelled by one side.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// Failed before it began: its coins were spent otherwise.
    Failed,
}

impl From<LoanStage> for StageName {
    fn from(stage: LoanStage) -> Self {
        match stage {
            LoanStage::Prepared => Self::Prepared,
            LoanStage::AwaitingLender => Self::AwaitingLender,
            LoanStage::Broadcast => Self::Broadcast,
            LoanStage::Active => Self::Active,
            LoanStage::Expired => Self::Expired,
            LoanStage::Repaying => Self::Repaying,
            LoanStage::Claiming => Self::Claiming,
            LoanStage::Repaid => Self::Repaid,
            LoanStage::Claimed => Self::Claimed,
            LoanStage::Cancelled => Self::Cancelled,
            LoanStage::Lapsed => Self::Lapsed,
            LoanStage::Failed => Self::Failed,
        }
    }
}

/// The state of a loan in the usual terms of lending markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum LoanState {
    /// Waits for the borrower's signature.
    Offered,
    /// Waits for the lender's signature.
    Accepted,
    /// Broadcast and not confirmed yet.
    Activating,
    /// Running: confirmed, and the term is not over.
    Active,
    /// The borrower's transaction is not confirmed yet.
    Repaying,
    /// Repaid.
    Repaid,
    /// The term is over.
    Defaulted,
    /// The lender's transaction is not confirmed yet.
    Claiming,
    /// The lender has the collateral.
    Claimed,
    /// Cancelled, or not signed in time.
    Cancelled,
    /// Failed before it began: its coins were spent otherwise.
    Failed,
}

impl LoanState {
    /// The state for a stage; a loan whose term is over has defaulted, whether or not that event is recorded yet.
    #[must_use]
    pub const fn of(stage: LoanStage, is_overdue: bool) -> Self {
        match stage {
            LoanStage::Prepared => Self::Offered,
            LoanStage::AwaitingLender => Self::Accepted,
            LoanStage::Broadcast => Self::Activating,
            LoanStage::Active if is_overdue => Self::Defaulted,
            LoanStage::Active => Self::Active,
            LoanStage::Expired => Self::Defaulted,
            LoanStage::Repaying => Self::Repaying,
            LoanStage::Claiming => Self::Claiming,
            LoanStage::Repaid => Self::Repaid,
            LoanStage::Claimed => Self::Claimed,
            LoanStage::Cancelled | LoanStage::Lapsed => Self::Cancelled,
            LoanStage::Failed => Self::Failed,
        }
    }

    /// Its name in exported files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offered => "OFFERED",
            Self::Accepted => "ACCEPTED",
            Self::Activating => "ACTIVATING",
            Self::Active => "ACTIVE",
            Self::Repaying => "REPAYING",
            Self::Repaid => "REPAID",
            Self::Defaulted => "DEFAULTED",
            Self::Claiming => "CLAIMING",
            Self::Claimed => "CLAIMED",
            Self::Cancelled => "CANCELLED",
            Self::Failed => "FAILED",
        }
    }
}

/// The kind of transaction that ends a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EndingName {
    /// The borrower repays and gets the collateral back.
    Repayment,
    /// The lender takes the collateral.
    Claim,
    /// A new loan of another lender repays this one.
    Refinance,
    /// Lender and borrower agree on a new term, in a loan that follows.
    Extension,
}

impl From<Ending> for EndingName {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Repayment => Self::Repayment,
            Ending::Claim => Self::Claim,
            Ending::Refinance(_) => Self::Refinance,
            Ending::Extension(_) => Self::Extension,
        }
    }
}

/// The next action that a loan waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitName {
    /// The borrower's signature.
    Signature,
    /// The lender's counter-signature.
    CounterSignature,
    /// The repayment, which is due within three days or overdue.
    Repayment,
    /// The lender's claim of the collateral.
    Claim,
}

impl From<PendingAction> for WaitName {
    fn from(wait: PendingAction) -> Self {
        match wait {
            PendingAction::Signature => Self::Signature,
            PendingAction::CounterSignature => Self::CounterSignature,
            PendingAction::Repayment => Self::Repayment,
            PendingAction::Claim => Self::Claim,
        }
    }
}

/// The reason why a loan cannot be refinanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefinanceRefusal {
    /// A BRC-20 transfer inscription is consumed by its first move.
    TransferNote,
    /// No manual offer of the collection asks for exactly the pledged amount.
    NoSuchBundle,
}

impl From<RefinanceObstacle> for RefinanceRefusal {
    fn from(obstacle: RefinanceObstacle) -> Self {
        match obstacle {
            RefinanceObstacle::Brc20Transfer => Self::TransferNote,
            RefinanceObstacle::NoMatchingBundle => Self::NoSuchBundle,
        }
    }
}

/// A loan's view for one of its two sides. It never contains signatures, or the parts of transactions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanView {
    /// Its id.
    #[schema(value_type = String)]
    pub loan_id: AsString<LoanId>,
    /// The id of the request that accepted the offer.
    #[schema(value_type = String)]
    pub offer_accept_request_id: AsString<ReservationId>,
    /// The reader's side.
    pub role: RoleName,
    /// The stage.
    pub stage: StageName,
    /// The state, in the usual terms of lending markets.
    pub state: LoanState,
    /// The action that the loan waits for from the reader; `null` for none.
    #[schema(required)]
    pub waits_for: Option<WaitName>,
    /// Whether the term is over and no repayment is confirmed.
    pub is_overdue: bool,
    /// The offer that was taken.
    #[schema(value_type = String)]
    pub offer_id: AsString<OfferId>,
    /// The lender.
    #[schema(value_type = String)]
    pub lender_id: AsString<UserId>,
    /// The borrower.
    #[schema(value_type = String)]
    pub borrower_id: AsString<UserId>,
    /// The group of the collateral.
    #[schema(value_type = String)]
    pub group_id: AsString<GroupId>,
    /// The group's slug in URLs.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The group's display name.
    #[schema(value_type = String)]
    pub collection_name: Arc<str>,
    /// The group's display symbol.
    #[schema(value_type = String)]
    pub collection_symbol: Arc<str>,
    /// The group's image.
    #[serde(rename = "collectionImgURL")]
    #[schema(value_type = String)]
    pub collection_img_url: Arc<str>,
    /// The sub-collection of the offer.
    #[schema(value_type = Option<String>, required)]
    pub collection_slug: Option<Slug>,
    /// The type of the collateral.
    pub collateral_type: CollateralName,
    /// The pledged inscription, or the first of several; `null` for tokens.
    #[schema(required)]
    pub inscription_id: Option<String>,
    /// All pledged inscriptions; empty for tokens.
    pub inscription_ids: Vec<String>,
    /// The collateral in raw units; `null` for inscriptions.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<AsString<u128>>,
    /// The rune's id; `null` for others.
    #[schema(required)]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[schema(required)]
    pub rune_name: Option<String>,
    /// Decimals of a token; `null` for inscriptions.
    #[schema(required)]
    pub rune_decimals: Option<u8>,
    /// The BRC-20 ticker; `null` for others.
    #[schema(required)]
    pub ticker: Option<String>,
    /// `Manual` or `Instant`.
    pub loan_process_type: LoanProcessType,
    /// The principal.
    #[schema(value_type = u64)]
    pub principal: Sats,
    /// Interest for the whole term.
    #[schema(value_type = f64)]
    pub interest: Percent,
    /// Yearly yield.
    #[schema(value_type = f64)]
    pub apy: Percent,
    /// Interest in sats.
    #[schema(value_type = u64)]
    pub interest_sats: Sats,
    /// The repayment, interest included.
    #[schema(value_type = u64)]
    pub payout_sats: Sats,
    /// The platform fee paid by the lender; `null` for the borrower, who pays none.
    #[schema(value_type = Option<u64>, required)]
    pub platform_fee_sats: Option<Sats>,
    /// The days from its first block until it is due; of an extension, the days added to the term of the loan that it
    /// follows.
    pub term: u16,
    /// The time at which it was prepared.
    #[schema(value_type = u64)]
    pub prepared_at: UnixMs,
    /// The deadline of the next signature; `null` once it is fully signed or has ended.
    #[schema(value_type = Option<u64>, required)]
    pub expires_at: Option<UnixMs>,
    /// The time at which the borrower last accepted.
    #[schema(value_type = Option<u64>, required)]
    pub accepted_date: Option<UnixMs>,
    /// The start of the term: the time of its block.
    #[schema(value_type = Option<u64>, required)]
    pub started_at: Option<UnixMs>,
    /// The time at which the repayment is due.
    #[schema(value_type = Option<u64>, required)]
    pub due_at: Option<UnixMs>,
    /// The due time of an extension, whatever block it begins in; `null` for any other loan.
    #[schema(value_type = Option<u64>, required)]
    pub extended_until: Option<UnixMs>,
    /// The time from which the lender may take the collateral. Block times lag about an hour behind the clock.
    #[schema(value_type = u64)]
    pub claim_after: UnixMs,
    /// The time of the block that ended it.
    #[schema(value_type = Option<u64>, required)]
    pub ended_at: Option<UnixMs>,
    /// The time of the last change.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
    /// The id of its transaction, once it is fully signed.
    #[schema(value_type = Option<String>, required)]
    pub transaction_id: Option<AsString<Txid>>,
    /// The kind of transaction that ends or ended it.
    #[schema(required)]
    pub ending: Option<EndingName>,
    /// The id of that transaction.
    #[schema(value_type = Option<String>, required)]
    pub ending_transaction_id: Option<AsString<Txid>>,
    /// The loan that this one replaced.
    #[schema(value_type = Option<String>, required)]
    pub follows: Option<AsString<LoanId>>,
    /// The loan that replaces this one.
    #[schema(value_type = Option<String>, required)]
    pub followed_by: Option<AsString<LoanId>>,
    /// The reason why this loan can never be refinanced; `null` where it can.
    #[schema(required)]
    pub refinance_refusal: Option<RefinanceRefusal>,
    /// The borrower's standing order to refinance it; `null` for the lender.
    #[schema(required)]
    pub refinance_order: Option<RefinanceOrderView>,
    /// The points that it has earned the reader so far.
    pub points: u64,
}
