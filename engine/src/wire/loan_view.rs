//! A loan as one of its two sides sees it.

use domain::{
    Ending, GroupId, LoanId, LoanStage, OfferId, ReservationId, Role, Sats, Slug, TakeoverObstacle, UnixMs, UserId,
    Wait,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CollateralName, LoanProcessType, Percent, Shown, Txid};

/// A side of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleName {
    /// Pledged the collateral and owes the money.
    Borrower,
    /// Gave the money.
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

/// Where a loan stands, step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// The borrower is to sign.
    Prepared,
    /// The lender is to sign.
    AwaitingLender,
    /// It waits for its block.
    Broadcast,
    /// The term runs.
    Active,
    /// The term is over. It can be repaid as long as the collateral is not claimed.
    Expired,
    /// The borrower's transaction waits for its block.
    Repaying,
    /// The lender's transaction waits for its block.
    Claiming,
    /// Repaid, by the borrower or by the loan that follows.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Nobody signed, or somebody would not.
    Cancelled,
    /// The lender did not sign in time.
    Lapsed,
    /// It could never begin.
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

/// Where a loan stands, as people are used to call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum LoanState {
    /// The borrower is to sign.
    Offered,
    /// The lender is to sign.
    Accepted,
    /// It waits for its block.
    Activating,
    /// The term runs.
    Active,
    /// The borrower's transaction waits for its block.
    Repaying,
    /// It was repaid.
    Repaid,
    /// The term is over.
    Defaulted,
    /// The lender's transaction waits for its block.
    Claiming,
    /// The lender has the collateral.
    Claimed,
    /// It was called off, or nobody signed in time.
    Cancelled,
    /// It could never begin.
    Failed,
}

impl LoanState {
    /// The state of a loan that stands there; one whose term is over has defaulted, whether or not that was noted.
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

    /// Its name in files.
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

/// By which transaction a loan ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EndingName {
    /// The borrower pays and has the collateral back.
    Repayment,
    /// The lender takes the collateral.
    Claim,
    /// Another lender pays this one.
    Refinance,
    /// Both let a loan with a later date follow.
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

/// What somebody is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitName {
    /// The borrower's signature.
    Signature,
    /// The lender's signature.
    CounterSignature,
    /// The repayment, which is due within three days or overdue.
    Repayment,
    /// The lender may take the collateral.
    Claim,
}

impl From<Wait> for WaitName {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Signature => Self::Signature,
            Wait::CounterSignature => Self::CounterSignature,
            Wait::Repayment => Self::Repayment,
            Wait::Claim => Self::Claim,
        }
    }
}

/// Why no other loan can replace a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefinanceRefusal {
    /// A BRC-20 transfer is consumed by its first move.
    TransferNote,
    /// No manual offer of the collection asks for exactly what is pledged.
    NoSuchBundle,
}

impl From<TakeoverObstacle> for RefinanceRefusal {
    fn from(obstacle: TakeoverObstacle) -> Self {
        match obstacle {
            TakeoverObstacle::TransferNote => Self::TransferNote,
            TakeoverObstacle::NoSuchBundle => Self::NoSuchBundle,
        }
    }
}

/// A loan as one of its two sides sees it. Signatures, and what transactions are made of, are never in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanView {
    /// Its id.
    #[schema(value_type = String)]
    pub loan_id: Shown<LoanId>,
    /// The request by which the offer was accepted.
    #[schema(value_type = String)]
    pub offer_accept_request_id: Shown<ReservationId>,
    /// On which side the reader is.
    pub role: RoleName,
    /// Where it stands, step by step.
    pub stage: StageName,
    /// Where it stands, as people are used to call it.
    pub state: LoanState,
    /// What it waits for the reader to do; `null` for nothing.
    #[schema(required)]
    pub waits_for: Option<WaitName>,
    /// Whether its time is over and nobody has begun to repay it.
    pub is_overdue: bool,
    /// Which offer was taken.
    #[schema(value_type = String)]
    pub offer_id: Shown<OfferId>,
    /// Whose offer.
    #[schema(value_type = String)]
    pub lender_id: Shown<UserId>,
    /// Who took it.
    #[schema(value_type = String)]
    pub borrower_id: Shown<UserId>,
    /// The group of the collateral.
    #[schema(value_type = String)]
    pub group_id: Shown<GroupId>,
    /// The group's name in addresses.
    #[schema(value_type = String)]
    pub group_slug: Slug,
    /// The group's name for people.
    pub collection_name: String,
    /// The group's symbol for people.
    pub collection_symbol: String,
    /// The group's picture.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// The term or bundle that the offer stood in.
    #[schema(value_type = Option<String>, required)]
    pub collection_slug: Option<Slug>,
    /// What is pledged.
    pub collateral_type: CollateralName,
    /// The inscription that is pledged; `null` for tokens.
    #[schema(required)]
    pub inscription_id: Option<String>,
    /// What is pledged in raw units; `null` for inscriptions.
    #[schema(value_type = Option<String>, required)]
    pub fungible_amount: Option<Shown<u128>>,
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
    /// What was lent.
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
    /// What is paid back, interest included.
    #[schema(value_type = u64)]
    pub payout_sats: Sats,
    /// What the lender paid the platform; `null` for the borrower, whom it costs nothing.
    #[schema(value_type = Option<u64>, required)]
    pub platform_fee_sats: Option<Sats>,
    /// Days from its first block until it is due; of more time, days on top of those of the loan that it follows.
    pub term: u16,
    /// When it was prepared.
    #[schema(value_type = u64)]
    pub prepared_at: UnixMs,
    /// Until when whoever is next can sign; `null` once all have.
    #[schema(value_type = Option<u64>, required)]
    pub expires_at: Option<UnixMs>,
    /// When the borrower accepted, for the last time.
    #[schema(value_type = Option<u64>, required)]
    pub accepted_date: Option<UnixMs>,
    /// When the term began: its block's time.
    #[schema(value_type = Option<u64>, required)]
    pub started_at: Option<UnixMs>,
    /// When it is to be repaid.
    #[schema(value_type = Option<u64>, required)]
    pub due_at: Option<UnixMs>,
    /// Of more time for the loan that it follows, until when: it is due then, whatever block it begins in. `null` for a
    /// loan of an offer.
    #[schema(value_type = Option<u64>, required)]
    pub extended_until: Option<UnixMs>,
    /// From when on the lender may take the collateral. Blocks run about an hour behind the clock.
    #[schema(value_type = u64)]
    pub claim_after: UnixMs,
    /// When it ended in a block.
    #[schema(value_type = Option<u64>, required)]
    pub ended_at: Option<UnixMs>,
    /// When anything of this last changed.
    #[schema(value_type = u64)]
    pub updated_at: UnixMs,
    /// Its transaction, once all have signed.
    #[schema(value_type = Option<String>, required)]
    pub transaction_id: Option<Shown<Txid>>,
    /// How it ends or ended.
    #[schema(required)]
    pub ending: Option<EndingName>,
    /// By which transaction.
    #[schema(value_type = Option<String>, required)]
    pub ending_transaction_id: Option<Shown<Txid>>,
    /// The loan that this one replaced.
    #[schema(value_type = Option<String>, required)]
    pub follows: Option<Shown<LoanId>>,
    /// The loan that replaces this one.
    #[schema(value_type = Option<String>, required)]
    pub followed_by: Option<Shown<LoanId>>,
    /// Why no other loan can ever replace this one; `null` where one can.
    #[schema(required)]
    pub refinance_refusal: Option<RefinanceRefusal>,
    /// What it has earned the reader so far.
    pub points: u64,
}
