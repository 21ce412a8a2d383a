//! Test of starred collections.

use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::Rig;

#[actix_web::test]
async fn stars_are_private_and_survive_a_restart() {
    let rig = Rig::start().await;
    let (one, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let act = async |rig: &Rig, method: Method, name: &str| {
        one.send(rig, method, &format!("/api/v1/me/favourites/{name}"), None).await
    };
    assert_eq!(act(&rig, Method::PUT, "g_3").await.ok(), json!({"collectionIds": ["g_3"]}));
    assert_eq!(act(&rig, Method::PUT, "paper-frogs").await.ok()["collectionIds"], json!(["g_1", "g_3"]));
    let events = rig.events();
    assert_eq!(act(&rig, Method::PUT, "g_1").await.ok()["collectionIds"], json!(["g_1", "g_3"]));
    assert_eq!(act(&rig, Method::DELETE, "g_2").await.ok()["collectionIds"], json!(["g_1", "g_3"]));
    assert_eq!(rig.events(), events, "an unchanged star is not written again");
    assert_eq!(act(&rig, Method::DELETE, "g_1").await.ok()["collectionIds"], json!(["g_3"]));
    act(&rig, Method::PUT, "nothing").await.refused(404, "unknown_collection");
    assert_eq!(other.get(&rig, "/api/v1/me/favourites").await.ok()["collectionIds"], json!([]));
    rig.get("/api/v1/me/favourites").await.refused(401, "unauthenticated");
    let request = rig.request(Method::PUT, "/api/v1/me/favourites/g_1").header("origin", "https://elsewhere.example");
    rig.send(request.bearer_auth(&one.token)).await.refused(403, "origin_not_allowed");

    let rig = rig.restart().await;
    let kept: Value = one.get(&rig, "/api/v1/me/favourites").await.ok();
    assert_eq!(kept["collectionIds"], json!(["g_3"]));
    rig.server.stop().await;
}
