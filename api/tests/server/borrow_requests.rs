//! Tests of borrow requests: placed by a signature, filled from wallet and vault, taken, and ended.

use bitcoin::transaction::Version;
use bitcoin::{Amount, Psbt, Transaction, TxIn, TxOut, absolute};
use domain::{CollateralType, GroupId, Sats, UnitPrice};
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use escrow::action::{Action, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge};
use reqwest::Method;
use serde_json::{Value, json};

use super::feed::{Socket, ticket};
use super::lender::{Signed, TestUser, vault_signer};
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{Answer, FLOOR_SATS, groups};

const REQUESTS: &str = "/api/v1/requests";
const HOUR_S: u64 = 3_600;

impl LoanFixture {
    /// A request for half of the floor against the borrower's inscription.
    fn new_request(&self) -> NewRequest {
        NewRequest {
            collection_slug: "paper-frogs".to_owned(),
            collateral: RequestedPledge::Inscriptions(vec![self.inscription().to_string()]),
            principal_sats: FLOOR_SATS / 2,
            interest_max: 150,
            term_min_days: 5,
            term_max_days: 10,
            good_until_s: self.now_s() + 24 * HOUR_S,
        }
    }

    fn now_s(&self) -> u64 {
        self.rig.app().now().seconds()
    }

    async fn place_signed(&self, user: &TestUser, request: &NewRequest, signed: &Signed) -> Answer {
        user.post(&self.rig, REQUESTS, &request_body(request, signed)).await
    }

    async fn place(&self, user: &TestUser, request: &NewRequest) -> Answer {
        let signed = user.sign_fresh(&self.rig, Action::RequestLoan(request.clone())).await;
        self.place_signed(user, request, &signed).await
    }

    /// Places a request of the borrower; returns its id.
    pub async fn placed(&self) -> String {
        let placed = self.place(&self.borrower, &self.new_request()).await.ok();
        placed["requestId"].as_str().unwrap().to_owned()
    }

    async fn fill(&self, lender: &TestUser, request: &str) -> Answer {
        let body = json!({"collectionSlug": "paper-frogs-7d"});
        lender.post(&self.rig, &format!("{REQUESTS}/{request}/fill"), &body).await
    }

    /// Sends the borrower's inscription to another user, in a block.
    async fn move_inscription(&self, to: &TestUser) {
        let from = self.borrower.wallet.ordinals_address().script_pubkey();
        let outpoint = self.chain.outputs_of(&from).await.unwrap()[0];
        let output = self.chain.unspent(outpoint).await.unwrap().unwrap().output;
        let script_pubkey = to.wallet.ordinals_address().script_pubkey();
        let sent = TxOut { value: output.value - Amount::from_sat(1_000), script_pubkey };
        let input = TxIn { previous_output: outpoint, ..TxIn::default() };
        let lock_time = absolute::LockTime::ZERO;
        let unsigned = Transaction { version: Version::TWO, lock_time, input: vec![input], output: vec![sent] };
        let mut psbt = Psbt::from_unsigned_tx(unsigned).unwrap();
        psbt.inputs[0].witness_utxo = Some(output);
        let signed: Psbt = self.borrower.wallet.sign_psbt(&psbt.to_string()).unwrap().parse().unwrap();
        let mut transaction = signed.unsigned_tx;
        transaction.input[0].witness.push(signed.inputs[0].tap_key_sig.unwrap().to_vec());
        self.chain.mine_transactions(vec![transaction]).unwrap();
    }

    /// The requests of the collection.
    pub async fn listed(&self) -> Value {
        self.rig.get(&format!("{REQUESTS}?collection=paper-frogs")).await.ok()["requests"].clone()
    }
}

fn request_body(request: &NewRequest, signed: &Signed) -> Value {
    let mut body = json!({
        "collection": request.collection_slug, "principalAmountSats": request.principal_sats,
        "interestMax": request.interest_max, "termMinDays": request.term_min_days,
        "termMaxDays": request.term_max_days, "goodUntil": request.good_until_s * 1_000,
        "signature": signed.signature, "signatureTimestamp": signed.issued_s, "message": signed.text,
    });
    match &request.collateral {
        RequestedPledge::Inscriptions(ids) => match &ids[..] {
            [id] => body["inscriptionId"] = json!(id),
            ids => body["inscriptionIds"] = json!(ids),
        },
        RequestedPledge::Amount(raw) => body["fungibleAmount"] = json!(raw.to_string()),
    }
    body
}

