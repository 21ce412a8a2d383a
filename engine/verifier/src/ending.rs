//! The check of a repayment or a claim, from the user's own kits.

use bitcoin::{Amount, FeeRate, Network, Psbt};
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::{Kit, rebuild};
use escrow::utc::utc;

use crate::difference;
use crate::fault::{Fault, TransactionName};
use crate::movements::{self, Destination, Recipient};
use crate::own_keys::OwnKeys;
use crate::plan::borrower_kit;
use crate::question::{EndedLoan, Ending, GivenTransaction};
use crate::requested_inputs;
use crate::verdict::Findings;

/// The sats above the chosen rate that a fee may have: change too small for an output, which joins the fee.
const DUST_MAX: Amount = Amount::from_sat(546);

/// Checks a repayment of one or more loans.
///
/// # Errors
/// The first disagreement.
pub fn repayment(
    task: &Ending,
    own: &OwnKeys,
    given: &[GivenTransaction],
    network: Network,
) -> Result<Findings, Fault> {
    let name = TransactionName::Repayment;
    let kits = task.loans.iter().map(|loan| borrower_kit(&loan.kit)).collect::<Result<Vec<_>, Fault>>()?;
    for (loan, kit) in task.loans.iter().zip(&kits) {
        check_record(loan, kit.record(), network)?;
        if kit.record().loan.escrow.terms().borrower != own.ordinals || *kit.payment() != own.payment {
            return Err(Fault::OtherKey { what: "borrower's key" });
        }
    }
    let (given, psbt) = only(name, given)?;
    let mut loans: Vec<RepayableLoan<'_>> = kits.iter().map(BorrowerKit::record).map(repayable).collect();
    // The order of the escrows harms neither side.
    let inputs = &psbt.unsigned_tx.input;
    loans.sort_by_key(|ending| inputs.iter().position(|input| input.previous_output == ending.loan.outpoint));
    let coins = own_coins(&psbt, &loans.iter().map(|ending| ending.loan).collect::<Vec<_>>(), own);
    let template = rebuild::repayment(&loans, &own.payment, &own.ordinals_script(), &psbt.unsigned_tx, &coins)
        .map_err(Fault::unbuildable)?;
    let mut known = vec![
        Destination::new(own.ordinals_script(), "your collateral, back to you", Recipient::You),
        Destination::new(own.payment_script(), "your pads and change", Recipient::You),
    ];
    for ending in &loans {
        known.push(Destination::new(
            ending.loan.payout.script_pubkey.clone(),
            "principal and interest, to the lender",
            Recipient::OtherSide,
        ));
    }
    finish(name, task, &template, given, own, &known, network)
}

/// Checks a claim of collateral.
///
/// # Errors
/// The first disagreement.
pub fn claim(task: &Ending, own: &OwnKeys, given: &[GivenTransaction], network: Network) -> Result<Findings, Fault> {
    let name = TransactionName::Claim;
    let [loan] = &task.loans[..] else {
        return Err(Fault::kit("a claim is of one loan"));
    };
    let kit = lender_kit(&loan.kit)?;
    check_record(loan, kit.record(), network)?;
    if kit.record().loan.escrow.terms().lender != own.ordinals || *kit.payment() != own.payment {
        return Err(Fault::OtherKey { what: "lender's key" });
    }
    let (given, psbt) = only(name, given)?;
    let coins = own_coins(&psbt, &[&kit.record().loan], own);
    let template = kit.rebuild_claim(&psbt.unsigned_tx, coins.first()).map_err(Fault::unbuildable)?;
    let known = [
        Destination::new(own.ordinals_script(), "the collateral, to you", Recipient::You),
        Destination::new(own.payment_script(), "your change", Recipient::You),
    ];
    finish(name, task, &template, given, own, &known, network)
}

fn repayable(record: &LoanRecord) -> RepayableLoan<'_> {
    RepayableLoan { loan: &record.loan, pre_signatures: &record.pre_signatures }
}

fn lender_kit(text: &str) -> Result<LenderKit, Fault> {
    match Kit::read(text).map_err(Fault::kit)? {
        Kit::Lender(kit) => Ok(*kit),
        Kit::Borrower(_) | Kit::Vault(_) => Err(Fault::kit("it is not a lender's")),
    }
}

/// The kit is of the loan that the user saw.
fn check_record(shown: &EndedLoan, record: &LoanRecord, network: Network) -> Result<(), Fault> {
    let terms = record.loan.escrow.terms();
    if record.network != network {
        return Err(Fault::kit("it is of another network"));
    }
    if terms.loan != shown.loan_id.0 {
        return Err(Fault::kit("it is of another loan"));
    }
    let (agreed, found) = (Amount::from_sat(shown.payout_sats), record.loan.payout.value);
    if agreed != found {
        let (agreed, found) = (agreed.to_string(), found.to_string());
        return Err(Fault::OtherTerm { what: "the amount to repay", agreed, found });
    }
    if terms.claim_after != shown.claim_after_seconds {
        let (agreed, found) = (utc(shown.claim_after_seconds), utc(terms.claim_after));
        return Err(Fault::OtherTerm { what: "the claim time", agreed, found });
    }
    Ok(())
}

fn only(transaction: TransactionName, given: &[GivenTransaction]) -> Result<(&GivenTransaction, Psbt), Fault> {
    let [one] = given else { return Err(Fault::TransactionCount { expected: 1, found: given.len() }) };
    let psbt = parse_psbt(&one.base64).map_err(|error| Fault::NotAPsbt { transaction, reason: error.to_string() })?;
    Ok((one, psbt))
}

/// The coins of the user's payment key among the inputs, as the PSBT has them. A false amount makes signatures invalid.
fn own_coins(psbt: &Psbt, loans: &[&RunningLoan], own: &OwnKeys) -> Vec<Coin> {
    let script = own.payment_script();
    let inputs = psbt.unsigned_tx.input.iter().zip(&psbt.inputs);
    let others = inputs.filter(|(input, _)| loans.iter().all(|loan| loan.outpoint != input.previous_output));
    let coins = others.filter_map(|(input, data)| {
        let output = data.witness_utxo.clone().filter(|output| output.script_pubkey == script)?;
        Some(Coin { outpoint: input.previous_output, output, key: own.payment })
    });
    coins.collect()
}

fn finish(
    name: TransactionName,
    task: &Ending,
    template: &Template,
    given: &GivenTransaction,
    own: &OwnKeys,
    known: &[Destination],
    network: Network,
) -> Result<Findings, Fault> {
    let purpose = |index: usize| {
        let output = template.psbt.unsigned_tx.output.get(index);
        output.map(|output| movements::of_script(&output.script_pubkey, known).0).unwrap_or_default()
    };
    difference::check(name, template, &given.base64, network, purpose)?;
    requested_inputs::check(name, template, own, &given.sides, network)?;
    let (agreed, found) = (Amount::from_sat(task.fee_sats), template.fee().unwrap_or(Amount::MAX));
    if agreed != found {
        return Err(Fault::Fee { agreed, found });
    }
    let rate = FeeRate::from_sat_per_kwu(task.fee_rate_sat_per_kwu);
    let most = rate.fee_wu(template.weight).and_then(|fee| fee.checked_add(DUST_MAX)).unwrap_or(Amount::ZERO);
    if found > most {
        return Err(Fault::Fee { agreed: most, found });
    }
    let mut movements = movements::of(template, known, network);
    movements.retain(|movement| movement.to != Recipient::Data);
    Ok(Findings { movements, proofs: Vec::new() })
}
