//! A lender's vault: its script, and conversions between its ledger's types and Bitcoin's.

use std::collections::BTreeSet;

use bitcoin::hashes::Hash as _;
use bitcoin::{Address, Amount, Network, OutPoint, ScriptBuf, Txid, XOnlyPublicKey};
use domain::{Outpoint, Sats, SignerKeys, SpendId, UserId, VaultKeys};
use escrow::address::{AddressError, WalletAddress};
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::vault_kit::VaultKit;
use thiserror::Error;

use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

/// An open vault.
#[derive(Clone, Debug)]
pub struct LenderVault {
    /// Its owner.
    pub lender: UserId,
    /// Its script.
    pub contract: Vault,
    /// Its durable ledger.
    pub ledger: domain::Vault,
    /// The payment address that withdrawals pay, as the lender signed it.
    pub payment_address: WalletAddress,
}

/// The reason why there is no usable vault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoVault {
    /// It was never opened.
    #[error("{0} has opened no vault")]
    NotOpen(UserId),
    /// A key in its ledger is invalid.
    #[error("the vault of {0} was opened with an invalid key")]
    InvalidKey(UserId),
    /// Its keys give no valid script.
    #[error("the keys of the vault give no valid script: {0}")]
    Contract(#[from] VaultError),
    /// Its payment address is not of this network.
    #[error("the vault's payment address cannot be paid: {0}")]
    PaymentAddress(#[from] AddressError),
}

/// Returns the vault script of these keys.
///
/// # Errors
/// [`NoVault::InvalidKey`], [`NoVault::Contract`].
pub fn contract_of(lender: UserId, keys: &VaultKeys) -> Result<Vault, NoVault> {
    let key = |bytes: &[u8; 32]| XOnlyPublicKey::from_slice(bytes).map_err(|_| NoVault::InvalidKey(lender));
    let signers = signers(&keys.signers).ok_or(NoVault::InvalidKey(lender))?;
    let terms = VaultTerms { lender_id: lender.0, signers, lender: key(&keys.lender_key)? };
    Ok(Vault::new(terms)?)
}

/// Returns the address of a vault; each has one.
pub(crate) fn address_of(contract: &Vault, network: Network) -> Option<String> {
    Some(Address::from_script(&contract.output().script_pubkey(), network).ok()?.to_string())
}

/// Converts the signers of a ledger; `None` if a key is invalid, or there can be no such signers.
#[must_use]
pub fn signers(keys: &SignerKeys) -> Option<VaultSigners> {
    let parsed = keys.keys.iter().map(|key| XOnlyPublicKey::from_slice(key).ok());
    VaultSigners::new(usize::from(keys.required), parsed.collect::<Option<Vec<_>>>()?).ok()
}

/// Converts signers to the ledger's type.
#[must_use]
pub fn signer_keys(signers: &VaultSigners) -> SignerKeys {
    SignerKeys {
        required: u8::try_from(signers.required()).unwrap_or(u8::MAX),
        keys: signers.keys().iter().map(XOnlyPublicKey::serialize).collect(),
    }
}

impl LenderVault {
    /// Creates a vault of its ledger.
    ///
    /// # Errors
    /// [`NoVault`].
    pub fn new(network: Network, lender: UserId, ledger: domain::Vault) -> Result<Self, NoVault> {
        let keys = ledger.keys().ok_or(NoVault::NotOpen(lender))?;
        let contract = contract_of(lender, keys)?;
        let payment_address = WalletAddress::parse(&keys.payment_address, network)?;
        Ok(Self { lender, contract, ledger, payment_address })
    }

    /// The script that pays to it.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        self.contract.output().script_pubkey()
    }

    /// The outputs that a move spends whose transaction is signed: they pay to the signers before.
    #[must_use]
    pub(crate) fn moved_outputs(&self) -> BTreeSet<OutPoint> {
        let signed = self
            .ledger
            .pending_spends()
            .filter(|(spend, leaving)| matches!(spend, SpendId::Move(_)) && leaving.transaction.is_some());
        signed.flat_map(|(_, leaving)| leaving.outpoints.iter().map(bitcoin_outpoint)).collect()
    }

    /// The same lender's vault at other signers.
    ///
    /// # Errors
    /// [`VaultError`].
    pub(crate) fn at_other_signers(&self, signers: VaultSigners) -> Result<Vault, VaultError> {
        let terms = self.contract.terms();
        Vault::new(VaultTerms { lender_id: terms.lender_id, signers, lender: terms.lender })
    }

    /// Returns outputs with their values; `None` if its ledger does not know one of them.
    #[must_use]
    pub fn outputs(&self, outpoints: &[Outpoint]) -> Option<Vec<(OutPoint, Amount)>> {
        let known = |outpoint| Some((bitcoin_outpoint(outpoint), amount(self.ledger.output(outpoint)?.amount)));
        outpoints.iter().map(known).collect()
    }
}

/// Converts an outpoint to Bitcoin's type.
#[must_use]
pub fn bitcoin_outpoint(outpoint: &Outpoint) -> OutPoint {
    OutPoint::new(Txid::from_byte_array(outpoint.txid), outpoint.vout)
}

/// Converts an outpoint to the ledger's type.
#[must_use]
pub fn ledger_outpoint(outpoint: &OutPoint) -> Outpoint {
    Outpoint { txid: outpoint.txid.to_byte_array(), vout: outpoint.vout }
}

/// Converts an amount to Bitcoin's type.
#[must_use]
pub const fn amount(sats: Sats) -> Amount {
    Amount::from_sat(sats.get())
}

/// Converts an amount to the ledger's type.
#[must_use]
pub fn sats(amount: Amount) -> Sats {
    Sats::new(amount.to_sat())
}

impl<P: Ports> LoanService<P> {
    /// Returns a lender's vault.
    ///
    /// # Errors
    /// [`NoVault`].
    pub async fn lender_vault(&self, lender: UserId) -> Result<LenderVault, NoVault> {
        let ledger = self.market.vault_ledger(lender).await.ok_or(NoVault::NotOpen(lender))?;
        LenderVault::new(self.rules.network, lender, ledger)
    }

    /// Returns the file with which the lender empties the vault unilaterally, without this server.
    ///
    /// # Errors
    /// [`NoVault`].
    pub async fn vault_kit(&self, lender: UserId) -> Result<Kit, NoVault> {
        let vault = self.lender_vault(lender).await?;
        Ok(Kit::Vault(Box::new(VaultKit::new(self.rules.network, vault.contract))))
    }
}
