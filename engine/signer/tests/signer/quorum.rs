//! Tests of vaults that several signers share: any t of n lend and pay out, fewer do not, and no fault of fewer costs more
//! than a vote.

use std::collections::BTreeSet;

use escrow::action::Action;
use escrow::address::AddressKind;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use proptest::prelude::*;
use signer::identity::KeyPurpose;
use signer::pre_signed_loan::{LoanToSign, PreSignedLoan, RepayShares};
use signer::refusal::Refusal;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, OfferHash, OfferStatus, Request};
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::rig::{LENDER_ID, is_valid, leaf_witness, ordinals_key, spent_outputs};
use crate::shared_rig::{Fault, SharedRig, shared_draft};

const FAULTS: [Fault; 4] = [Fault::Away, Fault::Silent, Fault::Lying, Fault::Hanging];

#[test]
fn all_signers_of_a_policy_have_one_hash_and_none_has_the_policy_of_others() {
    let hashes: BTreeSet<_> = (0..3)
        .map(|number| {
            let seed = signer::master_seed::MasterSeed::new(Box::new([number + 1; 32]));
            signer::policy::Policy::new(shared_draft(2, 3), &seed).unwrap().hash()
        })
        .collect();
    assert_eq!(hashes.len(), 1);
    let foreign = signer::master_seed::MasterSeed::new(Box::new([9; 32]));
    let refused = signer::policy::Policy::new(shared_draft(2, 3), &foreign).unwrap_err();
    assert!(matches!(refused, signer::policy::PolicyError::ForeignSigners { .. }), "{refused}");
    let half = signer::policy::Policy::new(shared_draft(2, 4), &foreign).unwrap_err();
    assert!(matches!(half, signer::policy::PolicyError::Signers(_)), "{half}");
}

#[tokio::test]
async fn a_vault_opens_once_every_signer_knows_it() {
    for fault in [Fault::Away, Fault::Silent, Fault::Lying] {
        let mut rig = SharedRig::new(2, 3);
        rig.break_line(1, fault);
        let refused = rig.open_vault().await.unwrap_err();
        assert!(!matches!(refused, SignerError::Nonsense), "{fault:?} {refused}");
        rig.break_line(1, Fault::None);
        let script = rig.open_vault().await.unwrap();
        assert_eq!(script, rig.vault().await.output().script_pubkey());
        assert_eq!(rig.vault().await.terms().signers.keys().len(), 3);
    }
}

#[tokio::test]
async fn any_two_of_three_signers_pay_a_withdrawal_whatever_the_third_does() {
    for (number, fault) in (0..3).flat_map(|number| FAULTS.map(|fault| (number, fault))) {
        let mut rig = SharedRig::with_vault(2, 3).await;
        rig.break_line(number, Fault::None);
        let asked = rig.withdrawal(1_000_000, 50).await;
        rig.break_line(number, fault);
        let signed = rig.quorum.sign_withdrawal(asked.clone()).await.unwrap();
        assert_eq!(signed.signatures.len(), 2, "{number} {fault:?}");
        rig.break_line(number, Fault::None);
        let (vault, spent) = (rig.vault().await, spent_outputs(&asked.psbt));
        let in_witness = vault.terms().signers.keys().iter().rev().map(|key| {
            let made = signed.signatures.iter().find(|made| made.key == Some(*key));
            made.map_or_else(Vec::new, |made| made.signature.serialize().to_vec())
        });
        let mut transaction = asked.psbt.unsigned_tx.clone();
        transaction.input[0].witness = leaf_witness(&in_witness.collect::<Vec<_>>(), vault.signer_leaf());
        assert!(is_valid(&transaction, 0, &spent), "{number} {fault:?}");
        // Again, after the answer was lost.
        assert_eq!(rig.quorum.sign_withdrawal(asked).await.unwrap().txid, signed.txid);
    }
}

#[tokio::test]
async fn one_of_three_signers_pays_nothing() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let asked = rig.withdrawal(1_000_000, 50).await;
    let faults = [(Fault::Away, Fault::Away), (Fault::Silent, Fault::Away), (Fault::Lying, Fault::Silent)];
    for (fault, other) in faults {
        rig.break_line(0, fault);
        rig.break_line(2, other);
        let refused = rig.quorum.sign_withdrawal(asked.clone()).await.unwrap_err();
        assert!(matches!(refused, SignerError::Unanswered { .. }), "{fault:?} {refused}");
    }
    (0..3).for_each(|number| rig.break_line(number, Fault::Away));
    let refused = rig.quorum.sign_withdrawal(asked).await.unwrap_err();
    assert!(matches!(refused, SignerError::Unreachable { .. }), "{refused}");
}

