//! How a wallet is asked for the signatures that are made beforehand.

use bitcoin::absolute::LockTime;
use bitcoin::hashes::{Hash as _, HashEngine as _};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, Txid};
use thiserror::Error;

use super::coin::{Coin, CoinKey};
use super::returned_error::ReturnedError;
use super::running_loan::{PreSignatureError, RunningLoan};
use super::template::{OWN_PAYOUT, Spend, Template};
use super::wallet_copy::wallet_copy;

/// What the placeholder holds beside the payout: enough for a fee, so that no wallet sees a negative one.
const SPARE: Amount = Amount::from_sat(1_000);

/// Where escrow and payout stand, as in a repayment of one loan.
const ESCROW: usize = 2;

/// A repayment for the lender's wallet to sign before anybody knows what the borrower will pay with.
///
/// Wallets sign PSBTs and not messages, and none signs a transaction that pays out more than it takes in. So the wallet
/// is given a repayment like the one that the borrower will make, with a coin in the place of his that does not exist.
/// The signature commits to neither that coin nor to any other input or output, only to the escrow and the payout
/// ([`OWN_PAYOUT`]), and so it is good for every repayment; the transaction that it is made in can never be broadcast.
#[derive(Clone, Copy, Debug)]
pub struct PayoutRequest<'a> {
    /// Which loan, as it will be.
    pub loan: &'a RunningLoan,
    /// The pads that the borrower will have.
    pub pads: &'a [Coin; 2],
    /// Where the collateral would go.
    pub home: &'a ScriptBuf,
    /// Where the borrower's change would go.
    pub change: &'a ScriptBuf,
}

/// Why there is no signature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayoutRequestError {
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
    /// What the wallet gave back is not good.
    #[error(transparent)]
    Returned(#[from] ReturnedError),
    /// The signature is not good for every repayment.
    #[error(transparent)]
    PreSignature(#[from] PreSignatureError),
}

impl PayoutRequest<'_> {
    /// The transaction to sign. Only the escrow's input names a sighash, so only there the wallet departs from its own.
    pub fn build(&self, version: Version) -> Result<Template, PayoutRequestError> {
        let [first, second] = self.pads;
        let placeholder = self.placeholder()?;
        let spends = [Spend::Coin(first), Spend::Coin(second), self.loan.spend(), Spend::Coin(&placeholder)];
        let pads = first.output.value.checked_add(second.output.value).ok_or(PayoutRequestError::Overflow)?;
        let outputs = vec![
            TxOut { value: pads, script_pubkey: self.change.clone() },
            TxOut { value: self.loan.value, script_pubkey: self.home.clone() },
            self.loan.payout.clone(),
        ];
        let mut template = Template::new(version, LockTime::ZERO, &spends, outputs);
        template.psbt.inputs[ESCROW].sighash_type = Some(OWN_PAYOUT.into());
        Ok(template)
    }

    /// The text for the lender's wallet: the PSBT in base64 (BIP-174). There is nothing to look up for it: neither the
    /// escrow nor the pads are there before he has signed, and it spends nothing.
    pub fn to_base64(&self, version: Version) -> Result<String, PayoutRequestError> {
        Ok(wallet_copy(&self.build(version)?.psbt))
    }

    /// The signature in what the lender's wallet gave back, verified as one of the escrow and the payout alone.
    pub fn check_returned(&self, version: Version, text: &str) -> Result<Signature, PayoutRequestError> {
        let template = self.build(version)?;
        let holder = [CoinKey::P2tr(self.loan.escrow.terms().repay)];
        let signatures = template.check_returned(text, &holder)?;
        // The repay key is the first of its script's signers.
        let bytes = signatures.get(ESCROW, 0);
        let signature = bytes.and_then(|bytes| Signature::from_slice(bytes).ok()).ok_or(PreSignatureError::Invalid)?;
        self.loan.check_payout_signature(version, &signature)?;
        Ok(signature)
    }

    /// A coin of the borrower's that would pay for it all. It is named after the escrow, by a hash that is the id of no
    /// transaction.
    fn placeholder(&self) -> Result<Coin, PayoutRequestError> {
        let key = self.pads[0].key;
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