#[actix_web::test]
async fn the_requests_of_a_borrower_are_together_for_no_more_tokens_than_the_wallet_holds() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let (rune, _) = fixture.chain.etch(&borrower.wallet.ordinals_address().script_pubkey(), 2, 1_000_000).unwrap();
    let mut pond = groups().remove(1);
    (pond.id, pond.slug) = (GroupId(9), "new-pond".parse().unwrap());
    for (sub, slug) in pond.sub_collections.iter_mut().zip(["new-pond-bundle", "new-pond-open"]) {
        sub.slug = slug.parse().unwrap();
    }
    pond.collateral =
        CollateralType::Rune { rune_id: rune.to_string(), rune_name: "NEW•POND".to_owned(), decimals: 2 };
    let id = pond.id;
    rig.app().market.list_group(pond).await.unwrap();
    let price = UnitPrice::from_sats(Sats::new(100)).unwrap();
    rig.app().market.move_price(id, price, rig.app().now()).await.unwrap();
    let asking = |raw: u128| NewRequest {
        collection_slug: "new-pond".to_owned(),
        collateral: RequestedPledge::Amount(raw),
        principal_sats: 100_000,
        term_max_days: 30,
        ..fixture.new_request()
    };
    let first = fixture.place(borrower, &asking(600_000)).await.ok()["requestId"].clone();
    let too_much = fixture.place(borrower, &asking(400_001)).await;
    too_much.refused(422, "insufficient_tokens");
    fixture.place(borrower, &asking(400_000)).await.ok();
    let path = format!("{REQUESTS}/{}", first.as_str().unwrap());
    let withdrawn = borrower.send(rig, Method::DELETE, &path, None).await;
    assert_eq!(withdrawn.status.as_u16(), 204);
    // Two at once are for the same tokens: one of them is placed.
    let (one, other) = (asking(300_001), asking(300_002));
    let (one, other) = tokio::join!(fixture.place(borrower, &one), fixture.place(borrower, &other));
    let refused = if one.status.is_success() { other } else { one };
    refused.refused(422, "insufficient_tokens");
    let free = refused.body["values"]["fungibleAmount"].as_str().unwrap().to_owned();
    assert!(["299999", "299998"].contains(&free.as_str()), "{free}");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_request_is_filled_signed_by_both_and_leaves_the_book() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let mut public = Socket::open(rig).await;
    public.send_frame(&json!({"op": "subscribe", "channel": "requests"})).await;
    let snapshot = public.next_frame().await;
    assert_eq!(snapshot["data"]["requests"], json!([]));
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let mut private = Socket::open(rig).await;
    private.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket(rig, borrower).await})).await;
    private.next_frame().await;

    let request = fixture.placed().await;
    let shown = public.next_op(&mut seq, "request").await["request"].clone();
    assert_eq!((&shown["requestId"], &shown["state"]), (&json!(request), &json!("open")));
    assert_eq!((&shown["interestMaxPercentage"], &shown["fungibleAmount"]), (&json!(1.5), &json!(null)));
    assert_eq!(fixture.listed().await, json!([shown]));

    fixture.fill(borrower, &request).await.refused(403, "own_offer");
    let limits = async |budget: u64| {
        let limits = json!({"budgetSats": budget});
        fixture.lender.send(rig, Method::PUT, "/api/v1/me/lending-limits", Some(&limits)).await.ok()
    };
    limits(FLOOR_SATS / 2 - 1).await;
    fixture.fill(&fixture.lender, &request).await.refused(409, "over_lending_limits");
    limits(FLOOR_SATS / 2).await;
    let filled = fixture.fill(&fixture.lender, &request).await.ok()["offer"].clone();
    assert_eq!(filled["principal"], FLOOR_SATS / 2);
    assert_eq!(filled["conditions"]["borrowerAddress"], borrower.address());
    assert_eq!(public.next_op(&mut seq, "request").await["request"]["state"], "filled");
    let frame = private.next_frame().await;
    let op = |name: &str| frame["ops"].as_array().unwrap().iter().find(|it| it["op"] == name).unwrap().clone();
    let for_me = op("offer_for_me");
    assert_eq!((&for_me["requestId"], &for_me["offer"]["offerId"]), (&json!(request), &filled["offerId"]));
    assert_eq!(op("notice")["notice"]["kind"], "request_filled");

    let listed = borrower.get(rig, "/api/v1/offers/for-me").await.ok()["data"].clone();
    assert_eq!((&listed[0]["offer"], &listed[0]["requestId"]), (&for_me["offer"], &for_me["requestId"]));
    let borrower_of = format!("{REQUESTS}/{request}/borrower");
    let named = fixture.lender.get(rig, &borrower_of).await.ok();
    assert_eq!(named["paymentAddress"], borrower.address());
    rig.get(&borrower_of).await.refused(401, "unauthenticated");

    let other = TestUser::sign_in(rig, 9).await;
    assert_eq!(other.get(rig, "/api/v1/offers/for-me").await.ok()["data"], json!([]));
    fixture.fill(&other, &request).await.refused(409, "request_filled");
    let withdraw = format!("{REQUESTS}/{request}");
    borrower.send(rig, Method::DELETE, &withdraw, None).await.refused(409, "request_filled");

    let loan = fixture.loan_request(borrower, filled["offerId"].as_str().unwrap());
    let prepared = borrower.post(rig, PREPARE, &loan).await.ok();
    let signed = sign(borrower, &prepared);
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    fixture.countersign(prepared["loanId"].as_str().unwrap()).await;
    assert_eq!(public.next_op(&mut seq, "request_gone").await["requestId"], json!(request));
    assert_eq!(fixture.listed().await, json!([]));
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_cancelled_fill_opens_the_request_again_and_its_borrower_withdraws_it() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let request = fixture.placed().await;
    let filled = fixture.fill(&fixture.lender, &request).await.ok()["offer"].clone();
    let cancel = json!({"offerIds": [filled["offerId"]]});
    fixture.lender.post(rig, "/api/v1/offers/manual/cancel", &cancel).await.ok();
    let until_open = async || {
        while fixture.listed().await[0]["state"] != "open" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), until_open()).await.expect("it is open again");

    let withdraw = format!("{REQUESTS}/{request}");
    let delete = async |user: &TestUser| user.send(rig, Method::DELETE, &withdraw, None).await;
    delete(&fixture.lender).await.refused(403, "not_owner");
    assert_eq!(delete(&fixture.borrower).await.status, 204);
    delete(&fixture.borrower).await.refused(404, "unknown_request");
    fixture.fill(&fixture.lender, &request).await.refused(404, "unknown_request");
    fixture.fill(&fixture.lender, "rq_ff0000000001").await.refused(404, "unknown_request");
    fixture.fill(&fixture.lender, "of_1").await.refused(404, "unknown_request");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_request_is_refused_by_name_unless_it_is_signed_held_and_possible() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let good = fixture.new_request();
    let signed = borrower.sign_fresh(rig, Action::RequestLoan(good.clone())).await;
    for (field, altered) in [
        ("principalAmountSats", NewRequest { principal_sats: good.principal_sats + 1, ..good.clone() }),
        ("interestMax", NewRequest { interest_max: 151, ..good.clone() }),
        ("termMinDays", NewRequest { term_min_days: 4, ..good.clone() }),
        ("termMaxDays", NewRequest { term_max_days: 11, ..good.clone() }),
        ("goodUntil", NewRequest { good_until_s: good.good_until_s + 1, ..good.clone() }),
        ("collection", NewRequest { collection_slug: "gold-frogs".to_owned(), ..good.clone() }),
        ("inscriptionId", NewRequest { collateral: RequestedPledge::Amount(1), ..good.clone() }),
    ] {
        let answer = fixture.place_signed(borrower, &altered, &signed).await;
        answer.refused(422, "message_field_mismatch");
        assert_eq!(answer.body["values"]["field"], field);
    }
    let unknown = format!("{}i0", "5a".repeat(32));
    for (status, code, request) in [
        (422, "no_term_of_request", NewRequest { interest_max: 10, ..good.clone() }),
        (422, "no_term_of_request", NewRequest { term_min_days: 8, term_max_days: 9, ..good.clone() }),
        (422, "below_min_offer", NewRequest { principal_sats: 29_999, ..good.clone() }),
        (422, "ltv_above_ceiling", NewRequest { principal_sats: FLOOR_SATS, ..good.clone() }),
        (422, "good_until_out_of_range", NewRequest { good_until_s: fixture.now_s() + 60, ..good.clone() }),
        (404, "unknown_collection", NewRequest { collection_slug: "no-frogs".to_owned(), ..good.clone() }),
        (422, "wrong_quantity", NewRequest { collateral: RequestedPledge::Amount(7), ..good.clone() }),
        (
            422,
            "wrong_collection",
            NewRequest { collateral: RequestedPledge::Inscriptions(vec![unknown]), ..good.clone() },
        ),
    ] {
        fixture.place(borrower, &request).await.refused(status, code);
    }
    // Another user does not hold the inscription.
    fixture.place(&fixture.lender, &good).await.refused(403, "not_your_inscription");
    fixture.place_signed(borrower, &good, &signed).await.ok();
    fixture.place_signed(borrower, &good, &signed).await.refused(409, "nonce_used");
    fixture.place(borrower, &good).await.refused(409, "already_requested");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_request_ends_when_a_lender_finds_its_collateral_gone() {
    let fixture = LoanFixture::new().await;
    let request = fixture.placed().await;
    fixture.move_inscription(&fixture.lender).await;
    fixture.fill(&fixture.lender, &request).await.refused(409, "collateral_gone");
    fixture.fill(&fixture.lender, &request).await.refused(404, "unknown_request");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_request_is_filled_from_the_vault_by_a_message_that_names_the_borrower_and_the_time() {
    let fixture = LoanFixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    lender.fund(rig, 10_000_000).await;
    let request = fixture.placed().await;
    let path = format!("{REQUESTS}/{request}/fill");
    let good_until_s = fixture.now_s() + HOUR_S;
    let terms = InstantTerms {
        borrower: Some(fixture.borrower.address()),
        good_until_s: Some(good_until_s),
        ..InstantTerms::plain(8_000, vault_signer(rig).await)
    };
    let offer = |terms: &InstantTerms, principal_sats| NewOffer {
        collection_slug: "paper-frogs-7d".to_owned(),
        principal_sats,
        process: OfferProcess::Instant(terms.clone()),
    };
    let body = async |offer: NewOffer| {
        let signed = lender.sign_fresh(rig, Action::CreateOffer(offer)).await;
        json!({"collectionSlug": "paper-frogs-7d", "goodUntil": good_until_s * 1_000, "instant": {
            "ltvMax": 8_000, "signature": signed.signature, "signatureTimestamp": signed.issued_s,
            "message": signed.text,
        }})
    };
    let half = FLOOR_SATS / 2;
    for altered in [
        offer(&InstantTerms { borrower: None, ..terms.clone() }, half),
        offer(&InstantTerms { borrower: Some(lender.address()), ..terms.clone() }, half),
        offer(&InstantTerms { good_until_s: None, ..terms.clone() }, half),
        offer(&InstantTerms { good_until_s: Some(good_until_s + 1), ..terms.clone() }, half),
        offer(&InstantTerms { ltv_max: 8_001, ..terms.clone() }, half),
        offer(&InstantTerms { accept_next_term: true, ..terms.clone() }, half),
        offer(&InstantTerms { vault: "other".to_owned(), ..terms.clone() }, half),
        offer(&terms, half + 1),
    ] {
        let body = body(altered).await;
        lender.post(rig, &path, &body).await.refused(422, "message_field_mismatch");
    }
    let body = body(offer(&terms, half)).await;
    let filled = lender.post(rig, &path, &body).await.ok()["offer"].clone();
    assert_eq!(filled["conditions"]["borrowerAddress"], fixture.borrower.address());
    assert_eq!((&filled["goodUntil"], &filled["isTimeSigned"]), (&json!(good_until_s * 1_000), &json!(true)));

    // The time of a fill is the borrower's too: it can only become shorter.
    let later = json!({"offerIds": [filled["offerId"]], "goodUntil": good_until_s * 1_000 + 60_000});
    let results = lender.post(rig, "/api/v1/offers/good-until", &later).await.ok()["results"].clone();
    assert_eq!(results[0]["error"]["code"], "good_until_out_of_range");
    let never = json!({"offerIds": [filled["offerId"]], "goodUntil": null});
    let results = lender.post(rig, "/api/v1/offers/good-until", &never).await.ok()["results"].clone();
    assert_eq!(results[0]["error"]["code"], "good_until_out_of_range");

    // Paused, it cannot be taken: it leaves the book, and the request is open again.
    lender.post(rig, "/api/v1/offers/pause", &json!({"offerIds": [filled["offerId"]]})).await.ok();
    assert_eq!(lender.get(rig, "/api/v1/offers").await.ok()["data"], json!([]));
    let again = TestUser::sign_in(rig, 9).await;
    fixture.fill(&again, &request).await.ok();
    fixture.rig.server.stop().await;
}
