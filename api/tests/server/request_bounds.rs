//! Tests with requests generated from the API description: none that it admits is refused for its form, and none
//! outside its bounds is accepted.

use lienbook::http::request_form;
use lienbook::openapi::Description;
use reqwest::Method;
use serde_json::{Value, json};
use utoipa::OpenApi as _;

use super::lender::TestUser;
use super::request_generator::{Operation, Request, RequestGenerator, ValueChoice, kind};
use super::rig::{Answer, Rig};

/// The codes that refuse a request for its form.
const OF_FORM: [&str; 8] = [
    "malformed_json",
    "invalid_query",
    "invalid_body",
    "invalid_field",
    "invalid_idempotency_key",
    "unsupported_media_type",
    "payload_too_large",
    "method_not_allowed",
];

/// The number of random requests of each operation, in addition to those at every bound.
const RANDOM_REQUESTS: usize = 4;

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn encoded(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    text.bytes()
        .map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

async fn send(rig: &Rig, user: &TestUser, operation: &Operation, request: &Request) -> Answer {
    let (mut path, mut query, mut key) = (operation.path.clone(), Vec::new(), None);
    for parameter in &operation.parameters {
        let name = parameter["name"].as_str().unwrap();
        let Some(value) = request.parameters.get(name) else { continue };
        let text = plain(value);
        match parameter["in"].as_str().unwrap() {
            "path" => path = path.replace(&format!("{{{name}}}"), &encoded(&text)),
            "query" => query.push(format!("{name}={}", encoded(&text))),
            _ => key = Some(text),
        }
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let mut sent = rig.request(operation.method.clone(), &path).bearer_auth(&user.token);
    if let Some(key) = key {
        sent = sent.header("idempotency-key", key);
    }
    if let Some(body) = &request.body {
        sent = sent.json(body);
    }
    rig.send(sent).await
}

/// Whether a request would end the session, and so change the responses to all later ones.
fn ends_sessions(operation: &Operation) -> bool {
    operation.path == "/api/v1/session" && operation.method == Method::DELETE
        || operation.path == "/api/v1/session/refresh"
}

fn shown(request: &Request) -> String {
    let text = format!("{:?} {}", request.parameters, request.body.clone().unwrap_or_default());
    text.chars().take(1_500).collect()
}

/// A rig, and a lender with an open vault, so that requests are not refused for the lack of these alone.
async fn fixture() -> (Rig, TestUser) {
    let rig = Rig::start_with(|settings| {
        let quotas = &mut settings.quotas;
        quotas.reads_per_minute = 1_000_000;
        quotas.tickets_per_minute = 1_000_000;
        quotas.lookups_per_minute = 1_000_000;
    })
    .await;
    let user = TestUser::sign_in(&rig, 1).await;
    user.fund(&rig, 1_000_000).await;
    (rig, user)
}

#[expect(clippy::print_stderr, reason = "the seed is what it takes to run a failure again")]
fn seed() -> u64 {
    let given = std::env::var("LIENBOOK_TEST_SEED").ok();
    let seed = given.map_or_else(|| u64::from(std::process::id()), |seed| seed.parse().unwrap());
    eprintln!("LIENBOOK_TEST_SEED={seed}");
    seed
}

#[test]
fn every_field_of_requests_is_bounded() {
    let description = serde_json::to_value(Description::openapi()).unwrap();
    let mut unbounded = Vec::new();
    let mut waiting: Vec<(String, Value)> = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                waiting.push((format!("{path} {}", parameter["name"]), parameter["schema"].clone()));
            }
            if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
                waiting.push((path.clone(), schema.clone()));
            }
        }
    }
    let mut fields = 0;
    while let Some((at, schema)) = waiting.pop() {
        if let Some(reference) = schema["$ref"].as_str() {
            waiting.push((at, description.pointer(&reference[1..]).unwrap().clone()));
            continue;
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            waiting.extend(choices.iter().filter(|it| it["type"] != "null").map(|it| (at.clone(), it.clone())));
            continue;
        }
        fields += 1;
        let bounds: &[&str] = match kind(&schema) {
            "object" => {
                let properties = schema["properties"].as_object().unwrap();
                waiting.extend(properties.iter().map(|(name, field)| (format!("{at} {name}"), field.clone())));
                &[]
            }
            "array" => {
                waiting.push((format!("{at}[]"), schema["items"].clone()));
                &["maxItems"]
            }
            "string" if schema.get("enum").is_none() => &["maxLength"],
            "integer" => &["minimum", "maximum"],
            "number" => &["minimum", "maximum", "multipleOf"],
            _ => &[],
        };
        unbounded
            .extend(bounds.iter().filter(|bound| schema.get(**bound).is_none()).map(|bound| format!("{at}: {bound}")));
    }
    assert!(fields > 200, "only {fields}");
    assert!(unbounded.is_empty(), "{unbounded:#?}");
}