/// Has a loan prepared and signed, and checks the signatures of both.
async fn lend(rig: &SharedRig, offer: bitcoin::hashes::sha256::Hash, output: u8) -> Result<PreSignedLoan, SignerError> {
    let loan = rig.loan(offer, output);
    let prepared = rig.quorum.prepare_loan(loan.clone()).await?;
    let RepayShares::Shared(shares) = &prepared.repay else { panic!("{:?}", prepared.repay) };
    let makers: BTreeSet<_> = shares.iter().map(|share| share.key.signer).collect();
    assert_eq!(makers.len(), 2);
    let purpose = KeyPurpose::Repay { network: bitcoin::Network::Regtest, loan_id: loan.loan_id };
    assert!(shares.iter().all(|share| share.key.is_attested(purpose)));
    let terms = EscrowTerms {
        loan: loan.loan_id,
        borrower: loan.borrower,
        repay: prepared.repay.keys().unwrap(),
        lender: ordinals_key(&rig.lender),
        claim_after: loan.claim_after,
    };
    let escrow = LoanEscrow::new(terms).unwrap();
    let script = escrow.output().script_pubkey();
    assert!(prepared.psbt.unsigned_tx.output.iter().any(|output| output.script_pubkey == script));
    let asked = LoanToSign { loan, repay: prepared.repay.clone(), psbt: prepared.psbt.clone() };
    let signed = rig.quorum.sign_loan(asked).await?;
    assert_eq!(signed.signatures.len(), 2);
    Ok(prepared)
}

#[tokio::test]
async fn any_two_of_three_signers_lend_whatever_the_third_does() {
    for (number, fault) in (0..3).flat_map(|number| FAULTS.map(|fault| (number, fault))) {
        let mut rig = SharedRig::with_vault(2, 3).await;
        rig.break_line(number, fault);
        let offer = rig.admit("of_1").await.unwrap();
        lend(&rig, offer, 50).await.unwrap();
        // The offer is used up, for any two of them.
        for other in (0..3).filter(|other| *other != number) {
            rig.break_line(number, Fault::None);
            rig.break_line(other, Fault::Away);
            let refused = lend(&rig, offer, 51).await.unwrap_err();
            assert!(!matches!(refused, SignerError::Nonsense), "{number} {fault:?} {other}: {refused}");
            rig.break_line(other, Fault::None);
        }
    }
}

#[tokio::test]
async fn a_signer_that_is_restarted_between_the_rounds_costs_another_attempt() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let offer = rig.admit("of_1").await.unwrap();
    let loan = rig.loan(offer, 50);
    let mut keys = Vec::new();
    for line in rig.lines.iter().take(2) {
        let request = Request::Shared(SharedRequest::RepayKey { loan_id: loan.loan_id });
        let Ok(Answer::Attested(key)) = line.ask(request).await else { panic!("no key") };
        keys.push(key);
    }
    let lines: Vec<String> = (0..3).map(|number| rig.log(number)).collect();
    rig.restart(1).await;
    let prepare = Request::Shared(SharedRequest::PrepareLoan { loan: Box::new(loan), keys });
    assert!(matches!(rig.lines[0].ask(prepare.clone()).await, Ok(Answer::PreparedShare(_))));
    assert_eq!(rig.lines[1].ask(prepare.clone()).await, Ok(Answer::Refused(Refusal::NoRepayKey)));
    // A key signs once.
    assert_eq!(rig.lines[0].ask(prepare.clone()).await, Ok(Answer::Refused(Refusal::NoRepayKey)));
    // Another signer's key is not among them.
    assert_eq!(rig.lines[2].ask(prepare).await, Ok(Answer::Refused(Refusal::NoRepayKey)));
    assert_eq!(
        (0..3).map(|number| rig.log(number)).collect::<Vec<_>>(),
        lines,
        "nothing is written before a signature"
    );
    lend(&rig, offer, 50).await.unwrap();
}

