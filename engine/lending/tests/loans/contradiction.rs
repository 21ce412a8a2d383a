//! Tests that collateral on which two indexers disagree is not pledged.

use domain::OfferId;
use engine::asset_index::{AssetError, InscriptionId};
use lending::lookups::holdings::InscriptionError;
use lending::lookups::lookup::LookupError;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::instant_fixture::request_of;
use crate::kit::groups::{FROGS, GOLD};
use crate::runes::gold_rune;

const ELSEWHERE: &str = "it is elsewhere";

/// Asserts that a request is refused while an indexer contradicts, and prepared afterwards.
async fn is_refused_and_then_prepared(fixture: &Fixture, request: &LoanRequest, is_instant: bool) {
    let service = &fixture.world.service;
    let prepare = async || {
        if is_instant {
            service.prepare_instant(&request_of(&fixture.borrower, request)).await
        } else {
            service.prepare(request).await
        }
    };
    fixture.world.faults.lock().contradiction = Some(ELSEWHERE);
    let error = prepare().await.unwrap_err();
    let expected = LookupError::Assets(AssetError::InvalidResponse(ELSEWHERE.to_owned()));
    let lookup = match &error {
        LoanServiceError::Lookup(lookup) | LoanServiceError::Inscription(InscriptionError::Lookup(lookup)) => {
            Some(lookup)
        }
        _ => None,
    };
    assert_eq!(lookup, Some(&expected), "{error}");
    fixture.world.faults.lock().contradiction = None;
    prepare().await.unwrap();
}

fn request(fixture: &Fixture, offer: OfferId, frog: Option<InscriptionId>, raw: Option<u128>) -> LoanRequest {
    LoanRequest { amount_raw: raw, ..fixture.request(offer, frog) }
}

#[actix::test]
async fn an_inscription_that_another_indexer_locates_elsewhere_is_refused() {
    let fixture = Fixture::new().await;
    let (offer, frog) = (fixture.offer(FROGS, 0).await, fixture.frog().await);
    is_refused_and_then_prepared(&fixture, &request(&fixture, offer, Some(frog), None), false).await;
}

#[actix::test]
async fn runes_whose_amount_another_indexer_contradicts_are_refused() {
    let (fixture, _, _) = gold_rune().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(GOLD, PRINCIPAL, Some(20_000_000)).await;
    fixture.until_live(offer).await;
    is_refused_and_then_prepared(&fixture, &request(&fixture, offer, None, Some(10_000_000)), true).await;
}
