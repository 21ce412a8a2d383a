//! Tests of delegations over HTTP: quoting without the wallet, what is shown, restarts, revocation with and without the
//! signer, and loans.

use domain::LoanStage;
use escrow::action::Action;
use lending::instant_offers::reconcile::ReconcilePass;
use reqwest::Method;
use serde_json::json;
use signer::request::OfferStatus;

use super::api_keys::Program;
use super::instant_offers::create_ordinal;
use super::lender::TestUser;
use super::loans::{LoanFixture, sign};
use super::quoting_program::{
    CANCEL, DELEGATIONS, PRINCIPAL, QUOTES, QuotingProgram, delegate, delegation, offer_id, shown,
};
use super::rig::Rig;
use super::signer_process::{SignerProcess, rig_beside_signer};
use super::vaults::offer_status;

/// A server whose public name stays when it is started on another port, with a lender and a program.
async fn rig() -> (Rig, TestUser, QuotingProgram) {
    let name = "https://lienbook.example".parse().unwrap();
    let rig = Rig::start_with(|settings| settings.public_url = Some(name)).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let program = QuotingProgram::of(&rig, &lender, 3).await;
    (rig, lender, program)
}

#[actix_web::test]
async fn a_program_with_a_key_quotes_edits_and_cancels_without_the_wallet() {
    let (rig, lender, program) = rig().await;
    let key = Program::with(&rig, &lender, |_| {}).await;
    let created = key.send(&rig, Method::POST, QUOTES, &program.quote(&rig, 1, PRINCIPAL)).await.ok();
    let first = offer_id(&created);
    assert_eq!(offer_status(&rig, &first).await, Some(OfferStatus::Open));
    let list = shown(&rig, &lender).await;
    assert_eq!(created["offer"]["goodUntil"], list["validUntil"], "an offer ends with its delegation");
    for (field, value) in [
        ("state", json!("open")),
        ("offerIds", json!([first])),
        ("latestNumber", json!(1)),
        ("principalMaxSats", json!(PRINCIPAL)),
        ("dailyMaxSats", json!(2 * PRINCIPAL)),
        ("lentWithinDaySats", json!(0)),
        ("revokedAt", json!(null)),
    ] {
        assert_eq!(list[field], value, "{field}");
    }

    let edited = key.send(&rig, Method::POST, QUOTES, &program.edit(&rig, 2, &first, PRINCIPAL - 1)).await.ok();
    let second = offer_id(&edited);
    assert_eq!((offer_status(&rig, &first).await, edited["offer"]["principal"].as_u64()), (None, Some(PRINCIPAL - 1)));
    let replayed = program.edit(&rig, 2, &second, PRINCIPAL);
    let refused = key.send(&rig, Method::POST, QUOTES, &replayed).await;
    refused.refused(409, "delegation_number");
    assert_eq!(refused.body["values"], json!({"latest": 2, "number": 2}));

    let cancel = program.cancellation(&rig, 3, &second);
    let cancelled = key.send(&rig, Method::POST, CANCEL, &cancel).await.ok();
    assert_eq!(cancelled, json!({"cancelledOfferIds": [second]}));
    let again = key.send(&rig, Method::POST, CANCEL, &cancel).await.ok();
    assert_eq!(again, json!({"cancelledOfferIds": []}), "a second time without effect");
    assert_eq!(shown(&rig, &lender).await["offerIds"], json!([]));

    // A key cannot permit more to itself, and may take back.
    let signed = lender.sign_fresh(&rig, Action::DelegateQuotes(delegation(&rig, 4).await)).await;
    let body = json!({"message": signed.text, "signature": signed.signature});
    key.send(&rig, Method::POST, DELEGATIONS, &body).await.refused(403, "api_key_not_accepted");
    let path = format!("{DELEGATIONS}/{}", program.id);
    let revoked = rig.send(key.request(&rig, Method::DELETE, &path)).await.ok();
    assert_eq!(revoked["delegation"]["state"], "revoked");
    rig.server.stop().await;
}