#[actix_web::test]
async fn no_described_request_is_refused_for_its_form() {
    let (rig, user) = fixture().await;
    let mut maker = RequestGenerator::new(seed(), &user);
    let (mut refused, mut sent) = (Vec::new(), 0);
    for operation in maker.operations() {
        if ends_sessions(&operation) {
            continue;
        }
        let picks =
            [ValueChoice::Least, ValueChoice::Greatest].into_iter().chain([ValueChoice::Random; RANDOM_REQUESTS]);
        let mut requests: Vec<Request> = picks.map(|pick| maker.request(&operation, pick)).collect();
        requests.extend(each_value(&mut maker, &operation));
        for request in requests {
            let answer = send(&rig, &user, &operation, &request).await;
            sent += 1;
            assert_ne!(answer.code(), "rate_limited", "{}", operation.path);
            assert!(answer.status.as_u16() != 500, "{} {}: {}", operation.method, operation.path, answer.body);
            if OF_FORM.contains(&answer.code()) {
                let (method, path) = (&operation.method, &operation.path);
                refused.push(format!("{method} {path}: {}\n  {}", answer.body, shown(&request)));
            }
        }
    }
    assert!(sent > 500, "only {sent} requests were sent");
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
    rig.server.stop().await;
}

/// Requests with only the required fields, plus one field at each of its bounds or with each of its values.
fn each_value(maker: &mut RequestGenerator, operation: &Operation) -> Vec<Request> {
    let least = maker.request(operation, ValueChoice::Least);
    let mut requests = Vec::new();
    for parameter in &operation.parameters {
        let name = parameter["name"].as_str().unwrap();
        let allowed = parameter["schema"]["enum"].as_array().cloned().unwrap_or_default();
        let bounds =
            [ValueChoice::Least, ValueChoice::Greatest].map(|pick| maker.value(name, &parameter["schema"], pick));
        for value in allowed.into_iter().chain(bounds) {
            let mut request = least.clone();
            request.parameters.insert(name.to_owned(), value);
            requests.push(request);
        }
    }
    let Some(body) = operation.body.as_ref().map(|body| maker.resolved(body)) else { return requests };
    for (name, field) in body["properties"].as_object().unwrap() {
        let field = maker.resolved(field);
        let allowed = field["enum"].as_array().cloned().unwrap_or_default();
        let bounds = [ValueChoice::Least, ValueChoice::Greatest].map(|pick| maker.value(name, &field, pick));
        for value in allowed.into_iter().chain(bounds) {
            let mut request = least.clone();
            let is_of_path = request.parameters.contains_key(name);
            request.body.as_mut().unwrap()[name] = if is_of_path { json!(least.parameters[name]) } else { value };
            requests.push(request);
        }
    }
    requests
}

