//! The check of a loan that begins: a new one, a refinance or an extension.

use bitcoin::transaction::Version;
use bitcoin::{Amount, Network};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::utc::utc;

use crate::agreed_terms::{AgreedCollateral, AgreedTerms};
use crate::contract::DescribedContract;
use crate::difference;
use crate::fault::{Fault, TransactionName};
use crate::movements::{self, Destination, Recipient};
use crate::own_keys::OwnKeys;
use crate::plan::Plan;
use crate::question::{Beginning, GivenTransaction};
use crate::requested_inputs;
use crate::verdict::Findings;

/// A side of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Borrower,
    Lender,
}

/// Checks what a borrower is about to sign.
///
/// # Errors
/// The first disagreement.
pub fn borrower(
    Beginning { agreed, contract }: &Beginning,
    own: &OwnKeys,
    given: &[GivenTransaction],
    network: Network,
) -> Result<Findings, Fault> {
    check_own_keys(contract, own, Role::Borrower)?;
    check_terms(agreed, contract)?;
    let plan = Plan::of(contract)?;
    check_coins(contract, own, Role::Borrower)?;
    check_collateral(agreed, contract, &plan)?;
    let known = destinations(&plan, Role::Borrower);
    let templates = [(TransactionName::Origination, &plan.origination)]
        .into_iter()
        .chain(plan.reveal.as_ref().map(|reveal| (TransactionName::Reveal, reveal)));
    check_transactions(&templates.collect::<Vec<_>>(), own, given, &known, network)?;
    let payout = Amount::from_sat(contract.payout_sats);
    let signed = match &contract.vault {
        Some(vault) => {
            let checked = vault.signatures().check(&plan.loan);
            checked.map_err(|error| Fault::PreSignature { reason: error.to_string() })?;
            format!(
                "The repayment of {payout} is signed in advance, in both of its versions, and both signatures are valid."
            )
        }
        None => "Before the loan can begin, its lender has to sign the repayment in advance.".to_owned(),
    };
    Ok(Findings { movements: all_movements(&plan, &known, network), proofs: vec![escrow_proof(contract), signed] })
}

/// Checks what a lender is about to sign: the origination, and the repayment in both of its versions.
///
/// # Errors
/// The first disagreement.
pub fn lender(
    Beginning { agreed, contract }: &Beginning,
    own: &OwnKeys,
    given: &[GivenTransaction],
    network: Network,
) -> Result<Findings, Fault> {
    if contract.vault.is_some() {
        return Err(Fault::unbuildable("the signature of a loan from a vault is not a wallet's"));
    }
    check_own_keys(contract, own, Role::Lender)?;
    check_terms(agreed, contract)?;
    let plan = Plan::of(contract)?;
    check_coins(contract, own, Role::Lender)?;
    check_collateral(agreed, contract, &plan)?;
    let known = destinations(&plan, Role::Lender);
    let request = plan.payout_request();
    let payout = |version: Version| request.build(version).map_err(Fault::unbuildable);
    let (two, truc) = (payout(Version::TWO)?, payout(TRUC)?);
    let named = [
        (TransactionName::Origination, &plan.origination),
        (TransactionName::Payout(Version::TWO.0), &two),
        (TransactionName::Payout(TRUC.0), &truc),
    ];
    check_transactions(&named, own, given, &known, network)?;
    let mut movements = movements::of(&plan.origination, &known, network);
    movements.retain(|movement| movement.to != Recipient::Data);
    let payout = Amount::from_sat(contract.payout_sats);
    let signed = format!(
        "Your signature in advance releases the collateral only in a transaction that pays {payout} to your payment address."
    );
    Ok(Findings { movements, proofs: vec![escrow_proof(contract), signed] })
}

fn escrow_proof(contract: &DescribedContract) -> String {
    format!(
        "The escrow opens for the borrower together with a payment of {} to the lender, and for the lender alone from {} on. No other key opens it.",
        Amount::from_sat(contract.payout_sats),
        utc(contract.claim_after_seconds),
    )
}