#[tokio::test]
async fn no_signer_takes_keys_that_the_others_do_not_attest() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let offer = rig.admit("of_1").await.unwrap();
    let prepared = rig.quorum.prepare_loan(rig.loan(offer, 50)).await.unwrap();
    let RepayShares::Shared(shares) = prepared.repay.clone() else { panic!("not shared") };
    let sign = |shares| {
        let asked =
            LoanToSign { loan: rig.loan(offer, 50), repay: RepayShares::Shared(shares), psbt: prepared.psbt.clone() };
        Request::from(asked)
    };
    let mut foreign = shares.clone();
    foreign[1].key.key = ordinals_key(&crate::rig::wallet(91));
    let mut twice = shares.clone();
    twice[1] = twice[0];
    let mut of_another_loan = shares.clone();
    let request = Request::Shared(SharedRequest::RepayKey { loan_id: 99 });
    let Ok(Answer::Attested(key)) = rig.lines[0].ask(request).await else { panic!("no key") };
    of_another_loan[0].key = key;
    for wrong in [foreign, twice, of_another_loan, shares[..1].to_vec(), Vec::new()] {
        for line in &rig.lines {
            let refused = line.ask(sign(wrong.clone())).await.unwrap();
            assert!(matches!(refused, Answer::Refused(Refusal::ForeignKeys { .. })), "{refused:?}");
        }
    }
    let mut unsigned = shares.clone();
    unsigned[1].payout = unsigned[0].payout;
    for line in &rig.lines {
        let refused = line.ask(sign(unsigned.clone())).await.unwrap();
        assert!(matches!(refused, Answer::Refused(Refusal::BadPreSignature { .. })), "{refused:?}");
    }
    // Requests of a vault that a signer has alone.
    let alone = rig.lines[0].ask(Request::PublicKey { lender_id: LENDER_ID }).await.unwrap();
    assert_eq!(alone, Answer::Refused(Refusal::OtherSigners { required: 2, signers: 3 }));
    let alone = rig.lines[0].ask(Request::PrepareLoan(Box::new(rig.loan(offer, 50)))).await.unwrap();
    assert_eq!(alone, Answer::Refused(Refusal::OtherSigners { required: 2, signers: 3 }));
}

