//! Typed requests to a real server.

use lienbook_client::types::{CreateManualOffers, ErrorCode, OfferIds, ProcessName};
use lienbook_client::{Client, IdempotencyKey, ListMyOffersQuery};

use super::market::{FLOOR_SATS, Lender, Market};

#[actix_web::test]
async fn a_key_quotes_once_and_cancels() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let body = CreateManualOffers { offers: vec![lender.item("paper-frogs-7d", 500_000)], cf_turnstile_response: None };
    let key = IdempotencyKey::random();
    let created = lender.client.create_manual_offers(&body, &key).await.unwrap();
    assert_eq!(lender.client.create_manual_offers(&body, &key).await.unwrap(), created, "the first answer again");
    let page = lender.client.list_my_offers(&ListMyOffersQuery::default()).await.unwrap();
    assert_eq!((page.data, page.next_cursor), (created.offers.clone(), None));

    let book = market.visitor().get_order_book("paper-frogs").await.unwrap();
    assert_eq!(book.collection.row.floor, Some(FLOOR_SATS));
    let offer = &book.manual_offers[0];
    assert_eq!((offer.principal_amount_sats, offer.process), (500_000, ProcessName::Manual));
    assert!((offer.interest_rate_percentage - 1.2).abs() < 1e-9);

    let offer_ids = vec![created.offers[0].offer_id.clone(), "of_10000000099".to_owned()];
    let results = lender.client.cancel_manual_offers(&OfferIds { offer_ids }, &IdempotencyKey::random()).await.unwrap();
    let results: Vec<_> =
        results.results.into_iter().map(|one| (one.ok, one.error.map(|problem| problem.code))).collect();
    assert_eq!(results, [(true, None), (false, Some(ErrorCode::UnknownOffer))]);
    market.server.stop().await;
}

#[actix_web::test]
async fn a_refusal_has_its_code() {
    let market = Market::start().await;
    let visitor = market.visitor();
    let error = visitor.get_collection("paper-toads").await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::UnknownCollection));
    assert!(!error.may_have_happened());
    let wrong = Client::new(market.url().parse().unwrap(), Some("lbk_1_wrong".parse().unwrap())).unwrap();
    let error = wrong.list_my_offers(&ListMyOffersQuery::default()).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::ApiKeyInvalid));
    assert!(!format!("{error} {error:?}").contains("lbk_1_wrong"));
    market.server.stop().await;
}