/// The contract has the user's keys on the user's side, and not on the other.
fn check_own_keys(contract: &DescribedContract, own: &OwnKeys, role: Role) -> Result<(), Fault> {
    let (mine, theirs) = match role {
        Role::Borrower => (&contract.borrower, &contract.lender),
        Role::Lender => (&contract.lender, &contract.borrower),
    };
    if mine.ordinals_key.0 != own.ordinals {
        return Err(Fault::OtherKey { what: "ordinals key" });
    }
    if mine.payment_key.coin_key() != own.payment {
        return Err(Fault::OtherKey { what: "payment key" });
    }
    if own.holds(&theirs.payment_key.coin_key()) {
        return Err(Fault::OtherKey { what: "key of the other side" });
    }
    Ok(())
}

/// The contract has the terms that the user agreed to.
fn check_terms(agreed: &AgreedTerms, contract: &DescribedContract) -> Result<(), Fault> {
    let sats = |what: &'static str, agreed: u64, found: u64| {
        let text = |sats: u64| Amount::from_sat(sats).to_string();
        same(what, agreed, found, text)
    };
    same("the loan", agreed.loan_id.0, contract.loan_id.0, |id| format!("{id:x}"))?;
    sats("the principal", agreed.principal_sats, contract.principal_sats)?;
    sats("the amount to repay", agreed.payout_sats, contract.payout_sats)?;
    same("the claim time", agreed.claim_after_seconds, contract.claim_after_seconds, utc)?;
    if let (false, Some(days)) = (agreed.has_plausible_claim_time(), agreed.term_days) {
        return Err(Fault::ClaimTime { found: utc(contract.claim_after_seconds), days });
    }
    if let Some(rate) = agreed.fee_rate_sat_per_kwu {
        let text = |rate: u64| format!("{rate} sats per 1,000 weight units");
        same("the fee rate", rate, contract.fee_rate_sat_per_kwu, text)?;
    }
    let interest =
        |interest: Option<u64>| interest.map_or("none".to_owned(), |sats| Amount::from_sat(sats).to_string());
    same("the interest now", agreed.interest_now_sats, contract.interest_now_sats, interest)?;
    if let Some(agreed) = agreed.platform_fee_sats {
        sats("the platform fee", agreed, contract.platform_fee.as_ref().map_or(0, |fee| fee.sats))?;
    }
    Ok(())
}

fn same<T: PartialEq + Copy>(what: &'static str, agreed: T, found: T, text: impl Fn(T) -> String) -> Result<(), Fault> {
    if agreed == found { Ok(()) } else { Err(Fault::OtherTerm { what, agreed: text(agreed), found: text(found) }) }
}

/// The user brings coins of the user's own, and the other side none of them.
fn check_coins(contract: &DescribedContract, own: &OwnKeys, role: Role) -> Result<(), Fault> {
    let borrowers = contract.collateral_coins.iter().map(|coin| coin.coin).chain(contract.added_coins.iter().copied());
    let borrowers = borrowers.map(|coin| (Role::Borrower, coin.coin()));
    let lenders = contract.funding_coins.iter().map(|coin| (Role::Lender, coin.coin()));
    for (side, coin) in borrowers.chain(lenders) {
        match (side == role, own.holds(&coin.key)) {
            (true, false) => return Err(Fault::ForeignCoin(coin.outpoint)),
            (false, true) => return Err(Fault::OwnCoin(coin.outpoint)),
            (true, true) | (false, false) => {}
        }
    }
    Ok(())
}

/// The collateral is what the user chose, as far as keys, amounts and the app's own records show.
fn check_collateral(agreed: &AgreedTerms, contract: &DescribedContract, plan: &Plan) -> Result<(), Fault> {
    let refused = |reason: String| Err(Fault::Collateral { reason });
    let found = plan.loan.pledge.range_count();
    match (&agreed.collateral, &plan.loan.pledge, &plan.replaced) {
        (AgreedCollateral::RunningLoan { loan_id }, _, Some(replaced)) => {
            if replaced.escrow.terms().loan != loan_id.0 {
                return refused("it is in the escrow of another loan".to_owned());
            }
            if replaced.escrow.terms().borrower != contract.borrower.ordinals_key.0 {
                return refused("it belongs to another borrower".to_owned());
            }
            Ok(())
        }
        (
            AgreedCollateral::Inscriptions { count, coins },
            Pledge::Inscription { .. } | Pledge::Inscriptions(_),
            None,
        ) => {
            if found != *count {
                return refused(format!("{count} inscriptions were chosen, and {found} are pledged"));
            }
            let pledged: Vec<_> = contract.collateral_coins.iter().map(|coin| coin.coin.coin().outpoint).collect();
            match coins.iter().find(|coin| !pledged.contains(&coin.outpoint())) {
                Some(missing) => refused(format!("the coin {} is not pledged", missing.outpoint())),
                None => Ok(()),
            }
        }
        (AgreedCollateral::Runes { id, amount_raw }, Pledge::Runes { id: found, amount }, None) => {
            if id.is_some_and(|id| id.0 != *found) {
                return refused(format!("it is the rune {found}"));
            }
            if amount_raw.is_some_and(|agreed| agreed.0 != *amount) {
                return refused(format!("{amount} raw units of the rune are pledged"));
            }
            Ok(())
        }
        (AgreedCollateral::Brc20 { ticker }, Pledge::TransferInscription { .. }, None) => {
            let found = contract.transfer.as_ref().map(|transfer| transfer.ticker.as_str()).unwrap_or_default();
            match ticker.as_deref().filter(|ticker| !ticker.eq_ignore_ascii_case(found)) {
                Some(agreed) => refused(format!("{agreed} was chosen, and {found} is pledged")),
                None => Ok(()),
            }
        }
        _ => refused("it is of another kind".to_owned()),
    }
}

