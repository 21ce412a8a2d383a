//! A person's own transfer note, inscribed to order: two transactions, of which the person signs one.
//!
//! ```text
//! commit                                 reveal
//! the person's coins -> 0  commit    ->  commit -> 0  the note on its first sat, for the person's ordinals address
//!                       1  change
//! ```
//!
//! A note is worth something only where its ticker's balance is, so it lands on the address that owns the balance, and
//! whoever would have it land elsewhere inscribes text without effect. What could be taken are the sats of the commit:
//! the note's postage and the fee of the reveal, some hundred to some thousand.
//!
//! **Who could take them: whoever makes the reveal key, and nobody else.** There is no key path, and the one script asks
//! for a key that is made for this order. The server makes it, signs the reveal with it and destroys it, all before the
//! commit is handed out, which is possible because the commit's id is known before anybody signs it. From then on the
//! reveal is the only transaction that can spend the commit. A server that kept the key against this rule could take
//! those sats until the reveal is confirmed, and could never take a token. A leaf that asked for the person's ordinals
//! key would spare that trust and cost a second signature, which not every wallet can make.
//!
//! Each transaction pays the rate by itself. Nobody but the person has an output of either, so nobody can pin them; they
//! are sent as one package all the same, so that the commit never stands alone.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache, TaprootError};
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, FeeRate, OutPoint, ScriptBuf, TapSighashType, Transaction, TxOut, XOnlyPublicKey, absolute, taproot,
};
use thiserror::Error;

use super::assembly::{Assembly, AssemblyError, WrongFee, check_exact_fee, check_fee, sum};
use super::brc20_transfer::Brc20Transfer;
use super::coin::Coin;
use super::collateral::POSTAGE;
use super::commit::{Commit, CommitError, reveals};
use super::finished::FinishError;
use super::lock::Lock;
use super::signatures::SignatureError;
use super::template::{Spend, Template, fee_of, has_address, weight};
use super::unspendable::Purpose;

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct NoteOrder<'a> {
    /// Which order: no two have the same script.
    pub order: u128,
    /// The note.
    pub transfer: &'a Brc20Transfer,
    /// The key that reveals, made for this order.
    pub reveal_key: XOnlyPublicKey,
    /// Where the note lands, and whose balance it is: the person's ordinals address.
    pub home: &'a ScriptBuf,
    /// The person's coins that pay, without inscriptions or runes; all of them are spent.
    pub coins: &'a [Coin],
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
    /// The fee rate of each of the two transactions.
    pub fee_rate: FeeRate,
}

/// Both transactions of an order, nobody's signature in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteTransactions {
    /// What the person signs.
    pub commit: Template,
    /// What the reveal key signs.
    pub reveal: Template,
}

/// Why no note can be inscribed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteOrderError {
    /// No wallet has such a script.
    #[error("the note would land on a script that has no address")]
    NoAddress,
    /// There is no output that commits to it.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The coins do not make a valid transaction.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The finished transactions are not what they were meant to be: nobody gets to see them.
    #[error("the finished transactions are unsound: {0}")]
    Unsound(#[from] NoteOrderFault),
}

/// What the last look at both finished transactions can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteOrderFault {
    /// The commit spends something else than the coins, or not all of them.
    #[error("input {index} of the commit is not the coin that it should be")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// An output of the commit goes to somebody else.
    #[error("output {index} of the commit is neither the note's nor the change")]
    ForeignOutput {
        /// Its index.
        index: usize,
    },
    /// The reveal spends something else than the first output of the commit.
    #[error("the reveal does not spend the output that commits to the note, and it alone")]
    WrongCommit,
    /// The script says something else, or somebody else signs it.
    #[error("the script does not inscribe the note that was meant, signed by the reveal key alone")]
    WrongNote,
    /// The reveal pays something else than the person's postage.
    #[error("the reveal does not pay the postage to the note's address, and nothing else")]
    NoteAstray,
    /// A version or locktime of its own, or another weight than the fee is for.
    #[error("a transaction is not of the plain form that both have")]
    OtherForm,
    /// The miners get too little or too much of the commit.
    #[error("the commit: {0}")]
    WrongCommitFee(WrongFee),
    /// The miners get too little or too much of the reveal.
    #[error("the reveal: {0}")]
    WrongRevealFee(WrongFee),
}