#[tokio::test]
async fn a_vault_with_a_key_of_the_server_is_refused_by_every_signer() {
    let rig = SharedRig::new(2, 3);
    let action = Action::OpenVault {
        payment_address: rig.lender.payment_address().to_string(),
        vault: rig.policy_hash().to_string(),
    };
    let mut rig = rig;
    let signed = rig.sign(AddressKind::P2tr, action);
    let mut keys = Vec::new();
    for line in &rig.lines {
        let request = Request::Shared(SharedRequest::VaultKey { lender_id: LENDER_ID });
        let Ok(Answer::Attested(key)) = line.ask(request).await else { panic!("no key") };
        keys.push(key);
    }
    let lender = ordinals_key(&rig.lender);
    let mut foreign = keys.clone();
    foreign[2].key = ordinals_key(&crate::rig::wallet(91));
    let mut swapped = keys.clone();
    swapped[1] = swapped[0];
    for wrong in [foreign, swapped, keys[..2].to_vec()] {
        for line in &rig.lines {
            let (keys, signed) = (wrong.clone(), signed.clone());
            let request = Request::Shared(SharedRequest::OpenVault { lender_id: LENDER_ID, lender, keys, signed });
            let refused = line.ask(request).await.unwrap();
            assert!(matches!(refused, Answer::Refused(Refusal::ForeignKeys { .. })), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn a_signer_that_was_away_gets_what_it_missed_in_order() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    for fault in [Fault::Away, Fault::Silent] {
        rig.break_line(2, fault);
        let first = rig.admit(&format!("first_{fault:?}")).await.unwrap();
        rig.cancel(&format!("first_{fault:?}")).await.unwrap();
        let second = rig.admit(&format!("second_{fault:?}")).await.unwrap();
        wait_for(async || rig.quorum.members_answer() == [true, true, false]).await;
        rig.break_line(2, Fault::None);
        let third = rig.admit(&format!("third_{fault:?}")).await.unwrap();
        wait_for(async || rig.holders(third).await == 3).await;
        assert_eq!((rig.holders(first).await, rig.holders(second).await), (0, 3));
        assert_eq!(rig.quorum.members_answer(), [true; 3]);
    }
}

async fn wait_for(mut is_so: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !is_so().await {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_mins(1), wait).await.expect("it happens in time");
}

#[tokio::test]
async fn a_signer_that_hangs_delays_no_message_by_more_than_a_moment() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    rig.break_line(1, Fault::Hanging);
    let start = std::time::Instant::now();
    for number in 0..10 {
        let id = format!("of_{number}");
        let offer = rig.admit(&id).await.unwrap();
        assert_eq!(rig.quorum.offer_status(vec![OfferHash(offer)]).await.unwrap().len(), 1);
        rig.cancel(&id).await.unwrap();
    }
    assert!(start.elapsed() < std::time::Duration::from_mins(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_loan_is_prepared_with_others_when_signers_make_keys_and_do_not_sign_with_them() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let offer = rig.admit("of_1").await.unwrap();
    rig.break_line(0, Fault::NeverPreSigning);
    let start = std::time::Instant::now();
    lend(&rig, offer, 50).await.unwrap();
    assert!(start.elapsed() < std::time::Duration::from_mins(1), "{:?}", start.elapsed());
    let offer = rig.admit("of_2").await.unwrap();
    rig.break_line(1, Fault::NeverPreSigning);
    let refused = lend(&rig, offer, 51).await.unwrap_err();
    assert!(matches!(refused, SignerError::Unanswered { .. }), "{refused}");
}

#[tokio::test]
async fn a_refusal_of_too_many_signers_is_an_answer_like_that_of_one() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let unknown = signer::request::WithdrawalRequest { lender_id: 99, ..rig.withdrawal(1_000_000, 50).await };
    let no_vault = Ok(Answer::Refused(Refusal::NoVault { lender_id: 99 }));
    assert_eq!(rig.quorum.ask(Request::SignWithdrawal(Box::new(unknown))).await, no_vault);
    let admission = Request::AdmitOffer { lender_id: 99, offer_id: "of_1".to_owned(), signed: rig.offer_text() };
    assert_eq!(rig.quorum.ask(admission).await, no_vault);
}

#[tokio::test]
async fn an_offer_counts_as_open_while_enough_signers_hold_it_and_as_used_when_one_does() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let offer = rig.admit("of_1").await.unwrap();
    let status = async |rig: &SharedRig| rig.quorum.offer_status(vec![OfferHash(offer)]).await;
    wait_for(async || rig.holders(offer).await == 3).await;
    assert_eq!(status(&rig).await, Ok(vec![(OfferHash(offer), OfferStatus::Open)]));
    rig.break_line(0, Fault::Away);
    assert_eq!(status(&rig).await, Ok(vec![(OfferHash(offer), OfferStatus::Open)]));
    rig.break_line(1, Fault::Away);
    assert!(matches!(status(&rig).await, Err(SignerError::Unreachable { .. })));
    rig.break_line(1, Fault::None);
    rig.break_line(0, Fault::Lying);
    // A read waits a moment for a third answer, so an answer may lack this one.
    let used = Ok(vec![(OfferHash(offer), OfferStatus::Used { sats: u64::MAX })]);
    wait_for(async || status(&rig).await == used).await;
    rig.break_line(0, Fault::None);
    rig.cancel("of_1").await.unwrap();
    wait_for(async || rig.holders(offer).await == 0).await;
    assert_eq!(status(&rig).await, Ok(Vec::new()));
}

/// A step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Admit(usize),
    Cancel(usize),
    Break(usize, Fault),
    /// The server sends the text of an offer to a signer, whatever happened since.
    Replay(usize, usize),
    Restart(usize),
}

fn step(signers: usize) -> impl Strategy<Value = Step> {
    let offer = 0_usize..4;
    prop_oneof![
        3 => offer.clone().prop_map(Step::Admit),
        3 => offer.clone().prop_map(Step::Cancel),
        4 => (0..signers, prop::sample::select(&[Fault::None, Fault::Away, Fault::Silent][..]))
            .prop_map(|(signer, fault)| Step::Break(signer, fault)),
        3 => (offer, 0..signers).prop_map(|(offer, signer)| Step::Replay(offer, signer)),
        1 => (0..signers).prop_map(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn after_an_acknowledged_cancellation_too_few_signers_hold_the_offer_for_ever(
        (required, signers, steps) in prop::sample::select(&[(2, 2), (2, 3), (3, 4), (3, 5)][..])
            .prop_flat_map(|(required, signers)| {
                (Just(required), Just(signers), prop::collection::vec(step(signers), 1..24))
            })
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut rig = SharedRig::with_vault(required, signers).await;
            let mut texts = Vec::new();
            for _ in 0..4 {
                texts.push(rig.offer_text());
            }
            let mut cancelled = BTreeSet::new();
            for step in steps {
                match step {
                    Step::Admit(offer) => {
                        let _ = rig.quorum.admit_offer(LENDER_ID, format!("of_{offer}"), texts[offer].clone()).await;
                    }
                    Step::Cancel(offer) => {
                        if rig.cancel(&format!("of_{offer}")).await.is_ok() {
                            cancelled.insert(offer);
                        }
                    }
                    Step::Break(signer, fault) => rig.break_line(signer, fault),
                    Step::Replay(offer, signer) => {
                        let request = Request::AdmitOffer {
                            lender_id: LENDER_ID,
                            offer_id: format!("of_{offer}"),
                            signed: texts[offer].clone(),
                        };
                        let _ = rig.lines[signer].ask(request).await;
                    }
                    Step::Restart(signer) => rig.restart(signer).await,
                }
                for offer in &cancelled {
                    let holders = rig.holders(texts[*offer].id()).await;
                    assert!(holders < required, "{holders} of {signers} signers hold the cancelled offer {offer}");
                }
            }
        });
    }
}