/// The wallet gets exactly these transactions, in this order, and is asked for exactly their signatures.
fn check_transactions(
    named: &[(TransactionName, &Template)],
    own: &OwnKeys,
    given: &[GivenTransaction],
    known: &[Destination],
    network: Network,
) -> Result<(), Fault> {
    let (expected, found) = (named.len(), given.len());
    if expected != found {
        return Err(Fault::TransactionCount { expected, found });
    }
    for ((name, template), given) in named.iter().zip(given) {
        let purpose = |index: usize| {
            let output = template.psbt.unsigned_tx.output.get(index);
            output.map(|output| movements::of_script(&output.script_pubkey, known).0).unwrap_or_default()
        };
        difference::check(*name, template, &given.base64, network, purpose)?;
        requested_inputs::check(*name, template, own, &given.sides, network)?;
    }
    Ok(())
}

/// The destinations that the terms name, in the words of one side.
fn destinations(plan: &Plan, role: Role) -> Vec<Destination> {
    let (you, other) = (Recipient::You, Recipient::OtherSide);
    let (borrower, lender) = if role == Role::Borrower { (you, other) } else { (other, you) };
    let words = |own: &str, others: &str, to: Recipient| if to == you { own.to_owned() } else { others.to_owned() };
    let payment = if plan.replaced.is_some() {
        words("your pads and change", "the borrower's pads and change", borrower)
    } else {
        words(
            "principal less costs, and pads for the repayment",
            "principal less the borrower's costs, and pads",
            borrower,
        )
    };
    let mut known = vec![
        Destination::new(
            plan.loan.escrow.output().script_pubkey(),
            "the collateral, in the escrow of this loan",
            Recipient::Escrow,
        ),
        Destination::new(plan.borrower_payment.clone(), payment, borrower),
        Destination::new(
            plan.borrower_ordinals.clone(),
            words("assets that remain yours", "assets that remain the borrower's", borrower),
            borrower,
        ),
    ];
    if let Some(fee) = &plan.platform_fee {
        let what = words("platform fee, paid by the lender", "platform fee, which you pay", borrower);
        known.push(Destination::new(fee.script_pubkey.clone(), what, Recipient::Platform));
    }
    let lender_gets = if plan.replaced.is_some() { "payment" } else { "change" };
    let what = words(&format!("your {lender_gets}"), &format!("the lender's {lender_gets}"), lender);
    known.push(Destination::new(plan.lender_payment.clone(), what, lender));
    if let Some(vault) = &plan.vault {
        known.push(Destination::new(
            vault.clone(),
            words("change to your vault", "change to the lender's vault", lender),
            lender,
        ));
    }
    if let Some(replaced) = &plan.replaced {
        let script = replaced.payout.script_pubkey.clone();
        known.push(Destination::new(script, "repayment of the loan that ends, to its lender", other));
    }
    known
}

fn all_movements(plan: &Plan, known: &[Destination], network: Network) -> Vec<movements::Movement> {
    let templates = std::iter::once(&plan.origination).chain(&plan.reveal);
    templates
        .flat_map(|template| movements::of(template, known, network))
        .filter(|one| one.to != Recipient::Data)
        .collect()
}
