//! Tests of concurrent requests, which share the waits for the disk.

use signer::in_process::InProcess;
use signer::request::{Answer, Request};
use signer::vault_signer::VaultSigner as _;

use crate::rig::{Rig, START_MS};

const REQUESTS: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_answer_to_concurrent_requests_is_in_the_log_in_the_order_of_the_decisions() {
    let mut rig = Rig::new();
    rig.open_vault();
    let asked: Vec<Request> = (0..REQUESTS).map(|number| rig.admission(&format!("of_{number}"), None)).collect();
    let port = InProcess::with_clock(rig.reopened(), || START_MS);
    let asking = asked.iter().cloned().map(|request| {
        let port = port.clone();
        tokio::spawn(async move { port.ask(request).await.unwrap() })
    });
    let mut answers = Vec::new();
    for answer in asking.collect::<Vec<_>>() {
        answers.push(answer.await.unwrap());
    }
    assert!(answers.iter().all(|answer| matches!(answer, Answer::Offer(_))), "{answers:?}");
    drop(port);
    // Opening checks every line against the one before it.
    let mut again = rig.restart();
    let lines = std::fs::read_to_string(again.log()).unwrap().lines().count();
    assert_eq!(lines, 2 + REQUESTS, "policy, vault, and one for each request");
    for (request, answer) in asked.into_iter().zip(answers) {
        assert_eq!(again.ask(request), answer, "the same answer as before");
    }
    assert_eq!(std::fs::read_to_string(again.log()).unwrap().lines().count(), lines);
}
