//! Tests of what each route takes: a key with its scope, any key, or a session alone.

use std::collections::BTreeSet;

use escrow::new_api_key::KeyScope;
use lienbook::extract::key_access::{KeyAccess, TABLE};
use lienbook::openapi::Description;
use reqwest::Method;
use serde_json::Value;
use utoipa::OpenApi as _;

use super::api_keys::Program;
use super::lender::TestUser;
use super::rig::Rig;

#[test]
fn every_route_is_in_the_table_of_key_access() {
    let description = serde_json::to_value(Description::openapi()).unwrap();
    let mut described = BTreeSet::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()) {
                described.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    let listed: BTreeSet<_> =
        TABLE.iter().map(|(method, path, _)| (String::from(*method), String::from(*path))).collect();
    assert_eq!(listed.len(), TABLE.len(), "a route is listed twice");
    assert!(described.len() > 90, "{}", described.len());
    let unlisted: Vec<_> = described.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:?}");
    let unknown: Vec<_> = listed.difference(&described).collect();
    assert!(unknown.is_empty(), "in the table, but no route with a session: {unknown:?}");
}

/// A path for a route, with an id that names nothing.
fn path_of(route: &str) -> String {
    let parts = route.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[actix_web::test]
async fn each_route_takes_a_key_with_its_scope_alone_or_none() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let all = Program::with(&rig, &user, |_| {}).await;
    let mut lacking = Vec::new();
    for scope in KeyScope::ALL {
        lacking.push((scope, Program::with(&rig, &user, |key| key.scopes.retain(|other| *other != scope)).await));
    }
    for (method, route, access) in TABLE.iter().filter(|(_, route, _)| !route.contains("/devnet/")) {
        let (method, path) = (Method::from_bytes(method.as_bytes()).unwrap(), path_of(route));
        let code = async |program: &Program| {
            let response = program.request(&rig, method.clone(), &path).send().await.unwrap();
            let body: Value = response.json().await.unwrap_or_default();
            body["code"].as_str().unwrap_or_default().to_owned()
        };
        let by_all = code(&all).await;
        match access {
            KeyAccess::SessionOnly => assert_eq!(by_all, "api_key_not_accepted", "{method} {route}"),
            KeyAccess::AnyKey => assert!(!by_all.starts_with("api_key"), "{method} {route}: {by_all}"),
            KeyAccess::Scope(needed) => {
                assert!(!by_all.starts_with("api_key"), "{method} {route}: {by_all}");
                for (scope, program) in &lacking {
                    let is_needed = scope.to_string() == needed.to_string();
                    let refused = code(program).await == "api_key_scope";
                    assert_eq!(refused, is_needed, "{method} {route} without {scope}");
                }
            }
        }
    }
    rig.server.stop().await;
}
