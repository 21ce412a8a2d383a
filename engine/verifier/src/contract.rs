//! The server's description of a contract: everything that the transactions of a loan are built of.
//!
//! Nothing in it is believed. What the user agreed to and owns is compared with it, and the transactions that follow from
//! it must be the ones that the wallet gets.

pub mod described_coin;
pub mod described_funding;

use described_coin::{DescribedAssetCoin, DescribedCoin};
use described_funding::{DescribedOutput, DescribedVault};
use ordinals::RuneId;
use serde::Deserialize;

use crate::text_value::{IdText, TextValue};
use described_coin::DescribedKey;

/// A contract as the API describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedContract {
    /// The loan.
    pub loan_id: IdText,
    /// The party that brings the collateral.
    pub borrower: DescribedParty,
    /// The party that brings the principal.
    pub lender: DescribedParty,
    /// The time from which the lender may claim, in Unix seconds.
    pub claim_after_seconds: u32,
    /// The principal, in sats.
    pub principal_sats: u64,
    /// The lender's payout at repayment, in sats.
    pub payout_sats: u64,
    /// The output that pays the platform fee.
    #[serde(default)]
    pub platform_fee: Option<DescribedOutput>,
    /// The fee rate, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// The coins that carry the collateral; empty where it comes from a running loan.
    #[serde(default)]
    pub collateral_coins: Vec<DescribedAssetCoin>,
    /// The pledged rune; absent for other collateral.
    #[serde(default)]
    pub rune: Option<DescribedRune>,
    /// The pledged BRC-20 balance; absent for other collateral.
    #[serde(default)]
    pub transfer: Option<DescribedTransfer>,
    /// The borrower's kit of the running loan that this one replaces.
    #[serde(default)]
    pub replaced_kit: Option<String>,
    /// Coins that the borrower adds to replace a running loan.
    #[serde(default)]
    pub added_coins: Vec<DescribedCoin>,
    /// The lender's coins that pay the principal.
    #[serde(default)]
    pub funding_coins: Vec<DescribedCoin>,
    /// The vault that pays the principal.
    #[serde(default)]
    pub vault: Option<DescribedVault>,
    /// The interest that an extension pays now, in sats.
    #[serde(default)]
    pub interest_now_sats: Option<u64>,
}

/// The keys of one side.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedParty {
    /// The ordinals key, which is part of the contract.
    pub ordinals_key: TextValue<bitcoin::XOnlyPublicKey>,
    /// The key of the payment address.
    pub payment_key: DescribedKey,
}

/// A rune and the pledged amount of it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedRune {
    /// The rune's id.
    pub id: TextValue<RuneId>,
    /// The amount, in raw units.
    pub amount_raw: TextValue<u128>,
}

/// A BRC-20 transfer inscription's content.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribedTransfer {
    /// The token's ticker.
    pub ticker: String,
    /// The amount, in raw units of 18 decimals.
    pub amount_raw: TextValue<u128>,
}
