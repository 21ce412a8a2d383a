//! Tests that a request without a signature reserves nothing in the market.

use bitcoin::Amount;
use domain::Inscription;
use engine::asset_index::InscriptionId;
use lending::outpoint;
use serde_json::{Value, json};

use super::lender::Lender;
use super::loans::{ACCEPT, PREPARE, Scene, acceptance, sign};
use super::rig::{FLOOR_SATS, groups};

const HOSTILE: u8 = 50;
const LENDERS: u8 = 4;
const OFFERS_EACH: u8 = 5;

impl Scene {
    /// A confirmed inscription of this user that can be pledged.
    async fn frog_of(&self, person: &Lender) -> InscriptionId {
        let home = person.wallet.ordinals_address().script_pubkey();
        let frog = self.chain.inscribe(&home, Amount::from_sat(10_000), "text/plain", b"another frog").unwrap();
        let listed: [Inscription; 1] = [outpoint::inscription(frog)];
        self.rig.app().market.list_inscriptions(groups()[0].id, &listed).await.unwrap();
        frog
    }

    fn wish_for(&self, person: &Lender, offer: &str, frog: InscriptionId) -> Value {
        let mut wish = self.wish(person, offer);
        wish["inscriptionId"] = json!(frog.to_string());
        wish
    }
}

#[actix_web::test]
async fn fifty_accounts_that_sign_nothing_take_no_offer_from_honest_borrowers() {
    let scene = Scene::new().await;
    let rig = &scene.rig;
    let mut offers = Vec::new();
    for number in 0..LENDERS {
        let lender = Lender::sign_in(rig, 200 + number).await;
        for _ in 0..OFFERS_EACH {
            scene.chain.fund(&lender.wallet.payment_address().script_pubkey(), Amount::from_sat(700_000)).unwrap();
        }
        offers.extend(lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, OFFERS_EACH.into()).await);
    }
    let strangers_frog = scene.frog_of(&scene.borrower).await;
    let (mut prepared, mut refused) = (0, Vec::new());
    for number in 0..HOSTILE {
        let hostile = Lender::sign_in(rig, 100 + number).await;
        let frog = scene.frog_of(&hostile).await;
        let foreign = scene.wish_for(&hostile, &offers[0], strangers_frog);
        hostile.post(rig, PREPARE, &foreign).await.refused(403, "not_your_inscription");
        for step in 0..12 {
            let offer = &offers[(usize::from(number) + step * 7) % offers.len()];
            let answer = hostile.post(rig, PREPARE, &scene.wish_for(&hostile, offer, frog)).await;
            if answer.status.is_success() {
                prepared += 1;
            } else {
                refused.push(answer.code().to_owned());
            }
        }
    }
    assert_eq!(prepared, usize::from(HOSTILE) * domain::PREPARED_MAX);
    assert!(refused.iter().all(|code| code == "too_many_prepared"), "{refused:?}");
    let mut taken = 0;
    for offer in &offers {
        let frog = scene.frog_of(&scene.borrower).await;
        let wish = scene.wish_for(&scene.borrower, offer, frog);
        let handed = scene.borrower.post(rig, PREPARE, &wish).await.ok();
        let signed = sign(&scene.borrower, &handed);
        scene.borrower.post(rig, ACCEPT, &acceptance(&handed, &signed)).await.ok();
        taken += 1;
    }
    assert!(taken * 100 >= offers.len() * 95, "{taken} of {} offers", offers.len());
    scene.rig.server.stop().await;
}

#[actix_web::test]
async fn of_two_borrowers_the_slower_learns_that_another_one_signed_first() {
    let scene = Scene::new().await;
    let rig = &scene.rig;
    let offers = scene.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let other = Lender::sign_in(rig, 9).await;
    let mut handed = Vec::new();
    for person in [&scene.borrower, &other] {
        let frog = scene.frog_of(person).await;
        handed.push(person.post(rig, PREPARE, &scene.wish_for(person, &offers[0], frog)).await.ok());
    }
    other.post(rig, ACCEPT, &acceptance(&handed[1], &sign(&other, &handed[1]))).await.ok();
    let late = acceptance(&handed[0], &sign(&scene.borrower, &handed[0]));
    scene.borrower.post(rig, ACCEPT, &late).await.refused(409, "offer_taken");
    let loan = handed[1]["loanId"].as_str().unwrap();
    let asked = scene.lender.get(rig, &format!("/api/v1/loans/{loan}/countersignature")).await.ok();
    assert_eq!(asked["borrowerRecord"], json!({"repaid": 0, "claimed": 0, "collateralMoved": 0}));
    scene.rig.server.stop().await;
}

#[actix_web::test]
async fn loans_are_taken_on_the_route_of_their_kind() {
    let scene = Scene::new().await;
    let rig = &scene.rig;
    let offers = scene.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let mut wish = scene.wish(&scene.borrower, &offers[0]);
    wish.as_object_mut().unwrap().remove("offerId");
    wish["fee_rate"] = wish.as_object_mut().unwrap().remove("feeRate").unwrap();
    wish["inscription_id"] = wish.as_object_mut().unwrap().remove("inscriptionId").unwrap();
    for kind in ["runes", "ordinals"] {
        let path = format!("/api/v1/offers/instant/{kind}/{}/prepare-accept", offers[0]);
        scene.borrower.post(rig, &path, &wish).await.refused(422, "process_not_taken");
    }
    let handed = scene.prepared().await;
    let offer = rig.app().market.loan(handed["loanId"].as_str().unwrap().parse().unwrap()).await.unwrap().deal.offer;
    let signed = json!({
        "offer_accept_request_id": handed["offerAcceptRequestId"], "wallet_name": "test",
        "signed_psbt": sign(&scene.borrower, &handed),
    });
    for kind in ["runes", "ordinals"] {
        let path = format!("/api/v1/offers/instant/{kind}/{offer}/accept");
        scene.borrower.post(rig, &path, &signed).await.refused(422, "process_not_taken");
    }
    scene.rig.server.stop().await;
}
