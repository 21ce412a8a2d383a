//! The sizes of a run: loans, outputs, and the events that are allowed.

use domain::{
    GroupId, InterestRate, LoanCoins, LoanDeal, LoanEvent, LoanId, Nonce, OfferId, Outpoint, ProcessType,
    ReservationId, Sats, SpendId, SubCollectionId, TermDays, UnixMs, UserId,
};

/// The time of every event: deadlines pass by a step of the model, not by a clock.
pub const NOW: UnixMs = UnixMs(1_700_049_600_000);
/// The deadline of signatures.
pub const UNTIL: UnixMs = UnixMs(NOW.0 + 900_000);
/// The principal of each loan.
pub const PRINCIPAL: Sats = Sats::new(600_000);
/// The amount of the withdrawal.
pub const WITHDRAWN: Sats = Sats::new(300_000);
/// The id of the withdrawal.
pub const WITHDRAWAL: Nonce = Nonce(99);

/// A loan that a borrower may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoanSpec {
    /// The borrower, by number.
    pub borrower: u8,
    /// The offer, by number; one loan takes it as a whole.
    pub offer: u8,
    /// The collateral, by number.
    pub collateral: u8,
}

/// The sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The loans.
    pub loans: Vec<LoanSpec>,
    /// The confirmed outputs of the vault at the start.
    pub outputs: Vec<Sats>,
    /// Whether the lender withdraws.
    pub withdraws: bool,
    /// Whether transactions are sent to the node.
    pub broadcasts: bool,
    /// Whether the process crashes, and answers of the signer are lost.
    pub crashes: bool,
    /// The number of blocks that a reorg disconnects.
    pub reorgs: u8,
    /// The number of collateral outputs that their owner spends elsewhere.
    pub double_spends: u8,
}

impl Setup {
    /// The number of transactions: a loan each, and the withdrawal.
    #[must_use]
    pub const fn transactions(&self) -> usize {
        if self.withdraws { self.loans.len() + 1 } else { self.loans.len() }
    }

    /// The vault's sats at the start.
    #[must_use]
    pub fn total(&self) -> Sats {
        self.outputs.iter().copied().sum()
    }

    /// The transaction's identity in the vault.
    #[must_use]
    pub fn spend_id(&self, transaction: usize) -> SpendId {
        match self.loans.get(transaction) {
            Some(_) => SpendId::Loan(reservation_of(transaction)),
            None => SpendId::Withdrawal(WITHDRAWAL),
        }
    }
}

/// The outpoint of an output of the vault at the start.
#[must_use]
pub fn vault_output(number: usize) -> Outpoint {
    Outpoint { txid: [200 + byte(number); 32], vout: 0 }
}

/// The txid of a transaction.
#[must_use]
pub fn txid(transaction: usize) -> [u8; 32] {
    [10 + byte(transaction); 32]
}

/// The change of a transaction.
#[must_use]
pub fn change_output(transaction: usize) -> Outpoint {
    Outpoint { txid: txid(transaction), vout: 1 }
}

/// The collateral with this number.
#[must_use]
pub const fn collateral_output(number: u8) -> Outpoint {
    Outpoint { txid: [100 + number; 32], vout: 0 }
}

/// The id of a loan.
#[must_use]
pub fn loan_id(loan: usize) -> LoanId {
    LoanId(u128::from(byte(loan)) + 1)
}

/// The id of its reservation.
#[must_use]
pub fn reservation_of(loan: usize) -> ReservationId {
    ReservationId(loan_id(loan).0)
}

fn byte(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The event that prepares a loan, between these users and by this offer.
#[must_use]
pub fn prepared(spec: LoanSpec, offer: OfferId, lender: UserId, borrower: UserId) -> LoanEvent {
    let deal = LoanDeal {
        offer,
        sub_collection: SubCollectionId(0),
        process: ProcessType::Instant,
        lender,
        borrower,
        principal: PRINCIPAL,
        rate: InterestRate::from_basis_points(100),
        interest: Sats::new(6_000),
        platform_fee: Sats::ZERO,
        pledged_raw: 1,
        pledged_ids: [format!("{}i0", spec.collateral)].iter().map(String::as_str).collect(),
        term: TermDays(7),
        claim_after: UnixMs(NOW.0 + 9 * 86_400_000),
        follows: None,
    };
    let coins = LoanCoins { collateral: vec![collateral_output(spec.collateral)], money: Vec::new() };
    LoanEvent::SoftPrepared { deal: Box::new(deal), contract: "{}".to_owned(), expires_at: UNTIL, coins }
}

/// The same with ids of its own, where there is no market.
#[must_use]
pub fn prepared_alone(spec: LoanSpec) -> LoanEvent {
    prepared(
        spec,
        OfferId((u64::from(GroupId(1).0) << 40) + u64::from(spec.offer)),
        UserId(1),
        UserId(2 + u64::from(spec.borrower)),
    )
}
