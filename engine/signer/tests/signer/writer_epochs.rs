//! Tests of servers that another one has replaced.

use signer::refusal::Refusal;
use signer::request::{Answer, OfferHash, Request};
use signer::signer::Signer;
use signer::signing_log::LogError;

use crate::rig::{Rig, signing};

/// A request of a server with the lease of this epoch.
fn of(epoch: u64, request: &Request) -> Request {
    Request::OfWriter { epoch, request: Box::new(request.clone()) }
}

#[test]
fn a_server_that_was_replaced_gets_no_signature() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let sign = signing(&loan, &prepared);
    assert!(matches!(rig.ask(of(3, &sign)), Answer::Signed(_)));
    // Even for a transaction that was signed before, and for one that moves nothing.
    let lines = |rig: &Rig| std::fs::read_to_string(rig.log()).unwrap().lines().count();
    let before = lines(&rig);
    for request in [sign.clone(), Request::PrepareLoan(Box::new(loan.clone()))] {
        assert_eq!(rig.refusal(of(2, &request)), Refusal::Deposed { found: 2, latest: 3 });
        assert_eq!(rig.refusal(request), Refusal::Deposed { found: 0, latest: 3 });
    }
    assert_eq!(lines(&rig), before, "a refused request leaves no trace in the log");
    assert!(matches!(rig.ask(of(3, &sign)), Answer::Signed(_)));
}

#[test]
fn one_request_of_a_new_epoch_ends_the_earlier_one_even_after_a_restart() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let sign = signing(&loan, &prepared);
    assert!(matches!(rig.ask(of(7, &Request::Describe)), Answer::Description(_)));
    let mut rig = rig.restart();
    assert_eq!(rig.refusal(of(6, &sign)), Refusal::Deposed { found: 6, latest: 7 });
    assert_eq!(rig.refusal(of(6, &Request::Describe)), Refusal::Deposed { found: 6, latest: 7 });
    // Every node may read.
    assert!(matches!(rig.ask(Request::Describe), Answer::Description(_)));
    assert!(matches!(rig.ask(Request::PublicKey { lender_id: 1 }), Answer::PublicKey(_)));
    assert!(matches!(rig.ask(Request::Standing { offers: vec![OfferHash(offer)] }), Answer::Standing(_)));
    assert!(matches!(rig.ask(of(7, &sign)), Answer::Signed(_)));
}

#[test]
fn an_operator_can_begin_with_the_epochs_of_another_journal() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let sign = signing(&loan, &prepared);
    rig.ask(of(7, &Request::Describe));
    let log = rig.log();
    assert!(matches!(Signer::forget_epoch(&log), Err(LogError::InUse { .. })), "a signer runs on it");
    let mut rig = rig.restart_after(|| assert_eq!(Signer::forget_epoch(&log).unwrap(), 7));
    assert!(matches!(rig.ask(sign.clone()), Answer::Signed(_)));
    assert!(matches!(rig.ask(of(1, &sign)), Answer::Signed(_)));
    assert_eq!(rig.refusal(sign), Refusal::Deposed { found: 0, latest: 1 });
}

#[test]
fn an_epoch_within_an_epoch_is_no_request() {
    let mut rig = Rig::new();
    let nested = of(2, &of(3, &Request::Describe));
    assert!(matches!(rig.refusal(nested), Refusal::RequestUnreadable { .. }));
}
