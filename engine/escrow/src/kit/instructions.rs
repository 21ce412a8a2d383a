//! The instructions in a kit for the user who opens it.

use bitcoin::{Address, Amount, Script};

use super::borrower_kit::BorrowerKit;
use super::lender_kit::LenderKit;
use super::loan_record::LoanRecord;
use super::vault_kit::VaultKit;
use crate::contract::assets::pledge::Pledge;
use crate::contract::vault::EXIT_BLOCKS;
use crate::utc::utc;

const NO_SECRETS: &str = "It holds no private key and no password: a finder learns about the loan and can \
                          move nothing. Never give out the private keys or the seed words of your wallet because of \
                          this file; no step needs them outside your wallet.";
const KEEP: &str = "Keep a copy where you will find it without this website. Names of files and of the node below are \
                    examples.";
const NODE: &str = "You need the program lienbook, which is free, a Bitcoin node of your own or of a party you trust \
                    (Bitcoin Core, 28 or later, fully synchronised), and the wallet that you used for the loan. The \
                    node only sees what will be public anyway.";
const SEND: &str = "Sign unsigned.psbt in your wallet, without letting the wallet change or send it, save what comes \
                    back as signed.psbt, and run: lienbook kit send KIT.json signed.psbt --node http://127.0.0.1:8332 \
                    --cookie ~/.bitcoin/.cookie - it checks everything again, sends it, and shows what to wait for.";

/// Instructions for the borrower.
pub(super) fn of_borrower(kit: &BorrowerKit) -> Vec<String> {
    let record = kit.record();
    let claim = utc(record.loan.escrow.terms().claim_after);
    let payment = address(&kit.payment().script_pubkey(), record);
    let pre_signed = if record.has_single_repay_key() {
        "the lender has pre-signed the repayment"
    } else {
        "the signers that lent from the lender's vault have pre-signed the repayment, each with a key of its own, and \
         none of them is needed again"
    };
    vec![
        format!(
            "This is the borrower's kit of a Lienbook loan. With it you can repay the loan and get back {} even if \
             the website is gone and the lender does not answer: {pre_signed}.",
            collateral(record)
        ),
        NO_SECRETS.to_owned(),
        KEEP.to_owned(),
        format!(
            "The loan is due at {}. Use the kit when you want to repay and the website does not let you. The repayment \
             must be in a block before {claim}: from then on the lender may take the collateral, and then the repayment \
             is void. Leave it at least a day.",
            utc(record.due_seconds)
        ),
        NODE.to_owned(),
        format!(
            "Have {} and the network fee at your payment address {payment}, in confirmed coins. Never pay from your \
             ordinals address. If other assets may be on coins of the payment address, name the coins that may be \
             spent, each with --coin TXID:VOUT.",
            sum(record.loan.payout.value)
        ),
        "Run: lienbook kit repay KIT.json --node http://127.0.0.1:8332 --cookie ~/.bitcoin/.cookie --out unsigned.psbt \
         - it asks the node whether the loan still runs and how much time is left, shows what goes where, and writes \
         the repayment for your wallet."
            .to_owned(),
        format!(
            "Look before you sign: {} must go to {}, and {} to the lender at {}; the rest must come back to your \
             payment address.",
            collateral(record),
            address(&kit.ordinals_script(), record),
            sum(record.loan.payout.value),
            address(&record.loan.payout.script_pubkey, record),
        ),
        SEND.to_owned(),
        "Then wait until a block confirms it. If none does within an hour, run both commands again with a higher \
         --fee-rate: the new repayment replaces the old one, you never pay twice."
            .to_owned(),
    ]
}

/// Instructions for the lender.
pub(super) fn of_lender(kit: &LenderKit) -> Vec<String> {
    let record = kit.record();
    let claim = utc(record.loan.escrow.terms().claim_after);
    vec![
        format!(
            "This is the lender's kit of a Lienbook loan. If the loan is not repaid, you can take {} with it even if \
             the website is gone. The kit can claim and nothing else: a repayment needs the borrower, who has a kit \
             for it.",
            collateral(record)
        ),
        NO_SECRETS.to_owned(),
        KEEP.to_owned(),
        format!(
            "If the borrower repays, {} arrive at your address {} without your doing. The loan is due at {}.",
            sum(record.loan.payout.value),
            address(&record.loan.payout.script_pubkey, record),
            utc(record.due_seconds)
        ),
        format!(
            "You may claim after {claim}, by the clock of the chain, which is about an hour late. The borrower can \
             still repay until your claim is in a block; whichever is confirmed first holds."
        ),
        NODE.to_owned(),
        format!(
            "The fee is paid by a confirmed coin of your payment address {}. Choose one without inscriptions and runes \
             and name it with --coin TXID:VOUT.",
            address(&kit.payment().script_pubkey(), record)
        ),
        "Run: lienbook kit claim KIT.json --node http://127.0.0.1:8332 --cookie ~/.bitcoin/.cookie --out unsigned.psbt \
         - it shows whether the claim time has passed and shows what goes where."
            .to_owned(),
        format!(
            "Look before you sign: {} must go to your ordinals address {}.",
            collateral(record),
            address(&kit.ordinals_script(), record)
        ),
        SEND.to_owned(),
    ]
}

/// Instructions for the lender of a vault.
pub(super) fn of_vault(kit: &VaultKit) -> Vec<String> {
    let network = kit.network();
    let destination =
        Address::from_script(&kit.ordinals_script(), network).map(|address| address.to_string()).unwrap_or_default();
    let signers = if kit.vault().terms().signers.only().is_some() { "signer" } else { "signers together" };
    vec![
        format!(
            "This is the kit of your Lienbook vault {}. With it you can take your money out of the vault even if the \
             website is gone.",
            kit.vault().output().address(network)
        ),
        "It holds no private key and no password: with it alone nothing can be moved. Never give out the private keys \
         or the seed words of your wallet because of this file."
            .to_owned(),
        KEEP.to_owned(),
        format!(
            "Each payment into the vault, and each rest that a loan left there, can be taken out alone once it has \
             {EXIT_BLOCKS} confirmations, about a day. Until then, and until your exit is in a block, the platform's \
             {signers} can still spend it: while the website works, a withdrawal there is quicker."
        ),
        NODE.to_owned(),
        format!(
            "Run: lienbook kit exit KIT.json --node http://127.0.0.1:8332 --cookie ~/.bitcoin/.cookie --out \
             unsigned.psbt - it finds what is in the vault, shows what may leave now, and pays it to your ordinals \
             address {destination}, or with --to ADDRESS to another one of yours."
        ),
        SEND.to_owned(),
        "What was not old enough stays in the vault: run it again later.".to_owned(),
    ]
}

fn collateral(record: &LoanRecord) -> String {
    match record.loan.pledge {
        Pledge::Inscription { .. } => "the inscription".to_owned(),
        Pledge::Inscriptions(ref ranges) => format!("the {} inscriptions, each in an output of its own,", ranges.len()),
        Pledge::TransferInscription { .. } => "the BRC-20 transfer inscription".to_owned(),
        Pledge::Runes { id, amount } => format!("the runes (raw units {amount} of {id})"),
    }
}

fn sum(amount: Amount) -> String {
    format!("{} sats", amount.to_sat())
}

fn address(script: &Script, record: &LoanRecord) -> String {
    Address::from_script(script, record.network).map(|address| address.to_string()).unwrap_or_default()
}
