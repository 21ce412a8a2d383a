//! The request for a lender's pre-signatures.

use bitcoin::absolute::LockTime;
use bitcoin::hashes::{Hash as _, HashEngine as _};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, Txid, XOnlyPublicKey};
use thiserror::Error;

use super::running_loan::{PreSignatureError, RunningLoan};
use crate::contract::signing::returned_psbt_error::ReturnedPsbtError;
use crate::contract::signing::wallet_copy::wallet_copy;
use crate::contract::transaction::coin::{Coin, CoinKey};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::{PAYOUT_SIGHASH, Template};

/// The value of the placeholder beyond the payout: enough for a fee, so that no wallet computes a negative one.
const SPARE: Amount = Amount::from_sat(1_000);

/// A repayment for the lender's wallet to sign before the borrower's coins are known.
///
/// Wallets sign PSBTs and not messages, and none signs a transaction whose outputs exceed its inputs. So the wallet
/// gets a repayment like the future one, with a nonexistent coin in place of the borrower's. The signature commits
/// neither to that coin nor to any other input or output, only to the escrow and the payout ([`PAYOUT_SIGHASH`]), so it
/// is valid for every repayment; the transaction in which it is made can never be broadcast.
#[derive(Clone, Copy, Debug)]
pub struct PayoutRequest<'a> {
    /// The loan, as it will run.
    pub loan: &'a RunningLoan,
    /// The pads that the borrower will have.
    pub pads: &'a [Coin],
    /// The script that would receive the collateral.
    pub destination: &'a ScriptBuf,
    /// The script that would receive the borrower's change.
    pub change: &'a ScriptBuf,
}

/// The reason why there is no signature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayoutRequestError {
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds the supply of bitcoin")]
    Overflow,
    /// The borrower would have no pads.
    #[error("the loan has no pads")]
    NoPads,
    /// Several keys pre-sign the loan, and no wallet holds them.
    #[error("the loan has several repay keys, and none of them is a wallet's")]
    SeveralKeys,
    /// The PSBT that the wallet returned is refused.
    #[error(transparent)]
    Returned(#[from] ReturnedPsbtError),
    /// The signature is not valid for every repayment.
    #[error(transparent)]
    PreSignature(#[from] PreSignatureError),
}

impl PayoutRequest<'_> {
    /// Builds the transaction to sign. Only the escrow's input names a sighash, so only there does the wallet deviate
    /// from its default.
    pub fn build(&self, version: Version) -> Result<Template, PayoutRequestError> {
        self.signer()?;
        let placeholder = self.placeholder()?;
        let paying = [self.loan.spend(), Spend::Coin(&placeholder)];
        let spends: Vec<Spend<'_>> = self.pads.iter().map(Spend::Coin).chain(paying).collect();
        let pads = self.pads.iter().try_fold(Amount::ZERO, |sum, pad| sum.checked_add(pad.output.value));
        let pads = pads.ok_or(PayoutRequestError::Overflow)?;
        let mut outputs = vec![TxOut { value: pads, script_pubkey: self.change.clone() }];
        let to_borrower = |value| TxOut { value, script_pubkey: self.destination.clone() };
        outputs.extend(self.loan.ranges().into_iter().map(|range| to_borrower(range.value)));
        outputs.push(self.loan.payout.clone());
        let mut template = Template::new(version, LockTime::ZERO, &spends, outputs);
        template.psbt.inputs[self.escrow_index()].sighash_type = Some(PAYOUT_SIGHASH.into());
        Ok(template)
    }

    /// The index of escrow and payout, as in a repayment of one loan.
    const fn escrow_index(&self) -> usize {
        self.pads.len()
    }

    /// The text for the lender's wallet: the PSBT in base64 (BIP-174). No inputs are looked up for it: escrow and pads
    /// exist only after the lender has signed, and it is never broadcast.
    pub fn to_base64(&self, version: Version) -> Result<String, PayoutRequestError> {
        Ok(wallet_copy(&self.build(version)?.psbt))
    }

    /// The key that signs it: the only repay key.
    ///
    /// # Errors
    /// [`PayoutRequestError::SeveralKeys`].
    pub fn signer(&self) -> Result<XOnlyPublicKey, PayoutRequestError> {
        self.loan.escrow.terms().repay.only().ok_or(PayoutRequestError::SeveralKeys)
    }

    /// Returns the signature in the PSBT that the lender's wallet returned, verified to commit to escrow and payout
    /// alone.
    pub fn check_returned(&self, version: Version, text: &str) -> Result<Signature, PayoutRequestError> {
        let template = self.build(version)?;
        let key = self.signer()?;
        let signatures = template.check_returned(text, &[CoinKey::P2tr(key)])?;
        // The repay key is the first signer of its script.
        let bytes = signatures.get(self.escrow_index(), 0);
        let signature = bytes.and_then(|bytes| Signature::from_slice(bytes).ok());
        let signature = signature.ok_or(PreSignatureError::Missing(key))?;
        self.loan.check_payout_signature(version, &key, &signature)?;
        Ok(signature)
    }

    /// A coin of the borrower that would pay for everything. Its outpoint is derived from the escrow's by a hash that
    /// is the id of no transaction.
    fn placeholder(&self) -> Result<Coin, PayoutRequestError> {
        let key = self.pads.first().ok_or(PayoutRequestError::NoPads)?.key;
        let mut engine = Txid::engine();
        engine.input(b"Lienbook/placeholder");
        engine.input(self.loan.outpoint.txid.as_byte_array());
        engine.input(&self.loan.outpoint.vout.to_be_bytes());
        let value = self.loan.payout.value.checked_add(SPARE).ok_or(PayoutRequestError::Overflow)?;
        Ok(Coin {
            outpoint: OutPoint::new(Txid::from_engine(engine), 0),
            output: TxOut { value, script_pubkey: key.script_pubkey() },
            key,
        })
    }
}
