//! Tests of the previews of links to collections and offers.

use reqwest::Method;

use super::lender::TestUser;
use super::rig::Rig;

/// The first bytes of every PNG, and the positions of its width and height.
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];

async fn page(rig: &Rig, path: &str) -> String {
    let response = rig.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.unwrap()
}

/// The content of a page's meta property that begins with `og:`.
fn meta(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!(r#"property="og:{name}" content=""#))?;
    rest.split_once('"').map(|(meta, _)| meta.to_owned())
}

async fn picture(rig: &Rig, path: &str) -> Vec<u8> {
    let response = rig.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    assert_eq!(response.headers()["content-type"], "image/png", "{path}");
    let bytes = response.bytes().await.unwrap().to_vec();
    assert_eq!(bytes[..8], SIGNATURE);
    assert_eq!((&bytes[16..20], &bytes[20..24]), (&1_200_u32.to_be_bytes()[..], &630_u32.to_be_bytes()[..]));
    bytes
}

#[actix_web::test]
async fn a_link_shows_the_collection_on_the_side_it_is_for() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let link = "/borrow/ordinals?collection=paper-frogs&view=detail";
    let empty = page(&rig, link).await;
    assert_eq!(meta(&empty, "title").unwrap(), "Borrow against paper frogs");
    assert!(meta(&empty, "description").unwrap().starts_with("No offers yet."), "{empty}");
    let before = picture(&rig, "/share-images/borrow/paper-frogs.png").await;

    lender.quote(&rig, "paper-frogs-7d", 500_000, 2).await;
    let quoted = page(&rig, link).await;
    let description = meta(&quoted, "description").unwrap();
    assert!(description.starts_with("Best offer 0.005 BTC for 7 days. 2 offers, 0.01 BTC to borrow."), "{description}");
    assert_eq!(quoted.matches("<title>").count(), 1);
    assert!(quoted.contains("<title>Borrow against paper frogs · Lienbook</title>"));
    assert!(meta(&quoted, "url").unwrap().ends_with("/borrow/ordinals?collection=paper-frogs&amp;view=detail"));
    let image = meta(&quoted, "image").unwrap();
    let path = &image[image.find("/share-images").unwrap()..];
    assert_eq!(path, "/share-images/borrow/paper-frogs.png");
    assert_ne!(picture(&rig, path).await, before, "the picture follows the book");
    assert_eq!(picture(&rig, path).await, picture(&rig, path).await);

    let lend = page(&rig, "/lend/ordinals?collection=paper-frogs").await;
    assert_eq!(meta(&lend, "title").unwrap(), "Lend against paper frogs");
    assert!(meta(&lend, "image").unwrap().ends_with("/share-images/lend/paper-frogs.png"));
    picture(&rig, "/share-images/lend/paper-frogs.png").await;
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_link_to_an_offer_shows_that_offer_until_it_is_gone() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let offer = lender.quote(&rig, "paper-frogs-30d", 512_000, 1).await.remove(0);
    let link = format!("/borrow/ordinals?collection=paper-frogs&offer={offer}");
    let open = page(&rig, &link).await;
    assert_eq!(meta(&open, "title").unwrap(), "Borrow 0.00512 BTC against paper frogs");
    assert!(meta(&open, "description").unwrap().starts_with("For 30 days at "));
    let path = format!("/share-images/borrow/paper-frogs.png?offer={offer}");
    assert!(meta(&open, "image").unwrap().ends_with(&path));
    let of_offer = picture(&rig, &path).await;

    let these = serde_json::json!({"offerIds": [offer]});
    lender.post(&rig, "/api/v1/offers/manual/cancel", &these).await.ok();
    assert_eq!(meta(&page(&rig, &link).await, "title").unwrap(), "Borrow against paper frogs");
    assert_ne!(picture(&rig, &path).await, of_offer);
    rig.server.stop().await;
}

#[actix_web::test]
async fn links_to_no_collection_show_the_unchanged_page() {
    let rig = Rig::start().await;
    let plain = page(&rig, "/").await;
    for path in [
        "/borrow/ordinals",
        "/borrow/ordinals?collection=",
        "/borrow/ordinals?collection=a&collection=b",
        "/portfolio?collection=paper-frogs",
    ] {
        assert_eq!(page(&rig, path).await, plain, "{path}");
    }
    for offer in ["garbage", "of_1", "of_99999999999999999999", "of_20000000001", "%00"] {
        let title = meta(&page(&rig, &format!("/borrow/x?collection=paper-frogs&offer={offer}")).await, "title");
        assert_eq!(title.unwrap(), "Borrow against paper frogs", "{offer}");
    }
    for path in ["/share-images/borrow/paper-frogs", "/share-images/steal/paper-frogs.png"] {
        rig.get(path).await.refused(404, "not_found");
    }
    rig.get("/share-images/borrow/no-such-thing.png").await.refused(404, "unknown_collection");
    rig.server.stop().await;
}
