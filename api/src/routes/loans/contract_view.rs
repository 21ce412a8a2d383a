//! The contract of a prepared loan, with which a client derives its transactions again and compares them.

use bitcoin::hex::DisplayHex as _;
use bitcoin::{Amount, OutPoint, TxOut, XOnlyPublicKey, taproot};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use lending::records::contract::{Contract, Pledged, Source, VaultSource};
use lending::records::party::Party;
use serde::Serialize;
use signer::pre_signed_loan::RepayShares;
use signer::request::PayoutText;
use utoipa::ToSchema;

/// Everything that the transactions of a loan are built of. A client that builds them again need not believe the server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractView {
    /// The loan.
    loan_id: String,
    /// The party that brings the collateral.
    borrower: ContractPartyView,
    /// The party that brings the principal.
    lender: ContractPartyView,
    /// The time from which the lender may claim, in unix seconds, as in the script of the escrow.
    claim_after_seconds: u32,
    /// The principal, in sats.
    principal_sats: u64,
    /// Principal and interest, which the repayment pays to the lender's payment key, in sats.
    payout_sats: u64,
    /// The output that pays the platform fee; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    platform_fee: Option<ContractOutputView>,
    /// The fee rate, in sats per 1,000 weight units.
    fee_rate_sat_per_kwu: u64,
    /// The coins that carry the collateral, in the order of the inputs; empty where it comes from a running loan.
    collateral_coins: Vec<ContractCoinView>,
    /// The pledged rune; absent for other collateral.
    #[serde(skip_serializing_if = "Option::is_none")]
    rune: Option<ContractRuneView>,
    /// The pledged BRC-20 balance; absent for other collateral.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer: Option<ContractTransferView>,
    /// The borrower's kit of the running loan that this one replaces or extends.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_kit: Option<String>,
    /// The coins that the borrower adds to replace or extend a running loan.
    added_coins: Vec<ContractCoinView>,
    /// The lender's coins that pay the principal; empty for an instant loan and an extension.
    funding_coins: Vec<ContractCoinView>,
    /// The vault that pays the principal of an instant loan.
    #[serde(skip_serializing_if = "Option::is_none")]
    vault: Option<ContractVaultView>,
    /// The interest that an extension pays now, in sats; absent for all other loans.
    #[serde(skip_serializing_if = "Option::is_none")]
    interest_now_sats: Option<u64>,
}

/// The keys of one side of a contract.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractPartyView {
    /// The ordinals key, which is part of the escrow: 32 bytes in hexadecimal.
    ordinals_key: String,
    /// The key of the payment address.
    payment_key: ContractKeyView,
}

/// A key, and the kind of address that it spends from.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractKeyView {
    /// `p2tr`, `p2wpkh` or `p2sh_p2wpkh`.
    kind: &'static str,
    /// The public key in hexadecimal, of taproot the internal one.
    public_key: String,
}

/// An output of a contract.
#[derive(Serialize, ToSchema)]
pub struct ContractOutputView {
    /// Its value.
    sats: u64,
    /// Its script in hexadecimal.
    script: String,
}

/// A coin that a contract spends, and the assets in it.
#[derive(Serialize, ToSchema)]
pub struct ContractCoinView {
    /// The transaction.
    txid: String,
    /// The index of the output.
    vout: u32,
    /// Its value.
    sats: u64,
    /// The key that spends it.
    key: ContractKeyView,
    /// For each inscription, the number of the coin's sats that precede it.
    inscriptions: Vec<u64>,
    /// Its runes.
    runes: Vec<ContractRuneView>,
}

/// An amount of a rune.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractRuneView {
    /// The rune's id, block and transaction.
    id: String,
    /// The amount in raw units.
    amount_raw: String,
}

/// The content of a BRC-20 transfer inscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractTransferView {
    /// The token's ticker.
    ticker: String,
    /// The amount in raw units of 18 decimals.
    amount_raw: String,
}

/// The vault that pays a principal.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractVaultView {
    /// The vault's owner, whose id is part of its address.
    lender_id: String,
    /// The signers' keys for the vault, each of 32 bytes in hexadecimal.
    signer_keys: Vec<String>,
    /// The number of these keys that sign for an output of the vault.
    signers_required: usize,
    /// The outputs spent, in the order of the inputs.
    outputs: Vec<ContractVaultOutputView>,
    /// The number of outputs in which the rest returns to the vault.
    change_outputs: u8,
    /// The single-use keys that have pre-signed the repayment, with their signatures.
    repay_keys: Vec<ContractRepayKeyView>,
}

/// An output of a vault.
#[derive(Serialize, ToSchema)]
pub struct ContractVaultOutputView {
    /// The transaction.
    txid: String,
    /// The index of the output.
    vout: u32,
    /// Its value.
    sats: u64,
}

/// A single-use key that has pre-signed the repayment of an instant loan; its private key is destroyed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContractRepayKeyView {
    /// The key: 32 bytes in hexadecimal.
    key: String,
    /// The signature of a repayment of version 2, with its sighash type, in hexadecimal.
    signature_two: String,
    /// The signature of a repayment of version 3.
    signature_truc: String,
}

