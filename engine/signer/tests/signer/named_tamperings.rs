//! Every named tampering with every transaction that a signer is requested to sign.

use std::collections::BTreeSet;

use bitcoin::Psbt;
use signer::refusal::Refusal;
use signer::request::{Answer, FeeBumpRequest, LoanRequest, MoveRequest, PreparedLoan, Request, WithdrawalRequest};
use tampering::{NAMES_MIN, tamperings};

use crate::rig::{PRINCIPAL_SATS, Rig, signing, wallet};
use crate::{fee_bumps, moves, refinances, withdrawals};

/// A form of transaction: its name, a signer that signs it, the PSBT, and the request with a PSBT in its place.
struct Form {
    name: &'static str,
    rig: Rig,
    psbt: Psbt,
    request: Box<dyn Fn(Psbt) -> Request>,
}

impl Form {
    fn loan(name: &'static str, mut rig: Rig, loan: LoanRequest) -> Self {
        let prepared = rig.prepare(&loan);
        let psbt = prepared.psbt.clone();
        let request = move |psbt| signing(&loan, &PreparedLoan { psbt, ..prepared.clone() });
        Self { name, rig, psbt, request: Box::new(request) }
    }

    fn inscription() -> Self {
        let (rig, offer) = Rig::lending(None);
        let loan = rig.loan(offer);
        Self::loan("loan against an inscription", rig, loan)
    }

    fn runes() -> Self {
        let (rig, offer) = Rig::lending(Some(1_000));
        let loan = rig.rune_loan(offer, 1_000, PRINCIPAL_SATS);
        Self::loan("loan against runes", rig, loan)
    }

    fn refinance() -> Self {
        let mut rig = Rig::new();
        rig.open_vault();
        let kit = refinances::running(&mut rig);
        let loan = refinances::refinance(&mut rig, &kit);
        Self::loan("refinanced loan", rig, loan)
    }

    fn withdrawal() -> Self {
        let mut rig = Rig::new();
        rig.open_vault();
        let text = withdrawals::signed(&mut rig, 3_000_000);
        let asked = withdrawals::withdrawal(&mut rig, 3_000_000, 50, text);
        let psbt = asked.psbt.clone();
        let request = move |psbt| Request::SignWithdrawal(Box::new(WithdrawalRequest { psbt, ..asked.clone() }));
        Self { name: "withdrawal", rig, psbt, request: Box::new(request) }
    }

    fn move_of_a_vault() -> Self {
        let mut rig = Rig::new();
        rig.open_vault();
        let asked = moves::good(&mut rig);
        let psbt = asked.psbt.clone();
        let request = move |psbt| moves::ask(&MoveRequest { psbt, ..asked.clone() });
        Self { name: "move to other signers", rig, psbt, request: Box::new(request) }
    }

    fn fee_bump() -> Self {
        let mut rig = Rig::new();
        rig.open_vault();
        let parent = fee_bumps::withdraw(&mut rig, 50);
        let asked = fee_bumps::child(&mut rig, parent, 20_000);
        let psbt = asked.psbt.clone();
        let request = move |psbt| Request::BumpFee(Box::new(FeeBumpRequest { psbt, ..asked.clone() }));
        Self { name: "child that pays a fee", rig, psbt, request: Box::new(request) }
    }
}

#[test]
fn every_named_tampering_is_refused_in_every_form() {
    let attacker = wallet(6).payment_address().script_pubkey();
    let mut names = BTreeSet::new();
    let forms = [
        Form::inscription(),
        Form::runes(),
        Form::refinance(),
        Form::withdrawal(),
        Form::fee_bump(),
        Form::move_of_a_vault(),
    ];
    for Form { name: form, mut rig, psbt, request } in forms {
        for tampering in tamperings(&psbt, &attacker) {
            let name = format!("{form}: {}", tampering.name);
            let refusal = rig.refusal(request(tampering.psbt));
            assert!(matches!(refusal, Refusal::OtherTransaction { .. }), "{name}: {refusal:?}");
            assert!(names.insert(name.clone()), "{name} is there twice");
        }
        assert!(matches!(rig.ask(request(psbt)), Answer::Signed(_)), "{form}: the honest one is signed after all");
    }
    println!("The signer refuses {} named tamperings.", names.len());
    assert!(names.len() >= NAMES_MIN);
}