/// Why a key cannot sign a reveal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RevealSigningError {
    /// There is nothing to sign.
    #[error("this is no reveal of a note")]
    NoReveal,
    /// The transaction cannot be hashed.
    #[error(transparent)]
    Hash(#[from] TaprootError),
    /// It is another order's key.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signed transaction is not the one that was foreseen.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

impl NoteOrder<'_> {
    /// Both transactions, every sat of them accounted for.
    pub fn build(&self) -> Result<NoteTransactions, NoteOrderError> {
        if !has_address(self.home) {
            return Err(NoteOrderError::NoAddress);
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
            waiting: &[],
        };
        let committing = assembly.finish()?;
        let spend = commit.spend(OutPoint::new(committing.final_txid(), 0), held);
        let revealing = Template::new(Version::TWO, absolute::LockTime::ZERO, &[spend], vec![self.note()]);
        let both = NoteTransactions { commit: committing, reveal: revealing };
        self.check(&both)?;
        Ok(both)
    }

    /// What the coins have to pay into, for whoever chooses them.
    pub fn committed(&self) -> Result<TxOut, NoteOrderError> {
        let (commit, held) = self.commit()?;
        Ok(commit.output(held))
    }

    /// The output that the note waits in, and what it holds: the postage and the fee of the reveal.
    fn commit(&self) -> Result<(Commit, Amount), NoteOrderError> {
        let commit = Commit::new(&self.transfer.inscription(), self.reveal_key, Purpose::Order(self.order))?;
        // Where it is spent from makes no difference to what it weighs.
        let revealing = weight(&[commit.spend(OutPoint::null(), Amount::ZERO)], &[self.note()]);
        let held = fee_of(revealing, self.fee_rate).and_then(|fee| fee.checked_add(POSTAGE));
        Ok((commit, held.ok_or(AssemblyError::Overflow)?))
    }

    fn note(&self) -> TxOut {
        TxOut { value: POSTAGE, script_pubkey: self.home.clone() }
    }

    fn spends(&self) -> impl ExactSizeIterator<Item = Spend<'_>> {
        self.coins.iter().map(Spend::Coin)
    }

    /// Runs the final check: computed from the finished transactions alone, independently of how they were built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, both: &NoteTransactions) -> Result<(), NoteOrderFault> {
        let NoteTransactions { commit, reveal } = both;
        if let Some(index) = commit.first_other_input(self.spends()) {
            return Err(NoteOrderFault::ForeignInput { index });
        }
        let outputs = &commit.psbt.unsigned_tx.output;
        let is_foreign = |(index, output): &(usize, &TxOut)| *index > 1 || output.script_pubkey != *self.change;
        if let Some((index, _)) = outputs.iter().enumerate().skip(1).find(is_foreign) {
            return Err(NoteOrderFault::ForeignOutput { index });
        }
        self.check_reveal(commit, reveal)?;
        let spends: Vec<Spend<'_>> = self.spends().collect();
        if !commit.is_ready_as(Version::TWO, &spends) {
            return Err(NoteOrderFault::OtherForm);
        }
        check_fee(commit, self.fee_rate, self.change, 1).map_err(NoteOrderFault::WrongCommitFee)?;
        check_exact_fee(reveal, self.fee_rate).map_err(NoteOrderFault::WrongRevealFee)
    }

    /// The note comes out of the commit, and nothing else does.
    fn check_reveal(&self, commit: &Template, reveal: &Template) -> Result<(), NoteOrderFault> {
        let (Some(committed), [Lock::Script(leaf)]) = (commit.psbt.unsigned_tx.output.first(), &reveal.locks[..])
        else {
            return Err(NoteOrderFault::WrongCommit);
        };
        let outpoint = OutPoint::new(commit.final_txid(), 0);
        let spend = Spend::Script { outpoint, output: committed.clone(), leaf };
        if reveal.first_other_input([spend.clone()].into_iter()).is_some() {
            return Err(NoteOrderFault::WrongCommit);
        }
        if !reveals(&reveal.locks[0], committed, &self.transfer.inscription(), self.reveal_key) {
            return Err(NoteOrderFault::WrongNote);
        }
        if reveal.psbt.unsigned_tx.output != [self.note()] {
            return Err(NoteOrderFault::NoteAstray);
        }
        if reveal.is_ready_as(Version::TWO, &[spend]) { Ok(()) } else { Err(NoteOrderFault::OtherForm) }
    }
}

impl NoteTransactions {
    /// The reveal, signed by the key of this order; whoever made the key destroys it now.
    pub fn sign_reveal(&self, key: &Keypair) -> Result<Transaction, RevealSigningError> {
        let reveal = &self.reveal;
        let spent = reveal.psbt.inputs.first().and_then(|input| input.witness_utxo.as_ref());
        let (Some(spent), [Lock::Script(leaf)]) = (spent, &reveal.locks[..]) else {
            return Err(RevealSigningError::NoReveal);
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
