//! The second transaction of a loan against BRC-20: a new transfer note, inscribed straight into the escrow.
//!
//! A note is used up by its first move, so the borrower's note that the origination spends only makes the escrow's
//! script the owner of the balance. The reveal writes it into a new note:
//!
//! ```text
//! inputs                            outputs
//! 0  commit of the origination      0  escrow, with the note on its first sat
//!    (the borrower's leaf, DEFAULT) 1  pad
//!                                   2  pad
//! ```
//!
//! The borrower signs origination and reveal together, before the lender signs anything: the origination's id is known
//! by then, and so is the reveal's, which the lender's signature beforehand binds. Only the borrower can spend the
//! commit, by this script alone. Should he sign it away to something else once the loan has begun, the balance is still
//! the escrow's, and he hurts nobody but himself: after the claim time the lender inscribes a note into the escrow and
//! takes it. What the first note leaves in the escrow of the origination, a few hundred sats, goes to whoever both sides
//! sign for, or to the lender after the claim time.
//!
//! Both are sent as one package. The origination pays too little to be mined by itself and the reveal pays for both, so
//! that no transaction of anybody else fits between them; it is sped up by a child of the reveal's pads, never of the
//! origination. The loan has begun only when an indexer of BRC-20 takes the note for valid.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight, absolute};
use thiserror::Error;

use super::brc20_transfer::Brc20Transfer;
use super::collateral::{CollateralError, POSTAGE, vout};
use super::commit::{Commit, CommitError, reveals};
use super::loan_escrow::LoanEscrow;
use super::origination::{COMMIT, PAD};
use super::sat_flow::{SatPlace, arrival};
use super::template::{Template, fee_of, weight};
use super::unspendable::Purpose;

/// Where the escrow stands.
pub const ESCROW: usize = 0;
/// Where the pads stand.
pub const PADS: [usize; 2] = [1, 2];

/// What an origination pays that its reveal pays for, unless it is so large that nodes want more.
const UNDER_PAID: Amount = Amount::from_sat(100);
/// What nodes relay at all by default since Bitcoin Core 30: 0.1 sats per virtual byte. Being in a package does not
/// lower it for transactions of version 2.
const LEAST_RATE: FeeRate = FeeRate::from_sat_per_kwu(25);

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct Reveal<'a> {
    /// Where the note goes; its borrower signs.
    pub escrow: &'a LoanEscrow,
    /// The note.
    pub transfer: &'a Brc20Transfer,
    /// The transaction that commits to it.
    pub origination: &'a Template,
    /// Where the pads go.
    pub borrower_payment: &'a ScriptBuf,
    /// What both transactions together pay the miners.
    pub fee_rate: FeeRate,
}

/// Why no note can be revealed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealError {
    /// The borrower's coin does not carry a note alone.
    #[error(transparent)]
    Collateral(#[from] CollateralError),
    /// There is no output that commits to it.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The origination has no output that could be the commit, or one that does not pay for the reveal.
    #[error("the origination has no output for the note")]
    NoCommit,
    /// The finished transaction fails its final check and is not sent.
    #[error("the finished transaction is unsound: {0}")]
    Unsound(#[from] RevealFault),
}

/// What the last look at a finished reveal can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealFault {
    /// It spends something else than the one output that commits to the note.
    #[error("the commit is not all that is spent")]
    WrongCommit,
    /// The script says something else, or somebody else signs it.
    #[error("the script does not inscribe the note that was meant, signed by the borrower alone")]
    WrongNote,
    /// The note does not arrive on the first sat of the escrow.
    #[error("the note arrives at {found:?}, not on the escrow's first sat")]
    NoteAstray {
        /// Where it ends up; `None` when it is spent as fee.
        found: Option<SatPlace>,
    },
    /// The escrow's output is another one.
    #[error("the first output is not the escrow with its postage")]
    WrongEscrow,
    /// The borrower would have nothing to put in front of the escrow at the repayment.
    #[error("output {index} is not a pad for the borrower")]
    PadMissing {
        /// The output's index.
        index: usize,
    },
    /// Sats go elsewhere.
    #[error("output {index} has no business here")]
    ForeignOutput {
        /// The output's index.
        index: usize,
    },
    /// Both transactions together pay the miners more or less than the rate asks for.
    #[error("both fees are {found:?} together, and {expected} is due")]
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
        let (note, borrower) = (self.transfer.inscription(), self.escrow.terms().borrower);
        if !template.locks.first().is_some_and(|lock| reveals(lock, spent, &note, borrower)) {
            return Err(RevealFault::WrongNote);
        }
        let postage = TxOut { value: POSTAGE, script_pubkey: self.escrow.output().script_pubkey() };
        if transaction.output.get(ESCROW) != Some(&postage) {
            return Err(RevealFault::WrongEscrow);
        }
        let first = SatPlace { index: 0, offset: Amount::ZERO };
        let found = arrival(&template.input_amounts(), &template.output_amounts(), first);
        if found != Some(SatPlace { index: ESCROW, ..first }) {
            return Err(RevealFault::NoteAstray { found });
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

/// The output that the note waits in.
pub(super) fn commit(escrow: &LoanEscrow, transfer: &Brc20Transfer) -> Result<Commit, CommitError> {
    let terms = escrow.terms();
    Commit::new(&transfer.inscription(), terms.borrower, Purpose::Note(terms.loan))
}

/// What an origination of this weight pays, and what its commit holds so that the reveal pays for both.
pub(super) fn shares(
    commit: &Commit,
    origination: Weight,
    escrow: &LoanEscrow,
    borrower_payment: &ScriptBuf,
    fee_rate: FeeRate,
) -> Option<(Amount, Amount)> {
    let outputs = outputs(escrow, borrower_payment);
    // Where it is spent from makes no difference to what it weighs.
    let spend = commit.spend(OutPoint::null(), Amount::ZERO);
    let all = package_fee(origination, weight(&[spend], &outputs), fee_rate)?;
    let own = own_fee(origination, fee_rate)?;
    let held = outputs.iter().try_fold(all.checked_sub(own)?, |held, output| held.checked_add(output.value))?;
    Some((own, held))
}

/// What the origination pays itself.
pub(super) fn own_fee(origination: Weight, fee_rate: FeeRate) -> Option<Amount> {
    let least = fee_of(origination, LEAST_RATE)?.max(UNDER_PAID);
    Some(fee_of(origination, fee_rate)?.min(least))
}

/// What both pay together: what the rate asks for, and enough for each to be relayed.
fn package_fee(origination: Weight, reveal: Weight, fee_rate: FeeRate) -> Option<Amount> {
    let least = own_fee(origination, fee_rate)?.checked_add(fee_of(reveal, LEAST_RATE)?)?;
    Some(fee_of(origination.checked_add(reveal)?, fee_rate)?.max(least))
}

fn outputs(escrow: &LoanEscrow, borrower_payment: &ScriptBuf) -> Vec<TxOut> {
    let pad = TxOut { value: PAD, script_pubkey: borrower_payment.clone() };
    vec![TxOut { value: POSTAGE, script_pubkey: escrow.output().script_pubkey() }, pad.clone(), pad]
}
