//! Tests of loans against several inscriptions: requested, filled from the wallet and from the vault, repaid together.

use std::collections::BTreeSet;

use bitcoin::Amount;
use domain::{Inscription, LoanStage};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::action::{Action, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge};
use serde_json::{Value, json};

use super::lender::{TestUser, vault_signer};
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{Answer, FLOOR_SATS, groups};
use super::second_verifier;

const REQUESTS: &str = "/api/v1/requests";
const SLUG: &str = "paper-frogs-7d";
const HOUR_S: u64 = 3_600;

impl LoanFixture {
    fn pay(&self, user: &TestUser, sats: u64) {
        self.chain.fund(&user.wallet.payment_address().script_pubkey(), Amount::from_sat(sats)).unwrap();
    }

    /// Deposits into the lender's vault, and waits until the market has seen it.
    pub async fn deposit(&self, sats: u64) {
        self.pay(&self.lender, sats + 10_000);
        let asked = json!({"sats": sats, "fee_rate": 1.5});
        let prepared = self.lender.post(&self.rig, "/api/v1/vaults/me/deposits/prepare", &asked).await.ok();
        let signed = json!({"signed_psbt": sign(&self.lender, &prepared)});
        self.lender.post(&self.rig, "/api/v1/vaults/me/deposits", &signed).await.ok();
        self.chain.mine(1).unwrap();
        let watch = self.rig.app().vault_watch.as_ref().unwrap();
        assert_eq!(watch.round().await.unwrap().failed, []);
    }

    /// Gives a user inscriptions of the collection, each in a coin of its own; returns their ids, ascending.
    pub async fn frogs(&self, owner: &TestUser, count: usize) -> Vec<String> {
        let home = owner.wallet.ordinals_address().script_pubkey();
        let mut ids: Vec<InscriptionId> = Vec::new();
        for _ in 0..count {
            ids.push(self.chain.inscribe(&home, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap());
        }
        let mut listed: Vec<Inscription> = ids.into_iter().map(Into::into).collect();
        listed.sort_unstable();
        self.rig.app().market.list_inscriptions(groups()[0].id, &listed).await.unwrap();
        listed.into_iter().map(|listed| InscriptionId::from(listed).to_string()).collect()
    }

    /// A request for half of the floor of each inscription.
    fn request_against(&self, ids: &[String]) -> NewRequest {
        NewRequest {
            collection_slug: "paper-frogs".to_owned(),
            collateral: RequestedPledge::Inscriptions(ids.to_vec()),
            principal_sats: FLOOR_SATS / 2 * u64::try_from(ids.len()).unwrap(),
            interest_max: 150,
            term_min_days: 5,
            term_max_days: 10,
            good_until_s: self.rig.app().now().seconds() + 24 * HOUR_S,
        }
    }

    async fn ask(&self, ids: &[String]) -> Answer {
        let request = self.request_against(ids);
        let signed = self.borrower.sign_fresh(&self.rig, Action::RequestLoan(request.clone())).await;
        let body = json!({
            "collection": request.collection_slug, "inscriptionIds": ids,
            "principalAmountSats": request.principal_sats, "interestMax": request.interest_max,
            "termMinDays": request.term_min_days, "termMaxDays": request.term_max_days,
            "goodUntil": request.good_until_s * 1_000,
            "signature": signed.signature, "signatureTimestamp": signed.issued_s, "message": signed.text,
        });
        self.borrower.post(&self.rig, REQUESTS, &body).await
    }

    async fn asked(&self, ids: &[String]) -> String {
        self.ask(ids).await.ok()["requestId"].as_str().unwrap().to_owned()
    }

    async fn filled(&self, request: &str) -> String {
        let body = json!({"collectionSlug": SLUG});
        let filled = self.lender.post(&self.rig, &format!("{REQUESTS}/{request}/fill"), &body).await.ok();
        filled["offer"]["offerId"].as_str().unwrap().to_owned()
    }

    /// The borrower's request for a loan against these inscriptions.
    fn taking(&self, offer: &str, ids: &[String]) -> Value {
        let mut body = self.loan_request(&self.borrower, offer);
        body.as_object_mut().unwrap().remove("inscriptionId");
        body["inscriptionIds"] = json!(ids);
        body
    }

    /// Checks that the inscriptions are the borrower's again, each alone in its coin.
    async fn assert_returned(&self, ids: &[String]) {
        let home = self.borrower.wallet.ordinals_address().script_pubkey();
        let mut places = BTreeSet::new();
        for id in ids {
            let (outpoint, _) = self.chain.sat_point(id.parse().unwrap()).await.unwrap().unwrap();
            let output = self.chain.unspent(outpoint).await.unwrap().unwrap().output;
            assert_eq!((output.script_pubkey, output.value), (home.clone(), Amount::from_sat(10_000)), "{id}");
            places.insert(outpoint);
        }
        assert_eq!(places.len(), ids.len());
    }
}

#[actix_web::test]
async fn five_are_requested_lent_against_and_repaid_together() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    fixture.pay(&fixture.lender, 3_000_000);
    fixture.pay(borrower, 3_000_000);
    let ids = fixture.frogs(borrower, 5).await;
    let request = fixture.asked(&ids).await;
    let listed = rig.get(REQUESTS).await.ok()["requests"][0].clone();
    assert_eq!((&listed["inscriptionIds"], &listed["inscriptionId"]), (&json!(ids), &json!(ids[0])));
    assert_eq!(listed["fungibleAmount"], Value::Null);
    fixture.ask(&ids[4..]).await.refused(409, "already_requested");

