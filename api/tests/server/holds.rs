//! Tests that a request without a signature reserves nothing in the market.

use bitcoin::Amount;
use domain::Inscription;
use engine::asset_index::InscriptionId;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{FLOOR_SATS, groups};

const HOSTILE_ACCOUNTS: u8 = 50;
const LENDERS: u8 = 4;
const OFFERS_EACH: u8 = 5;

impl LoanFixture {
    /// A confirmed inscription of this user that can be pledged.
    async fn new_inscription(&self, user: &TestUser) -> InscriptionId {
        let ordinals_script = user.wallet.ordinals_address().script_pubkey();
        let inscription =
            self.chain.inscribe(&ordinals_script, Amount::from_sat(10_000), "text/plain", b"another frog").unwrap();
        let listed: [Inscription; 1] = [inscription.into()];
        self.rig.app().market.list_inscriptions(groups()[0].id, &listed).await.unwrap();
        inscription
    }

    fn request_for(&self, user: &TestUser, offer: &str, inscription: InscriptionId) -> Value {
        let mut request_body = self.loan_request(user, offer);
        request_body["inscriptionId"] = json!(inscription.to_string());
        request_body
    }
}

#[actix_web::test]
async fn fifty_accounts_that_sign_nothing_take_no_offer_from_honest_borrowers() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let mut offers = Vec::new();
    for number in 0..LENDERS {
        let lender = TestUser::sign_in(rig, 200 + number).await;
        for _ in 0..OFFERS_EACH {
            fixture.chain.fund(&lender.wallet.payment_address().script_pubkey(), Amount::from_sat(700_000)).unwrap();
        }
        offers.extend(lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, OFFERS_EACH.into()).await);
    }
    let foreign_inscription = fixture.new_inscription(&fixture.borrower).await;
    let (mut prepared, mut refused) = (0, Vec::new());
    for number in 0..HOSTILE_ACCOUNTS {
        let hostile = TestUser::sign_in(rig, 100 + number).await;
        let inscription = fixture.new_inscription(&hostile).await;
        let foreign = fixture.request_for(&hostile, &offers[0], foreign_inscription);
        hostile.post(rig, PREPARE, &foreign).await.refused(403, "not_your_inscription");
        for step in 0..12 {
            let offer = &offers[(usize::from(number) + step * 7) % offers.len()];
            let answer = hostile.post(rig, PREPARE, &fixture.request_for(&hostile, offer, inscription)).await;
            if answer.status.is_success() {
                prepared += 1;
            } else {
                refused.push(answer.code().to_owned());
            }
        }
    }
    assert_eq!(prepared, usize::from(HOSTILE_ACCOUNTS) * domain::PREPARED_MAX);
    assert!(refused.iter().all(|code| code == "too_many_prepared"), "{refused:?}");
    let mut taken = 0;
    for offer in &offers {
        let inscription = fixture.new_inscription(&fixture.borrower).await;
        let request_body = fixture.request_for(&fixture.borrower, offer, inscription);
        let prepared = fixture.borrower.post(rig, PREPARE, &request_body).await.ok();
        let signed = sign(&fixture.borrower, &prepared);
        fixture.borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
        taken += 1;
    }
    assert!(taken * 100 >= offers.len() * 95, "{taken} of {} offers", offers.len());
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn of_two_borrowers_the_slower_learns_that_another_one_signed_first() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let offers = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let other = TestUser::sign_in(rig, 9).await;
    let mut prepared = Vec::new();
    for user in [&fixture.borrower, &other] {
        let inscription = fixture.new_inscription(user).await;
        prepared.push(user.post(rig, PREPARE, &fixture.request_for(user, &offers[0], inscription)).await.ok());
    }
    other.post(rig, ACCEPT, &acceptance(&prepared[1], &sign(&other, &prepared[1]))).await.ok();
    let late = acceptance(&prepared[0], &sign(&fixture.borrower, &prepared[0]));
    fixture.borrower.post(rig, ACCEPT, &late).await.refused(409, "offer_taken");
    let loan = prepared[1]["loanId"].as_str().unwrap();
    let asked = fixture.lender.get(rig, &format!("/api/v1/loans/{loan}/countersignature")).await.ok();
    assert_eq!(asked["borrowerRecord"], json!({"repaid": 0, "claimed": 0, "collateralMoved": 0}));
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn loans_are_taken_on_the_route_of_their_kind() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let offers = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let mut request_body = fixture.loan_request(&fixture.borrower, &offers[0]);
    request_body.as_object_mut().unwrap().remove("offerId");
    request_body["fee_rate"] = request_body.as_object_mut().unwrap().remove("feeRate").unwrap();
    request_body["inscription_id"] = request_body.as_object_mut().unwrap().remove("inscriptionId").unwrap();
    for kind in ["runes", "ordinals"] {
        let path = format!("/api/v1/offers/instant/{kind}/{}/prepare-accept", offers[0]);
        fixture.borrower.post(rig, &path, &request_body).await.refused(422, "process_not_taken");
    }
    let prepared = fixture.prepared().await;
    let offer = rig.app().market.loan(prepared["loanId"].as_str().unwrap().parse().unwrap()).await.unwrap().deal.offer;
    let signed = json!({
        "offer_accept_request_id": prepared["offerAcceptRequestId"], "wallet_name": "test",
        "signed_psbt": sign(&fixture.borrower, &prepared),
    });
    for kind in ["runes", "ordinals"] {
        let path = format!("/api/v1/offers/instant/{kind}/{offer}/accept");
        fixture.borrower.post(rig, &path, &signed).await.refused(422, "process_not_taken");
    }
    fixture.rig.server.stop().await;
}