/// Values one step outside of each bound of a schema.
fn outside(maker: &mut RequestGenerator, name: &str, schema: &Value) -> Vec<Value> {
    let schema = maker.resolved(schema);
    if schema.get("enum").is_some() {
        return vec![json!("nothing-of-the-kind")];
    }
    match kind(&schema) {
        "string" => {
            let greatest = maker.text(&schema, ValueChoice::Greatest);
            let filler = greatest.chars().last().unwrap_or('x');
            let length = usize::try_from(schema["maxLength"].as_u64().unwrap()).unwrap() + 1;
            let long: String = greatest.chars().chain(std::iter::repeat(filler)).take(length).collect();
            let least = schema["minLength"].as_u64().map(|least| usize::try_from(least).unwrap() - 1);
            let short = least.map(|least| greatest.chars().take(least).collect::<String>());
            [Some(long), short].into_iter().flatten().map(Value::from).collect()
        }
        "array" => {
            let least = schema["minItems"].as_u64().map(|_| json!([]));
            let item = maker.value(name, &schema["items"], ValueChoice::Least);
            let long = (0..=schema["maxItems"].as_u64().unwrap()).map(|_| item.clone()).collect();
            [Some(long), least].into_iter().flatten().collect()
        }
        "integer" => {
            let (min, max) = (schema["minimum"].as_i64().unwrap(), schema["maximum"].as_u64().unwrap());
            vec![json!(min - 1), json!(max + 1)]
        }
        "number" => {
            let (min, max) = (schema["minimum"].as_f64().unwrap(), schema["maximum"].as_f64().unwrap());
            vec![json!(min / 2.0), json!(max + 1.0), json!(1.0001)]
        }
        _ => Vec::new(),
    }
}

#[actix_web::test]
async fn a_step_outside_each_bound_is_refused() {
    let (rig, user) = fixture().await;
    let mut maker = RequestGenerator::new(seed(), &user);
    let (mut accepted, mut sent) = (Vec::new(), 0);
    for operation in maker.operations() {
        if ends_sessions(&operation) {
            continue;
        }
        let least = maker.request(&operation, ValueChoice::Least);
        let mut requests = Vec::new();
        for parameter in &operation.parameters {
            let name = parameter["name"].as_str().unwrap();
            // An empty path parameter is another path.
            let is_path = parameter["in"] == "path";
            for value in outside(&mut maker, name, &parameter["schema"]) {
                if is_taken_outside(&operation, name, &value) || (is_path && plain(&value).is_empty()) {
                    continue;
                }
                let mut request = least.clone();
                request.parameters.insert(name.to_owned(), value);
                requests.push((name.to_owned(), request));
            }
        }
        let body = operation.body.as_ref().map(|body| maker.resolved(body));
        for (name, field) in body.iter().flat_map(|body| body["properties"].as_object().unwrap()) {
            for value in outside(&mut maker, name, field) {
                let mut request = least.clone();
                request.body.as_mut().unwrap()[name] = value;
                requests.push((name.clone(), request));
            }
        }
        for (name, request) in requests {
            let answer = send(&rig, &user, &operation, &request).await;
            sent += 1;
            // The paths of the demo exist nowhere else.
            let is_there = answer.code() != "not_found";
            if is_there && request.body.as_ref().is_some_and(|body| request_form::check(body).is_err()) {
                assert!(OF_FORM.contains(&answer.code()), "{} {name}: {}", operation.path, answer.body);
            }
            // There is no node here, so some operations end before they check a bound of their own.
            if answer.status.is_success() || answer.status == 500 {
                let (method, path) = (&operation.method, &operation.path);
                accepted.push(format!(
                    "{method} {path} {name}: {} {}\n  {}",
                    answer.status,
                    answer.body,
                    shown(&request)
                ));
            }
        }
    }
    assert!(sent > 300, "only {sent} requests were sent");
    assert!(accepted.is_empty(), "{} accepted:\n{}", accepted.len(), accepted.join("\n"));
    rig.server.stop().await;
}

/// Bounds of the type on the wire, outside of which the server accepts values too.
fn is_taken_outside(operation: &Operation, name: &str, value: &Value) -> bool {
    let is_beyond_int64 = value.as_u64().is_some_and(|value| value > i64::MAX.unsigned_abs());
    let is_file = ["/api/v1/me/loans.csv", "/api/v1/me/due-dates.ics"].contains(&operation.path.as_str());
    (["from", "to"].contains(&name) && is_beyond_int64) || (name == "cursor" && is_file)
}
