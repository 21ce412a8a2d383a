//! The reveal of a loan against BRC-20: the second transaction, which inscribes a new transfer into the escrow.
//!
//! A transfer inscription is consumed by its first move, so the borrower's inscription that the origination spends only
//! credits the escrow's script with the balance. The reveal inscribes the balance as a new transfer:
//!
//! ```text
//! inputs                            outputs
//! 0  commit of the origination      0  escrow, with the transfer on its first sat
//!    (the borrower's leaf, DEFAULT) 1  pad
//!                                   2  pad
//! ```
//!
//! The borrower signs origination and reveal together, before the lender signs: the ids of both are known by then, and
//! the lender's pre-signature commits to that of the reveal. Only the borrower can spend the commit, by this script
//! alone. A borrower who signs it away to another transaction once the loan has begun leaves the balance with the
//! escrow, and only harms themselves: after the claim time the lender inscribes a transfer into the escrow and takes
//! it. The few hundred sats that the first inscription leaves in the escrow of the origination can be spent by both
//! sides together, or by the lender after the claim time.
//!
//! Both are sent as one package. The origination pays too little to be mined alone and the reveal pays for both, so
//! that no other transaction fits between them; the package is accelerated by a child of the reveal's pads, never of
//! the origination. The loan has begun only when a BRC-20 indexer reports the transfer as valid.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight, absolute};
use thiserror::Error;

use super::collateral::CollateralError;
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::{COMMIT, PAD};
use crate::contract::assets::asset_coin::POSTAGE;
use crate::contract::assets::brc20_transfer::Brc20Transfer;
use crate::contract::assets::commit::{Commit, CommitError, is_reveal_of};
use crate::contract::assets::sat_flow::{SatPlace, arrival};
use crate::contract::transaction::template::vout;
use crate::contract::transaction::template::{Template, fee_of, weight};
use crate::contract::transaction::unspendable::Purpose;

/// The index of the escrow.
pub const ESCROW: usize = 0;
/// The indices of the pads.
pub const PADS: [usize; 2] = [1, 2];

/// The fee that an origination pays itself, unless it is so large that nodes require more.
const PARENT_FEE: Amount = Amount::from_sat(100);
/// The default minimum relay fee rate since Bitcoin Core 30: 0.1 sats per virtual byte. A package does not lower it for
/// transactions of version 2.
const MIN_RELAY_FEE_RATE: FeeRate = FeeRate::from_sat_per_kwu(25);

/// A reveal to build.
#[derive(Clone, Copy, Debug)]
pub struct Reveal<'a> {
    /// The escrow that receives the inscription; its borrower signs.
    pub escrow: &'a LoanEscrow,
    /// The transfer.
    pub transfer: &'a Brc20Transfer,
    /// The transaction that commits to it.
    pub origination: &'a Template,
    /// The script that receives the pads.
    pub borrower_payment: &'a ScriptBuf,
    /// The fee rate of both transactions together.
    pub fee_rate: FeeRate,
}

/// The reason why there can be no reveal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealError {
    /// The borrower's coin does not carry exactly one transfer inscription.
    #[error(transparent)]
    Collateral(#[from] CollateralError),
    /// There is no commit output for the transfer.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The origination has no commit output, or one that does not fund the reveal.
    #[error("the origination has no commit output")]
    NoCommit,
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] RevealFault),
}

/// A fault that the final check of a finished reveal can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealFault {
    /// The inputs are not the commit output alone.
    #[error("the inputs are not the commit output alone")]
    WrongCommit,
    /// The script inscribes other content, or requires another signer.
    #[error("the script does not inscribe the expected transfer, signed by the borrower alone")]
    WrongInscription,
    /// The inscription does not arrive on the first sat of the escrow.
    #[error("the inscription arrives at {found:?}, not on the escrow's first sat")]
    InscriptionMisplaced {
        /// The place where it arrives; `None` if it is spent as fee.
        found: Option<SatPlace>,
    },
    /// The first output is not the expected escrow.
    #[error("the first output is not the escrow with its postage")]
    WrongEscrow,
    /// A pad is missing, which the borrower needs before the escrow at the repayment.
    #[error("output {index} is not a pad for the borrower")]
    PadMissing {
        /// The output's index.
        index: usize,
    },
    /// There is a surplus output.
    #[error("output {index} is unexpected")]
    ForeignOutput {
        /// The output's index.
        index: usize,
    },
    /// The fee of both transactions together is not what the fee rate requires.
    #[error("the two fees total {found:?}, and {expected} is due")]
    WrongFee {
        /// The amount due.
        expected: Amount,
        /// The amount paid.
        found: Option<Amount>,
    },
}

