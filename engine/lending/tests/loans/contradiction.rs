//! Tests that collateral on which two indexers disagree is not pledged.

use domain::OfferId;
use engine::asset_index::{AssetError, InscriptionId};
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;
use lending::holdings::InscriptionError;
use lending::lookup::LookupError;

use crate::instant::wish_of;
use crate::kit::groups::{FROGS, GOLD};
use crate::runes::golden;
use crate::scene::{PRINCIPAL, Scene};

const ELSEWHERE: &str = "it is elsewhere";

/// Asserts that a request is refused while an indexer contradicts, and prepared afterwards.
async fn is_refused_and_then_prepared(scene: &Scene, wish: &Borrowing, is_instant: bool) {
    let desk = &scene.world.desk;
    let prepare = async || {
        if is_instant { desk.prepare_instant(&wish_of(&scene.borrower, wish)).await } else { desk.prepare(wish).await }
    };
    scene.world.moods.now().contradiction = Some(ELSEWHERE);
    let error = prepare().await.unwrap_err();
    let said = LookupError::Assets(AssetError::Nonsense(ELSEWHERE.to_owned()));
    let lookup = match &error {
        DeskError::Lookup(lookup) | DeskError::Inscription(InscriptionError::Lookup(lookup)) => Some(lookup),
        _ => None,
    };
    assert_eq!(lookup, Some(&said), "{error}");
    scene.world.moods.now().contradiction = None;
    prepare().await.unwrap();
}

fn wish(scene: &Scene, offer: OfferId, frog: Option<InscriptionId>, raw: Option<u128>) -> Borrowing {
    Borrowing { amount_raw: raw, ..scene.wish(offer, frog) }
}

#[actix::test]
async fn an_inscription_that_another_indexer_locates_elsewhere_is_refused() {
    let scene = Scene::new().await;
    let (offer, frog) = (scene.offer(FROGS, 0).await, scene.frog().await);
    is_refused_and_then_prepared(&scene, &wish(&scene, offer, Some(frog), None), false).await;
}

#[actix::test]
async fn runes_whose_amount_another_indexer_contradicts_are_refused() {
    let (scene, _, _) = golden().await;
    scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(GOLD, PRINCIPAL, Some(20_000_000)).await;
    scene.until_live(offer).await;
    is_refused_and_then_prepared(&scene, &wish(&scene, offer, None, Some(10_000_000)), true).await;
}