#[actix_web::test]
async fn numbers_offers_and_revocations_outlast_a_restart() {
    let (rig, lender, program) = rig().await;
    let first = program.quote(&rig, 5, PRINCIPAL);
    let offer = offer_id(&lender.post(&rig, QUOTES, &first).await.ok());
    let late = program.quote(&rig, 6, PRINCIPAL - 1);
    let rig = rig.restart().await;
    lender.post(&rig, QUOTES, &first).await.refused(409, "delegation_number");
    assert_eq!(shown(&rig, &lender).await["offerIds"], json!([offer]));
    let path = format!("{DELEGATIONS}/{}", program.id);
    let revoked = lender.send(&rig, Method::DELETE, &path, None).await.ok();
    assert_eq!((&revoked["cancelledOfferIds"], &revoked["delegation"]["state"]), (&json!([offer]), &json!("revoked")));
    let rig = rig.restart().await;
    let again = lender.send(&rig, Method::DELETE, &path, None).await.ok();
    assert_eq!((&again["cancelledOfferIds"], &again["delegation"]), (&json!([]), &revoked["delegation"]));
    let refused = lender.post(&rig, QUOTES, &late).await;
    refused.refused(403, "delegation_ended");
    // The signer refuses by itself what this server has forgotten to refuse.
    let name = program.id;
    let status = rig.app().signer.clone();
    let request = signer::delegation_request::DelegationRequest::AdmitOffer {
        lender_id: lender.id.0,
        offer_id: "of_9".to_owned(),
        signed: signer::program_text::ProgramText {
            message: late["message"].as_str().unwrap().to_owned(),
            signature: late["signature"].as_str().unwrap().to_owned(),
        },
    };
    let answer = signer::vault_signer::VaultSigner::ask(&status, signer::request::Request::Delegation(request)).await;
    let expected = signer::delegation_refusal::DelegationRefusal::Revoked { delegation: name.to_string() };
    assert_eq!(answer, Ok(signer::request::Answer::Refused(expected.into())));
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_revocation_stops_the_server_at_once_and_waits_for_a_signer_that_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let rig = rig_beside_signer(&folder).await;
    let process = SignerProcess::start(&folder);
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let program = QuotingProgram::of(&rig, &lender, 3).await;
    let offer = offer_id(&lender.post(&rig, QUOTES, &program.quote(&rig, 1, PRINCIPAL)).await.ok());
    let own = create_ordinal(&rig, &lender, PRINCIPAL).await;
    drop(process);

    let next = program.quote(&rig, 2, PRINCIPAL);
    lender.post(&rig, QUOTES, &next).await.refused(503, "signer_unavailable");
    let path = format!("{DELEGATIONS}/{}", program.id);
    let revoked = lender.send(&rig, Method::DELETE, &path, None).await.ok();
    assert_eq!((&revoked["delegation"]["state"], &revoked["cancelledOfferIds"]), (&json!("revoking"), &json!([offer])));
    let later = program.quote(&rig, 3, PRINCIPAL);
    lender.post(&rig, QUOTES, &later).await.refused(403, "delegation_ended");
    let wanted = delegation(&rig, 4).await;
    delegate(&rig, &lender, wanted).await.refused(503, "signer_unavailable");
    let list = lender.get(&rig, DELEGATIONS).await.ok();
    assert_eq!(list["delegations"].as_array().unwrap().len(), 1, "nothing is delegated that no signer admits");
    assert_eq!(list["delegations"][0]["lentWithinDaySats"], json!(null));

    let process = SignerProcess::start(&folder);
    assert_eq!(shown(&rig, &lender).await["state"], "revoking", "it does not ask");
    rig.app().instant_offers().reconcile(ReconcilePass::Periodic).await.unwrap();
    assert_eq!(shown(&rig, &lender).await["state"], "revoked");
    assert_eq!(offer_status(&rig, &own).await, Some(OfferStatus::Open), "the lender's own offer stays");
    drop(process);
    let _process = SignerProcess::start(&folder);
    lender.post(&rig, QUOTES, &program.quote(&rig, 4, PRINCIPAL)).await.refused(403, "delegation_ended");
    rig.server.stop().await;
}

#[actix_web::test]
async fn loans_by_a_program_count_and_end_with_the_revocation() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    lender.open_vault(rig).await;
    fixture.deposit(1_900_000).await;
    let frogs = fixture.frogs(borrower, 2).await;
    let program = QuotingProgram::of(rig, lender, 3).await;
    let prepare = async |offer: &str, frog: &str| {
        let mut body = fixture.loan_request(borrower, offer);
        let fields = body.as_object_mut().unwrap();
        fields.remove("offerId");
        fields.remove("inscriptionId");
        let rate = fields.remove("feeRate").unwrap();
        (body["fee_rate"], body["inscription_id"]) = (rate, json!(frog));
        let path = format!("/api/v1/offers/instant/ordinals/{offer}/prepare-accept");
        borrower.post(rig, &path, &body).await.ok()
    };
    let accept = async |offer: &str, prepared: &serde_json::Value| {
        let body = json!({"offer_accept_request_id": prepared["offerAcceptRequestId"], "wallet_name": "test",
            "signed_psbt": sign(borrower, prepared)});
        borrower.post(rig, &format!("/api/v1/offers/instant/ordinals/{offer}/accept"), &body).await
    };
    let first = offer_id(&lender.post(rig, QUOTES, &program.quote(rig, 1, PRINCIPAL)).await.ok());
    let prepared = prepare(&first, &frogs[0]).await;
    accept(&first, &prepared).await.ok();
    assert_eq!(shown(rig, lender).await["lentWithinDaySats"], PRINCIPAL);
    fixture.chain.mine(1).unwrap();
    fixture.until(prepared["loanId"].as_str().unwrap(), LoanStage::Active).await;
    let watch = rig.app().vault_watch.as_ref().unwrap();
    assert_eq!(watch.round().await.unwrap().failed, []);

    // Revoked while a borrower signs: the loan does not begin, and nothing more is counted.
    let second = offer_id(&lender.post(rig, QUOTES, &program.quote(rig, 2, PRINCIPAL)).await.ok());
    let prepared = prepare(&second, &frogs[1]).await;
    let path = format!("{DELEGATIONS}/{}", program.id);
    let revoked = lender.send(rig, Method::DELETE, &path, None).await.ok();
    assert_eq!(revoked["delegation"]["state"], "revoked");
    let refused = accept(&second, &prepared).await;
    refused.refused(409, "offer_taken");
    assert_eq!(shown(rig, lender).await["lentWithinDaySats"], PRINCIPAL);
    fixture.rig.server.stop().await;
}
