//! An order for a user's own transfer inscription: two transactions, of which the user signs one.
//!
//! ```text
//! commit                                 reveal
//! the user's coins -> 0  commit      ->  commit -> 0  the transfer on its first sat, for the user's ordinals address
//!                       1  change
//! ```
//!
//! A transfer is valid only at the address that owns the balance of its ticker, so it goes to that address; redirecting
//! it would only inscribe text without effect. At risk are the sats of the commit: the postage and the fee of the
//! reveal, some hundred to some thousand.
//!
//! **Only the maker of the reveal key could take them.** There is no key path, and the one script requires a key that
//! is generated for this order. The server generates it, signs the reveal with it and destroys it before the commit is
//! handed out, which is possible because the commit's id is known before it is signed. From then on the reveal is the
//! only transaction that can spend the commit. A server that kept the key against this rule could take those sats until
//! the reveal is confirmed, but never a token. A leaf that requires the user's ordinals key would avoid that trust, at
//! the cost of a second signature that not every wallet can make.
//!
//! Each transaction pays the fee rate by itself. Only the user has an output of either, so no other party can pin them;
//! they are still sent as one package, so that the commit is never broadcast alone.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache, TaprootError};
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, FeeRate, OutPoint, ScriptBuf, TapSighashType, Transaction, TxOut, XOnlyPublicKey, absolute, taproot,
};
use thiserror::Error;

use crate::contract::assets::asset_coin::POSTAGE;
use crate::contract::assets::brc20_transfer::Brc20Transfer;
use crate::contract::assets::commit::{Commit, CommitError, is_reveal_of};
use crate::contract::signing::finished::FinishError;
use crate::contract::signing::signatures::SignatureError;
use crate::contract::transaction::assembly::{Assembly, AssemblyError, WrongFee, check_exact_fee, check_fee, sum};
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::lock::Lock;
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{Template, fee_of, has_address, weight};
use crate::contract::transaction::unspendable::Purpose;

/// A transfer inscription to order.
#[derive(Clone, Copy, Debug)]
pub struct InscribeTransfer<'a> {
    /// The id of the order, which makes its script unique.
    pub order: u128,
    /// The transfer.
    pub transfer: &'a Brc20Transfer,
    /// The key that signs the reveal, generated for this order.
    pub reveal_key: XOnlyPublicKey,
    /// The user's ordinals address, which owns the balance and receives the inscription.
    pub destination: &'a ScriptBuf,
    /// The user's coins that pay, without inscriptions or runes; all of them are spent.
    pub coins: &'a [Coin],
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
    /// The fee rate of each of the two transactions.
    pub fee_rate: FeeRate,
}

/// Both transactions of an order, without any signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitAndReveal {
    /// The commit, which the user signs.
    pub commit: Template,
    /// The reveal, which the reveal key signs.
    pub reveal: Template,
}

/// The reason why a transfer cannot be inscribed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InscribeTransferError {
    /// The script has no address.
    #[error("the receiving script has no address")]
    NoAddress,
    /// There is no commit output for it.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The coins do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transactions fail their final check and are not handed out.
    #[error("the transactions fail their final check: {0}")]
    Unsound(#[from] InscribeTransferFault),
}

/// A fault that the final check of both transactions can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InscribeTransferFault {
    /// The commit spends other inputs than the coins, or not all of them.
    #[error("input {index} of the commit is not the expected coin")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// An output of the commit is neither the commit output nor change.
    #[error("output {index} of the commit is neither the commit output nor the change")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The reveal spends other inputs than the first output of the commit.
    #[error("the reveal does not spend the commit output alone")]
    WrongCommit,
    /// The script inscribes other content, or requires another signer.
    #[error("the script does not inscribe the expected transfer, signed by the reveal key alone")]
    WrongInscription,
    /// The reveal's output is not the user's postage alone.
    #[error("the reveal has other outputs than the postage to the receiving address")]
    InscriptionMisplaced,
    /// A transaction has another version, locktime or weight than expected.
    #[error("version, locktime or weight of a transaction is not as expected")]
    WrongForm,
    /// The fee of the commit is too low or too high.
    #[error("the commit: {0}")]
    WrongCommitFee(WrongFee),
    /// The fee of the reveal is too low or too high.
    #[error("the reveal: {0}")]
    WrongRevealFee(WrongFee),
}