impl Reveal<'_> {
    /// Builds the transaction, with every sat accounted for.
    pub fn build(&self) -> Result<Template, RevealError> {
        let commit = commit(self.escrow, self.transfer)?;
        let output = self.origination.psbt.unsigned_tx.output.get(COMMIT).ok_or(RevealError::NoCommit)?;
        let outpoint = OutPoint::new(self.origination.final_txid(), vout(COMMIT));
        let spends = [commit.spend(outpoint, output.value)];
        let outputs = outputs(self.escrow, self.borrower_payment);
        let template = Template::new(Version::TWO, absolute::LockTime::ZERO, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), RevealFault> {
        let transaction = &template.psbt.unsigned_tx;
        let committed = self.origination.psbt.unsigned_tx.output.get(COMMIT);
        let spent = template.psbt.inputs.first().and_then(|input| input.witness_utxo.as_ref());
        let outpoint = OutPoint::new(self.origination.final_txid(), vout(COMMIT));
        let is_all = transaction.input.len() == 1 && transaction.input[0].previous_output == outpoint;
        let Some(spent) = spent.filter(|spent| is_all && committed == Some(*spent)) else {
            return Err(RevealFault::WrongCommit);
        };
        let (inscription, borrower) = (self.transfer.inscription(), self.escrow.terms().borrower);
        if !template.locks.first().is_some_and(|lock| is_reveal_of(lock, spent, &inscription, borrower)) {
            return Err(RevealFault::WrongInscription);
        }
        let postage = TxOut { value: POSTAGE, script_pubkey: self.escrow.output().script_pubkey() };
        if transaction.output.get(ESCROW) != Some(&postage) {
            return Err(RevealFault::WrongEscrow);
        }
        let first = SatPlace { index: 0, offset: Amount::ZERO };
        let found = arrival(&template.input_amounts(), &template.output_amounts(), first);
        if found != Some(SatPlace { index: ESCROW, ..first }) {
            return Err(RevealFault::InscriptionMisplaced { found });
        }
        let pad = TxOut { value: PAD, script_pubkey: self.borrower_payment.clone() };
        if let Some(index) = PADS.into_iter().find(|index| transaction.output.get(*index) != Some(&pad)) {
            return Err(RevealFault::PadMissing { index });
        }
        if transaction.output.len() > 3 {
            return Err(RevealFault::ForeignOutput { index: 3 });
        }
        let expected = package_fee(self.origination.weight, template.weight, self.fee_rate);
        let expected = expected.unwrap_or(Amount::MAX_MONEY);
        let found = self.origination.fee().zip(template.fee()).and_then(|(first, second)| first.checked_add(second));
        if found == Some(expected) { Ok(()) } else { Err(RevealFault::WrongFee { expected, found }) }
    }
}

/// The commit output of the transfer.
pub(super) fn commit(escrow: &LoanEscrow, transfer: &Brc20Transfer) -> Result<Commit, CommitError> {
    let terms = escrow.terms();
    Commit::new(&transfer.inscription(), terms.borrower, Purpose::LoanTransfer(terms.loan))
}

/// The fee that an origination of this weight pays, and the value of its commit with which the reveal pays for both.
pub(super) fn fee_and_commit_value(
    commit: &Commit,
    origination: Weight,
    escrow: &LoanEscrow,
    borrower_payment: &ScriptBuf,
    fee_rate: FeeRate,
) -> Option<(Amount, Amount)> {
    let outputs = outputs(escrow, borrower_payment);
    // The outpoint does not affect the weight.
    let spend = commit.spend(OutPoint::null(), Amount::ZERO);
    let all = package_fee(origination, weight(&[spend], &outputs), fee_rate)?;
    let own = own_fee(origination, fee_rate)?;
    let held = outputs.iter().try_fold(all.checked_sub(own)?, |held, output| held.checked_add(output.value))?;
    Some((own, held))
}

/// The fee that the origination pays itself.
pub(super) fn own_fee(origination: Weight, fee_rate: FeeRate) -> Option<Amount> {
    let least = fee_of(origination, MIN_RELAY_FEE_RATE)?.max(PARENT_FEE);
    Some(fee_of(origination, fee_rate)?.min(least))
}

/// The fee of both: what the fee rate requires, and enough for each to be relayed.
fn package_fee(origination: Weight, reveal: Weight, fee_rate: FeeRate) -> Option<Amount> {
    let least = own_fee(origination, fee_rate)?.checked_add(fee_of(reveal, MIN_RELAY_FEE_RATE)?)?;
    Some(fee_of(origination.checked_add(reveal)?, fee_rate)?.max(least))
}

fn outputs(escrow: &LoanEscrow, borrower_payment: &ScriptBuf) -> Vec<TxOut> {
    let pad = TxOut { value: PAD, script_pubkey: borrower_payment.clone() };
    vec![TxOut { value: POSTAGE, script_pubkey: escrow.output().script_pubkey() }, pad.clone(), pad]
}
