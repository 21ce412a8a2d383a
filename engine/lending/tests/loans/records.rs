//! Tests that the journal's records of loans round-trip, for all kinds of collateral and funding.

use bitcoin::Transaction;
use domain::{LoanAccount, LoanId};
use escrow::contract::transaction::template::Template;
use lending::records::contract::Contract;
use lending::records::running_record::{Running, RunningError};

use crate::fixture::Fixture;
use crate::kit::groups::GOLD;
use crate::runes::gold_rune;

async fn assert_read(fixture: &Fixture, id: LoanId) {
    let loan = fixture.loan(id).await;
    let contract = Contract::from_record(&loan.contract).unwrap();
    assert_eq!(contract.to_record(), loan.contract);
    let running = Running::of(&loan).unwrap();
    assert_eq!(Some(running.to_record()), loan.running);
    // The contract gives the fully signed loan, transaction by transaction.
    let beginning = contract.build().unwrap();
    let made: Vec<_> = beginning.templates().map(Template::final_txid).collect();
    let signed: Vec<_> = running.transactions.iter().map(Transaction::compute_txid).collect();
    assert_eq!(made, signed);
    assert_eq!(format!("{:?}", running.record().loan), format!("{:?}", beginning.loan));
    // Both kits have the due date of the loan, which is before the claim time.
    let due = u32::try_from(loan.due_at().unwrap().seconds()).unwrap();
    assert_eq!(running.borrower_kit(loan.due_at()).unwrap().record().due_seconds, due);
    assert_eq!(running.lender_kit(loan.due_at()).unwrap().record().due_seconds, due);
    assert!(due < running.record().loan.escrow.terms().claim_after);
    assert_refuses_damage(&loan);
}

fn assert_refuses_damage(loan: &LoanAccount) {
    let text = loan.running.clone().unwrap();
    let altered = |running: Option<String>| Running::of(&LoanAccount { running, ..loan.clone() }).unwrap_err();
    assert!(matches!(altered(None), RunningError::NotRunning));
    let later = text.replacen(r#""version":1"#, r#""version":2"#, 1);
    assert!(matches!(altered(Some(later)), RunningError::Version(2)));
    let more = text.replacen('{', r#"{"more":1,"#, 1);
    assert!(matches!(altered(Some(more)), RunningError::Json(_)));
    for cut in (0..text.len()).step_by(97) {
        assert!(matches!(altered(Some(text[..cut].to_owned())), RunningError::Json(_)), "{cut}");
    }
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["transactions"][0] = "00".into();
    assert!(matches!(altered(Some(record.to_string())), RunningError::Transaction));
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["borrower_kit"] = "{}".into();
    assert!(matches!(altered(Some(record.to_string())), RunningError::Kit(_)));
}

#[actix::test]
async fn a_manual_loan_against_an_inscription() {
    let fixture = Fixture::new().await;
    let id = fixture.originated().await;
    assert_read(&fixture, id).await;
}

#[actix::test]
async fn an_extension_of_a_loan_against_an_inscription() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let id = fixture.extended(old, 7).await;
    assert_read(&fixture, id).await;
}

#[actix::test]
async fn an_instant_loan_against_an_inscription() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (id, _) = fixture.lent().await;
    assert_read(&fixture, id).await;
}

#[actix::test]
async fn an_instant_loan_against_runes() {
    let (fixture, _, _) = gold_rune().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, crate::fixture::PRINCIPAL, Some(20_000_000)).await;
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, None)).await.unwrap();
    fixture.submit(&fixture.borrower, &handout).await.unwrap();
    fixture.block_for_all().await;
    assert_read(&fixture, handout.loan).await;
}

#[actix::test]
async fn a_manual_loan_against_a_transfer_inscription() {
    let (fixture, id) = Fixture::lent_against_a_note().await;
    assert_read(&fixture, id).await;
}