    let offer = fixture.filled(&request).await;
    for (code, other) in [
        ("inscription_not_chosen", fixture.taking(&offer, &ids[..4])),
        ("inscription_not_chosen", fixture.taking(&offer, &ids[..1])),
        ("wrong_quantity", fixture.taking(&offer, &[&ids[..4], &ids[..1]].concat())),
        ("inscription_not_chosen", fixture.loan_request(borrower, &offer)),
    ] {
        assert_eq!(borrower.post(rig, PREPARE, &other).await.code(), code);
    }
    let prepared = borrower.post(rig, PREPARE, &fixture.taking(&offer, &ids)).await.ok();
    let signed = sign(borrower, &prepared);
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    let loan = prepared["loanId"].as_str().unwrap();
    fixture.countersign(loan).await;
    fixture.chain.mine(1).unwrap();
    fixture.until(loan, LoanStage::Active).await;
    let view = borrower.get(rig, &format!("/api/v1/me/loans/{loan}")).await.ok();
    assert_eq!((&view["inscriptionIds"], &view["inscriptionId"]), (&json!(ids), &json!(ids[0])));
    assert_eq!((&view["principal"], &view["refinanceRefusal"]), (&json!(FLOOR_SATS / 2 * 5), &json!("no_such_bundle")));

    let asked = json!({"loanIds": [loan], "feeRate": 3});
    let ending = borrower.post(rig, "/api/v1/loans/repayment/prepare", &asked).await.ok();
    let body = json!({"loanIds": [loan], "walletName": "test", "base64": sign(borrower, &ending)});
    borrower.post(rig, "/api/v1/loans/repayment", &body).await.ok();
    fixture.chain.mine(1).unwrap();
    fixture.until(loan, LoanStage::Repaid).await;
    fixture.assert_returned(&ids).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_vault_lends_against_the_number_that_its_lender_signed() {
    let fixture = LoanFixture::new().await;
    let (rig, lender, borrower) = (&fixture.rig, &fixture.lender, &fixture.borrower);
    lender.open_vault(rig).await;
    fixture.deposit(2_000_000).await;
    let ids = fixture.frogs(borrower, 3).await;
    let path = format!("{REQUESTS}/{}/fill", fixture.asked(&ids).await);
    let good_until_s = rig.app().now().seconds() + HOUR_S;
    let vault = vault_signer(rig).await;
    let fill = async |inscriptions| {
        let terms = InstantTerms {
            inscriptions,
            borrower: Some(borrower.address()),
            good_until_s: Some(good_until_s),
            ..InstantTerms::plain(8_000, vault.clone())
        };
        let offer = NewOffer {
            collection_slug: SLUG.to_owned(),
            principal_sats: FLOOR_SATS / 2 * 3,
            process: OfferProcess::Instant(terms),
        };
        let signed = lender.sign_fresh(rig, Action::CreateOffer(offer)).await;
        let instant = json!({
            "ltvMax": 8_000, "signature": signed.signature, "signatureTimestamp": signed.issued_s,
            "message": signed.text,
        });
        let body = json!({"collectionSlug": SLUG, "goodUntil": good_until_s * 1_000, "instant": instant});
        lender.post(rig, &path, &body).await
    };
    for other in [None, Some(1), Some(2), Some(4)] {
        let refused = fill(other).await;
        refused.refused(422, "message_field_mismatch");
        assert_eq!(refused.body["values"]["field"], "inscriptions");
    }
    let offer = fill(Some(3)).await.ok()["offer"]["offerId"].as_str().unwrap().to_owned();

    let mut body = fixture.taking(&offer, &ids);
    let fields = body.as_object_mut().unwrap();
    fields.remove("offerId");
    for (old, new) in [("feeRate", "fee_rate"), ("inscriptionIds", "inscription_ids")] {
        let value = fields.remove(old).unwrap();
        fields.insert(new.to_owned(), value);
    }
    let path = format!("/api/v1/offers/instant/ordinals/{offer}");
    let prepared = borrower.post(rig, &format!("{path}/prepare-accept"), &body).await.ok();
    second_verifier::check_borrower(rig, borrower, &prepared, None).await;
    let accepted = json!({
        "offer_accept_request_id": prepared["offerAcceptRequestId"], "wallet_name": "test",
        "signed_psbt": sign(borrower, &prepared),
    });
    borrower.post(rig, &format!("{path}/accept"), &accepted).await.ok();
    fixture.chain.mine(1).unwrap();
    fixture.until(prepared["loanId"].as_str().unwrap(), LoanStage::Active).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn inscriptions_that_cannot_be_pledged_together_are_refused_by_name() {
    let fixture = LoanFixture::new().await;
    let ids = fixture.frogs(&fixture.borrower, 21).await;
    let foreign = fixture.frogs(&fixture.lender, 1).await;
    let unlisted = format!("{}i0", "5a".repeat(32));
    for (status, code, asked) in [
        (422, "invalid_field", ids.clone()),
        (422, "wrong_quantity", vec![ids[0].clone(), ids[0].clone()]),
        (422, "message_malformed", Vec::new()),
        (404, "unknown_inscription", vec![ids[0].clone(), "frog".to_owned()]),
        (422, "wrong_collection", vec![ids[0].clone(), unlisted]),
        (403, "not_your_inscription", [&ids[..1], &foreign].concat()),
    ] {
        let answer = fixture.ask(&asked).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{asked:?}");
    }
    fixture.asked(&ids[..20]).await;
    fixture.rig.server.stop().await;
}
