//! The source of a principal, as the server describes it.

use bitcoin::hex::FromHex as _;
use bitcoin::{Amount, OutPoint, TxOut, Txid, XOnlyPublicKey, taproot};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::vault::vault_signers::VaultSigners;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::fault::Fault;
use crate::text_value::{IdText, ScriptText, TextValue};

/// An output.
#[derive(Clone, Debug, Deserialize)]
pub struct DescribedOutput {
    /// Its value.
    pub sats: u64,
    /// Its script.
    pub script: ScriptText,
}

/// A vault whose outputs pay the principal.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedVault {
    /// The vault's owner.
    pub lender_id: IdText,
    /// The signers' keys for it.
    pub signer_keys: Vec<TextValue<XOnlyPublicKey>>,
    /// The number of these keys that sign for an output.
    pub signers_required: usize,
    /// The outputs spent.
    pub outputs: Vec<DescribedVaultOutput>,
    /// The number of outputs in which the rest returns to the vault.
    pub change_outputs: usize,
    /// The keys that have pre-signed the repayment.
    pub repay_keys: Vec<DescribedRepayKey>,
}

/// An output of a vault.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct DescribedVaultOutput {
    /// The transaction.
    pub txid: TextValue<Txid>,
    /// The index of the output.
    pub vout: u32,
    /// Its value.
    pub sats: u64,
}

/// A single-use key and its two signatures of the repayment.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedRepayKey {
    /// The key.
    pub key: TextValue<XOnlyPublicKey>,
    /// The signature of a repayment of version 2.
    pub signature_two: SignatureText,
    /// The signature of a repayment of version 3.
    pub signature_truc: SignatureText,
}

/// A taproot signature in hexadecimal, with its sighash type.
#[derive(Clone, Copy, Debug)]
pub struct SignatureText(pub taproot::Signature);

impl<'de> Deserialize<'de> for SignatureText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Vec::<u8>::from_hex(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        taproot::Signature::from_slice(&bytes).map(Self).map_err(D::Error::custom)
    }
}

impl DescribedOutput {
    /// Returns the output.
    #[must_use]
    pub fn output(&self) -> TxOut {
        TxOut { value: Amount::from_sat(self.sats), script_pubkey: self.script.0.clone() }
    }
}

impl DescribedVault {
    /// Returns the outputs spent.
    #[must_use]
    pub fn outputs(&self) -> Vec<(OutPoint, Amount)> {
        let outputs = self.outputs.iter();
        outputs.map(|own| (OutPoint::new(own.txid.0, own.vout), Amount::from_sat(own.sats))).collect()
    }

    /// Returns the signers.
    ///
    /// # Errors
    /// [`Fault::Unbuildable`] for an impossible set of keys.
    pub fn signers(&self) -> Result<VaultSigners, Fault> {
        VaultSigners::new(self.signers_required, self.signer_keys.iter().map(|key| key.0)).map_err(Fault::unbuildable)
    }

    /// Returns the repay keys.
    ///
    /// # Errors
    /// [`Fault::Unbuildable`] for an impossible set of keys.
    pub fn keys(&self) -> Result<RepayKeys, Fault> {
        RepayKeys::new(self.repay_keys.iter().map(|own| own.key.0)).map_err(Fault::unbuildable)
    }

    /// Returns the signatures, in the order of the keys in the script.
    #[must_use]
    pub fn signatures(&self) -> PayoutSignatures {
        let mut sorted = self.repay_keys.clone();
        sorted.sort_unstable_by_key(|own| own.key.0.serialize());
        let pair =
            |own: &DescribedRepayKey| PayoutSignaturePair { two: own.signature_two.0, truc: own.signature_truc.0 };
        sorted.iter().map(pair).collect()
    }
}