impl From<&Contract> for ContractView {
    fn from(contract: &Contract) -> Self {
        let (rune, transfer) = match &contract.pledged {
            Pledged::Runes { id, amount, .. } => (Some(rune_view(id, *amount)), None),
            Pledged::Note { transfer, .. } => {
                let (ticker, amount_raw) = (transfer.ticker().to_owned(), transfer.amount().to_string());
                (None, Some(ContractTransferView { ticker, amount_raw }))
            }
            Pledged::Inscription(_) | Pledged::Inscriptions(_) | Pledged::Running { .. } => (None, None),
        };
        let (replaced_kit, added_coins) = match &contract.pledged {
            Pledged::Running { kit, coins } => (Some(kit.clone()), coins.iter().map(coin_view).collect()),
            _ => (None, Vec::new()),
        };
        let (mut funding_coins, mut vault, mut interest_now_sats) = (Vec::new(), None, None);
        match &contract.source {
            Source::Coins(coins) => funding_coins = coins.iter().map(coin_view).collect(),
            Source::Vault(source) => vault = Some(vault_view(source)),
            Source::Rollover { interest } => interest_now_sats = Some(interest.to_sat()),
        }
        Self {
            loan_id: contract.loan.to_string(),
            borrower: ContractPartyView::from(&contract.borrower),
            lender: ContractPartyView::from(&contract.lender),
            claim_after_seconds: contract.claim_after,
            principal_sats: contract.principal.to_sat(),
            payout_sats: contract.payout.to_sat(),
            platform_fee: contract.platform_fee.as_ref().map(output_view),
            fee_rate_sat_per_kwu: contract.fee_rate.to_sat_per_kwu(),
            collateral_coins: contract.pledged.coins().iter().map(asset_coin_view).collect(),
            rune,
            transfer,
            replaced_kit,
            added_coins,
            funding_coins,
            vault,
            interest_now_sats,
        }
    }
}

impl From<&Party> for ContractPartyView {
    fn from(party: &Party) -> Self {
        Self { ordinals_key: party.ordinals.to_string(), payment_key: key_view(&party.payment) }
    }
}

fn key_view(key: &CoinKey) -> ContractKeyView {
    let (kind, public_key) = match key {
        CoinKey::P2tr(key) => ("p2tr", key.to_string()),
        CoinKey::P2wpkh(key) => ("p2wpkh", key.to_string()),
        CoinKey::P2shP2wpkh(key) => ("p2sh_p2wpkh", key.to_string()),
    };
    ContractKeyView { kind, public_key }
}

fn output_view(output: &TxOut) -> ContractOutputView {
    ContractOutputView { sats: output.value.to_sat(), script: output.script_pubkey.to_hex_string() }
}

fn coin_view(coin: &Coin) -> ContractCoinView {
    let OutPoint { txid, vout } = coin.outpoint;
    ContractCoinView {
        txid: txid.to_string(),
        vout,
        sats: coin.output.value.to_sat(),
        key: key_view(&coin.key),
        inscriptions: Vec::new(),
        runes: Vec::new(),
    }
}

fn asset_coin_view(coin: &AssetCoin) -> ContractCoinView {
    ContractCoinView {
        inscriptions: coin.inscriptions.iter().copied().map(Amount::to_sat).collect(),
        runes: coin.runes.iter().map(|(id, amount)| rune_view(id, *amount)).collect(),
        ..coin_view(&coin.coin)
    }
}

fn rune_view(id: &impl ToString, amount: u128) -> ContractRuneView {
    ContractRuneView { id: id.to_string(), amount_raw: amount.to_string() }
}

fn vault_view(source: &VaultSource) -> ContractVaultView {
    let output = |(outpoint, value): &(OutPoint, Amount)| ContractVaultOutputView {
        txid: outpoint.txid.to_string(),
        vout: outpoint.vout,
        sats: value.to_sat(),
    };
    ContractVaultView {
        lender_id: source.lender.to_string(),
        signer_keys: source.signers.keys().iter().map(ToString::to_string).collect(),
        signers_required: source.signers.required(),
        outputs: source.outputs.iter().map(output).collect(),
        change_outputs: source.change_outputs,
        repay_keys: match &source.repay {
            RepayShares::Single { key, payout, .. } => vec![repay_key_view(key, *payout)],
            RepayShares::Shared(shares) => {
                shares.iter().map(|share| repay_key_view(&share.key.key, share.payout)).collect()
            }
        },
    }
}

fn repay_key_view(key: &XOnlyPublicKey, payout: PayoutText) -> ContractRepayKeyView {
    let PayoutSignaturePair { two, truc } = payout.into();
    let text = |signature: taproot::Signature| signature.to_vec().to_lower_hex_string();
    ContractRepayKeyView { key: key.to_string(), signature_two: text(two), signature_truc: text(truc) }
}