/// The reason why a key cannot sign a reveal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealSigningError {
    /// The transaction is not a reveal.
    #[error("this is not a reveal")]
    NotAReveal,
    /// The sighash cannot be computed.
    #[error(transparent)]
    Hash(#[from] TaprootError),
    /// The key belongs to another order.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signed transaction is not the expected one.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

impl InscribeTransfer<'_> {
    /// Builds both transactions, with every sat accounted for.
    pub fn build(&self) -> Result<CommitAndReveal, InscribeTransferError> {
        if !has_address(self.destination) {
            return Err(InscribeTransferError::NoAddress);
        }
        let (commit, held) = self.commit()?;
        let assembly = Assembly {
            version: Version::TWO,
            spends: self.spends().collect(),
            outputs: vec![commit.output(held)],
            found: sum(self.coins.iter().map(|coin| coin.output.value))?,
            due: held,
            change: self.change,
            fee_rate: self.fee_rate,
            unconfirmed: &[],
        };
        let commit_template = assembly.finish()?;
        let spend = commit.spend(OutPoint::new(commit_template.final_txid(), 0), held);
        let reveal_template =
            Template::new(Version::TWO, absolute::LockTime::ZERO, &[spend], vec![self.postage_output()]);
        let both = CommitAndReveal { commit: commit_template, reveal: reveal_template };
        self.check(&both)?;
        Ok(both)
    }

    /// The output that the coins have to fund, for coin selection.
    pub fn commit_output(&self) -> Result<TxOut, InscribeTransferError> {
        let (commit, held) = self.commit()?;
        Ok(commit.output(held))
    }

    /// The commit and its value: the postage and the fee of the reveal.
    fn commit(&self) -> Result<(Commit, Amount), InscribeTransferError> {
        let commit = Commit::new(&self.transfer.inscription(), self.reveal_key, Purpose::InscribeTransfer(self.order))?;
        // The outpoint does not affect the weight.
        let reveal_weight = weight(&[commit.spend(OutPoint::null(), Amount::ZERO)], &[self.postage_output()]);
        let held = fee_of(reveal_weight, self.fee_rate).and_then(|fee| fee.checked_add(POSTAGE));
        Ok((commit, held.ok_or(AssemblyError::Overflow)?))
    }

    fn postage_output(&self) -> TxOut {
        TxOut { value: POSTAGE, script_pubkey: self.destination.clone() }
    }

    fn spends(&self) -> impl ExactSizeIterator<Item = Spend<'_>> {
        self.coins.iter().map(Spend::Coin)
    }

    /// Runs the final check: computed from the finished transactions alone, independently of how they were built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, both: &CommitAndReveal) -> Result<(), InscribeTransferFault> {
        let CommitAndReveal { commit, reveal } = both;
        if let Some(index) = commit.first_mismatched_input(self.spends()) {
            return Err(InscribeTransferFault::ForeignInput { index });
        }
        let outputs = &commit.psbt.unsigned_tx.output;
        let is_foreign = |(index, output): &(usize, &TxOut)| *index > 1 || output.script_pubkey != *self.change;
        if let Some((index, _)) = outputs.iter().enumerate().skip(1).find(is_foreign) {
            return Err(InscribeTransferFault::ForeignOutput { index });
        }
        self.check_reveal(commit, reveal)?;
        let spends: Vec<Spend<'_>> = self.spends().collect();
        if !commit.has_form(Version::TWO, &spends) {
            return Err(InscribeTransferFault::WrongForm);
        }
        check_fee(commit, self.fee_rate, self.change, 1).map_err(InscribeTransferFault::WrongCommitFee)?;
        check_exact_fee(reveal, self.fee_rate).map_err(InscribeTransferFault::WrongRevealFee)
    }

    /// Checks that the reveal spends the commit, inscribes the transfer, and does nothing else.
    fn check_reveal(&self, commit: &Template, reveal: &Template) -> Result<(), InscribeTransferFault> {
        let (Some(committed), [Lock::Script(leaf)]) = (commit.psbt.unsigned_tx.output.first(), &reveal.locks[..])
        else {
            return Err(InscribeTransferFault::WrongCommit);
        };
        let outpoint = OutPoint::new(commit.final_txid(), 0);
        let spend = Spend::Script { outpoint, output: committed.clone(), leaf };
        if reveal.first_mismatched_input([spend.clone()].into_iter()).is_some() {
            return Err(InscribeTransferFault::WrongCommit);
        }
        if !is_reveal_of(&reveal.locks[0], committed, &self.transfer.inscription(), self.reveal_key) {
            return Err(InscribeTransferFault::WrongInscription);
        }
        if reveal.psbt.unsigned_tx.output != [self.postage_output()] {
            return Err(InscribeTransferFault::InscriptionMisplaced);
        }
        if reveal.has_form(Version::TWO, &[spend]) { Ok(()) } else { Err(InscribeTransferFault::WrongForm) }
    }
}

impl CommitAndReveal {
    /// Signs the reveal with the key of this order, which the caller then destroys.
    ///
    pub fn sign_reveal(&self, key: &Keypair) -> Result<Transaction, RevealSigningError> {
        let reveal = &self.reveal;
        let spent = reveal.psbt.inputs.first().and_then(|input| input.witness_utxo.as_ref());
        let (Some(spent), [Lock::Script(leaf)]) = (spent, &reveal.locks[..]) else {
            return Err(RevealSigningError::NotAReveal);
        };
        let sighash_type = TapSighashType::Default;
        let hash = SighashCache::new(&reveal.psbt.unsigned_tx).taproot_script_spend_signature_hash(
            0,
            &Prevouts::All(&[spent]),
            leaf.hash,
            sighash_type,
        )?;
        let message = Message::from_digest(hash.to_byte_array());
        let signature = Secp256k1::new().sign_schnorr_no_aux_rand(&message, key);
        let signature = taproot::Signature { signature, sighash_type };
        let signatures = reveal.check_signature(0, &key.x_only_public_key().0, &signature)?;
        Ok(reveal.finish(&signatures, reveal.final_txid())?)
    }
}
