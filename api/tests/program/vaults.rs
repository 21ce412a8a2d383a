//! Tests of `vault credit` and `vault show`: money is credited once, or the operator learns that the outcome is
//! unknown.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::net::UnixListener;
use std::thread;

use bitcoin::Network;
use escrow::wallet_key::WalletKey;

use super::crash::TestUser;
use super::process::{Served, failure, prepare, run};

#[actix_web::test]
async fn a_vault_is_credited_through_the_running_server_and_without_it() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    let data = folder.path().to_str().unwrap();
    let served = Served::start(folder.path(), &[]);
    let wallet = WalletKey::from_seed([9; 32], Network::Regtest).unwrap();
    let user = TestUser::sign_in(&served.base, wallet).await;
    let address = user.address();
    let credit = |sats: &str| run(&["vault", "credit", &address, sats, "--data", data]);
    let running = credit("1500000");
    assert!(running.status.success(), "{}", String::from_utf8_lossy(&running.stderr));
    assert!(String::from_utf8(running.stdout).unwrap().contains("1,500,000 sats"));
    let line = failure(&run(&["vault", "credit", "bcrt1qnobody", "5", "--data", data]));
    assert!(line.contains("no user has signed in with bcrt1qnobody"), "{line}");
    assert_eq!(user.vault_sats(&served.base).await, 1_500_000);
    served.terminate();
    let stopped = credit("500000");
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(String::from_utf8(stopped.stdout).unwrap().contains("2,000,000 sats"));
    let line = failure(&credit("18446744073709551615"));
    assert!(line.contains("too large"), "{line}");
}

#[actix_web::test]
async fn a_repeated_credit_is_carried_out_once() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    let data = folder.path().to_str().unwrap();
    let served = Served::start(folder.path(), &[]);
    let wallet = WalletKey::from_seed([9; 32], Network::Regtest).unwrap();
    let address = TestUser::sign_in(&served.base, wallet).await.address();
    let credit = |sats: &str, id: &str| run(&["vault", "credit", &address, sats, "--id", id, "--data", data]);
    let balance = || {
        let shown = run(&["vault", "show", &address, "--data", data]);
        String::from_utf8(shown.stdout).unwrap()
    };
    let line = failure(&run(&["vault", "show", &address, "--data", data]));
    assert!(line.contains("nothing was ever credited"), "{line}");
    let first = credit("1500000", "a-transaction:0");
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(String::from_utf8(first.stdout).unwrap().contains("a-transaction:0"));
    // Also for another amount: the same name twice is a mistake.
    for sats in ["1500000", "7"] {
        let line = failure(&credit(sats, "a-transaction:0"));
        assert!(line.contains("a-transaction:0 was carried out before"), "{line}");
    }
    assert!(balance().contains("1,500,000 sats"), "{}", balance());
    served.kill();
    let line = failure(&credit("1500000", "a-transaction:0"));
    assert!(line.contains("was carried out before"), "{line}");
    assert!(credit("500000", "a-transaction:1").status.success());
    let served = Served::start(folder.path(), &[]);
    let line = failure(&credit("500000", "a-transaction:1"));
    assert!(line.contains("was carried out before"), "{line}");
    assert!(balance().contains("2,000,000 sats"), "{}", balance());
    served.terminate();
}

#[test]
fn a_lost_answer_is_reported_as_unknown_with_a_way_to_retry() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("journal")).unwrap();
    let listener = UnixListener::bind(folder.path().join("operator.sock")).unwrap();
    let asked = thread::spawn(move || {
        let mut line = String::new();
        BufReader::new(listener.accept().unwrap().0).read_line(&mut line).unwrap();
        line
    });
    let line = failure(&run(&["vault", "credit", "bcrt1q", "5", "--data", folder.path().to_str().unwrap()]));
    let asked: serde_json::Value = serde_json::from_str(&asked.join().unwrap()).unwrap();
    let id = asked["id"].as_str().unwrap();
    assert!(id.len() >= 32, "{id}");
    for part in ["may have been credited", &format!("--id {id}"), "vault show bcrt1q", "hung up"] {
        assert!(line.contains(part), "{line}");
    }
}
