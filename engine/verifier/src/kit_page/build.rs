//! The transaction of a kit from coins that the user names.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, Psbt, ScriptBuf, TxOut};
use escrow::address::WalletAddress;
use escrow::contract::loan::claim::ClaimError;
use escrow::contract::loan::repayment::RepaymentError;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::EXIT_BLOCKS;
use escrow::fee_rate;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::repayment_coins::RepaymentCoins;
use escrow::kit::repayment_time::RepaymentTime;
use escrow::kit::time_left::in_words;
use escrow::kit::vault_kit::VaultKit;
use escrow::kit::{ASSET_VALUE_MAX, Kit};
use escrow::utc::utc;
use serde::Serialize;

use super::drawing::Drawing;
use super::kit_fault::KitFault;
use super::task::{NamedCoin, Order};

/// A transaction for a wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unsigned {
    /// The PSBT in base64.
    pub psbt: String,
    /// Its inputs and outputs.
    pub drawing: Drawing,
    /// Warnings in words.
    pub warnings: Vec<String>,
}

/// Builds the transaction.
///
/// # Errors
/// The first fault found.
pub fn unsigned(kit: &Kit, order: &Order, now_seconds: u32) -> Result<Unsigned, KitFault> {
    let rate = fee_rate::parse_usual(&order.fee_rate).ok_or(KitFault::FeeRate)?;
    check_coins(&order.coins)?;
    let (template, psbt, warnings) = match kit {
        Kit::Borrower(kit) => repayment(kit, order, rate, now_seconds)?,
        Kit::Lender(kit) => claim(kit, order, rate, now_seconds)?,
        Kit::Vault(kit) => exit(kit, order, rate)?,
    };
    Ok(Unsigned { psbt: wallet_copy(&psbt), drawing: Drawing::of(kit, &template), warnings })
}

fn check_coins(coins: &[NamedCoin]) -> Result<(), KitFault> {
    if coins.len() > COINS_MAX {
        return Err(KitFault::too_many_coins(coins.len()));
    }
    let max = Amount::MAX_MONEY.to_sat();
    if let Some(coin) = coins.iter().find(|coin| coin.sats == 0 || coin.sats > max) {
        return Err(KitFault::CoinAmount { outpoint: coin.outpoint.0, amount: Amount::from_sat(coin.sats) });
    }
    let total = coins.iter().try_fold(0_u64, |sum, coin| sum.checked_add(coin.sats));
    if total.is_none_or(|total| total > max) { Err(KitFault::CoinTotal) } else { Ok(()) }
}

type Built = (Template, Psbt, Vec<String>);

fn repayment(kit: &BorrowerKit, order: &Order, rate: FeeRate, now_seconds: u32) -> Result<Built, KitFault> {
    let time = RepaymentTime::of(kit, now_seconds);
    if time == RepaymentTime::Over && !order.is_late_wanted {
        return Err(KitFault::Late(RepaymentTime::late_refusal(kit)));
    }
    let is_spent = |outpoint: OutPoint| order.spent_pads.iter().any(|spent| spent.0 == outpoint);
    if let Some(other) = order.spent_pads.iter().find(|spent| kit.pads().iter().all(|pad| pad.outpoint != spent.0)) {
        return Err(KitFault::UnknownPad(other.0));
    }
    let pads = kit.pads().iter().filter(|pad| !is_spent(pad.outpoint)).cloned().collect();
    let coins = order.coins.iter().map(|named| coin(*named, kit.payment())).collect();
    let chosen = RepaymentCoins::new(kit, pads, coins);
    let template = chosen.spend_all(kit, Version(order.version), rate).map_err(repayment_fault)?;
    let psbt = template.signed_psbt(&kit.pre_signatures(&template)?)?;
    let mut warnings = Vec::new();
    if time != RepaymentTime::Enough {
        warnings.push(time.text(kit, now_seconds));
    }
    if chosen.substitutes() > 0 {
        warnings.push("A pad of the loan was spent, so a coin of yours stands before the escrow instead.".to_owned());
    }
    warnings.extend(asset_warnings(&order.coins, kit.payment(), &kit.ordinals_script()));
    Ok((template, psbt, warnings))
}

