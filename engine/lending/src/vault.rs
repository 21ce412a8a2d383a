//! A lender's vault: the script that its keys make, and the outputs of its ledger as the chain names them.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, Network, OutPoint, ScriptBuf, Txid, XOnlyPublicKey};
use domain::{Outpoint, Sats, UserId, VaultKeys};
use escrow::address::{AddressError, WalletAddress};
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::vault_kit::VaultKit;
use thiserror::Error;

use crate::desk::Desk;
use crate::ports::Ports;

/// An open vault.
#[derive(Clone, Debug)]
pub struct OwnVault {
    /// Whose.
    pub lender: UserId,
    /// Its script.
    pub contract: Vault,
    /// What is in it, as far as it is durable.
    pub ledger: domain::Vault,
    /// Where withdrawals go, as the lender signed it.
    pub home: WalletAddress,
}

/// Why there is no vault to work with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoVault {
    /// Nobody opened it.
    #[error("{0} has opened no vault")]
    NotOpen(UserId),
    /// A key of its ledger is no key.
    #[error("the vault of {0} was opened with something that is no key")]
    BadKey(UserId),
    /// Its keys make no script.
    #[error("the keys of the vault make no script: {0}")]
    Contract(#[from] VaultError),
    /// Its payment address is none of this network.
    #[error("the vault's payment address cannot be paid: {0}")]
    Home(#[from] AddressError),
}

/// The vault that these keys make.
///
/// # Errors
/// [`NoVault::BadKey`], [`NoVault::Contract`].
pub fn contract_of(lender: UserId, keys: &VaultKeys) -> Result<Vault, NoVault> {
    let key = |bytes: &[u8; 32]| XOnlyPublicKey::from_slice(bytes).map_err(|_| NoVault::BadKey(lender));
    let terms = VaultTerms { lender_id: lender.0, signer: key(&keys.signer_key)?, lender: key(&keys.lender_key)? };
    Ok(Vault::new(terms)?)
}

impl OwnVault {
    /// A vault of this ledger.
    ///
    /// # Errors
    /// [`NoVault`].
    pub fn new(network: Network, lender: UserId, ledger: domain::Vault) -> Result<Self, NoVault> {
        let keys = ledger.keys().ok_or(NoVault::NotOpen(lender))?;
        let contract = contract_of(lender, keys)?;
        let home = WalletAddress::parse(&keys.payment_address, network)?;
        Ok(Self { lender, contract, ledger, home })
    }

    /// What pays to it.
    #[must_use]
    pub fn script_pubkey(&self) -> ScriptBuf {
        self.contract.output().script_pubkey()
    }

    /// What some of its outputs hold; `None` for one that its ledger does not know.
    #[must_use]
    pub fn outputs(&self, outpoints: &[Outpoint]) -> Option<Vec<(OutPoint, Amount)>> {
        let known = |outpoint| Some((on_chain(outpoint), amount(self.ledger.output(outpoint)?.amount)));
        outpoints.iter().map(known).collect()
    }
}

/// An outpoint as the chain has it.
#[must_use]
pub fn on_chain(outpoint: &Outpoint) -> OutPoint {
    OutPoint::new(Txid::from_byte_array(outpoint.txid), outpoint.vout)
}

/// An outpoint as the ledger has it.
#[must_use]
pub fn in_ledger(outpoint: &OutPoint) -> Outpoint {
    Outpoint { txid: outpoint.txid.to_byte_array(), vout: outpoint.vout }
}

/// An amount as the chain has it.
#[must_use]
pub const fn amount(sats: Sats) -> Amount {
    Amount::from_sat(sats.get())
}

/// An amount as the ledger has it.
#[must_use]
pub fn sats(amount: Amount) -> Sats {
    Sats::new(amount.to_sat())
}

impl<P: Ports> Desk<P> {
    /// A lender's vault.
    ///
    /// # Errors
    /// [`NoVault`].
    pub async fn own_vault(&self, lender: UserId) -> Result<OwnVault, NoVault> {
        let ledger = self.market.vault_ledger(lender).await.ok_or(NoVault::NotOpen(lender))?;
        OwnVault::new(self.rules.network, lender, ledger)
    }

    /// The file with which the lender leaves the vault alone, when nobody here helps any more.
    ///
    /// # Errors
    /// [`NoVault`].
    pub async fn vault_kit(&self, lender: UserId) -> Result<Kit, NoVault> {
        let vault = self.own_vault(lender).await?;
        Ok(Kit::Vault(Box::new(VaultKit::new(self.rules.network, vault.contract))))
    }
}