fn claim(kit: &LenderKit, order: &Order, rate: FeeRate, now_seconds: u32) -> Result<Built, KitFault> {
    let fee_coin = match order.coins.as_slice() {
        [] => None,
        [named] => Some(coin(*named, kit.payment())),
        several => {
            return Err(KitFault::CoinCount { found: several.len(), expected: "one at most pays the fee".to_owned() });
        }
    };
    let template = kit.claim(fee_coin.as_ref(), rate).map_err(|error| match error {
        ClaimError::NeedsFeeCoin { wanted } => KitFault::NeedsFeeCoin { wanted },
        other => KitFault::Claim(other),
    })?;
    let mut warnings: Vec<String> = claim_time(kit, now_seconds).into_iter().collect();
    warnings.push("Until your claim is in a block the borrower can still repay; then you are paid instead.".to_owned());
    warnings.extend(asset_warnings(&order.coins, kit.payment(), &kit.ordinals_script()));
    let psbt = template.psbt.clone();
    Ok((template, psbt, warnings))
}

fn exit(kit: &VaultKit, order: &Order, rate: FeeRate) -> Result<Built, KitFault> {
    if order.coins.is_empty() {
        return Err(KitFault::CoinCount { found: 0, expected: "an exit spends at least one output".to_owned() });
    }
    let mut outputs: Vec<_> =
        order.coins.iter().map(|named| (named.outpoint.0, Amount::from_sat(named.sats))).collect();
    // Sorted, so that the same outputs give the same transaction.
    outputs.sort_unstable();
    let template = kit.exit(&outputs, &destination(kit, order.destination.as_deref())?, rate)?;
    let warnings = vec![
        format!("Nodes refuse the exit until each of its outputs has {EXIT_BLOCKS} confirmations."),
        "Until your exit is in a block the platform's signers can still spend the vault.".to_owned(),
    ];
    let psbt = template.psbt.clone();
    Ok((template, psbt, warnings))
}

/// Returns the script to which a vault is left.
///
/// # Errors
/// [`KitFault::Destination`] if the text is no address of the kit's network.
pub fn destination(kit: &VaultKit, to: Option<&str>) -> Result<ScriptBuf, KitFault> {
    let Some(text) = to else { return Ok(kit.ordinals_script()) };
    let address = WalletAddress::parse(text, kit.network());
    let reason = |error: escrow::address::AddressError| error.to_string();
    address
        .map(|address| address.script_pubkey())
        .map_err(|error| KitFault::Destination { address: text.to_owned(), reason: reason(error) })
}

/// Returns the warning that a claim is too early by this clock; `None` once the claim time has passed.
#[must_use]
pub fn claim_time(kit: &LenderKit, now_seconds: u32) -> Option<String> {
    let claim_after = kit.record().loan.escrow.terms().claim_after;
    let left = claim_after.checked_sub(now_seconds)?;
    Some(format!(
        "Too early: the collateral can be claimed after {}, by the clock of the chain, which is about an hour late. \
         Nodes refuse a claim before. {} to wait.",
        utc(claim_after),
        in_words(left.saturating_add(1))
    ))
}

/// Returns a coin of the payment key with the stated amount.
pub(super) fn coin(NamedCoin { outpoint, sats }: NamedCoin, key: &CoinKey) -> Coin {
    let output = TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() };
    Coin { outpoint: outpoint.0, output, key: *key }
}

fn asset_warnings(coins: &[NamedCoin], payment: &CoinKey, ordinals: &ScriptBuf) -> Vec<String> {
    let small = coins.iter().filter(|coin| Amount::from_sat(coin.sats) <= ASSET_VALUE_MAX);
    let mut warnings: Vec<String> = small
        .map(|coin| {
            format!(
                "The coin {} holds at most 10,000 sats. Such coins often carry an inscription or runes, which this page \
                 does not see and which would be lost. If it may carry something, do not sign.",
                coin.outpoint.0
            )
        })
        .collect();
    if !coins.is_empty() && payment.script_pubkey() == *ordinals {
        warnings.push(
            "Your payment address is your ordinals address too: name only coins that carry no inscription and no runes."
                .to_owned(),
        );
    }
    warnings
}

fn repayment_fault(error: RepaymentError) -> KitFault {
    match error {
        RepaymentError::Assembly(AssemblyError::InsufficientFunds { wanted, found }) => {
            let missing = wanted.checked_sub(found).unwrap_or(Amount::ZERO);
            KitFault::InsufficientFunds { wanted, found, missing }
        }
        RepaymentError::PadsMissing { wanted, found } => KitFault::PadsMissing { wanted, found },
        other => KitFault::Repayment(other),
    }
}
