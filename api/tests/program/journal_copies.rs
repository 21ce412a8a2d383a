//! Tests of `export`, `restore` and `check`.

use std::fs;

use bitcoin::Network;
use escrow::wallet_key::WalletKey;

use super::crash::TestUser;
use super::process::{Served, failure, prepare, run};

#[actix_web::test]
async fn an_export_restores_to_the_same_market_and_exports_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    prepare(&first).await;
    let served = Served::start(&first, &[]);
    let wallet = WalletKey::from_seed([9; 32], Network::Regtest).unwrap();
    let user = TestUser::sign_in(&served.base, wallet).await;
    let id = user.create(&served.base, 500_000, "a-key").await.unwrap();
    served.terminate();

    let file = folder.path().join("export.jsonl");
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let exported = run(&["export", &path(&file), "--data", &path(&first)]);
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    assert!(String::from_utf8_lossy(&exported.stderr).contains("events exported"));
    let restored = run(&["restore", &path(&file), "--data", &path(&second)]);
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    assert!(String::from_utf8_lossy(&restored.stderr).contains("every line verified"));

    let printed = run(&["export", "--data", &path(&second)]);
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), fs::read_to_string(&file).unwrap());
    let checked = run(&["check", "--data", &path(&second)]);
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && report.contains("Every record is as it was written."), "{report}");

    // The restored market has another session key, so the lender signs in again, to the same account and offers.
    let served = Served::start(&second, &[]);
    let wallet = WalletKey::from_seed([9; 32], Network::Regtest).unwrap();
    let again = TestUser::sign_in(&served.base, wallet).await;
    assert_eq!(again.offers(&served.base).await.into_keys().collect::<Vec<_>>(), [id]);
    served.terminate();

    let line = failure(&run(&["restore", &path(&file), "--data", &path(&second)]));
    assert!(line.contains("has a journal already"), "{line}");
    let line = failure(&run(&["export", &path(&folder.path().join("no/where")), "--data", &path(&first)]));
    assert!(line.contains("cannot write"), "{line}");
    let altered = fs::read_to_string(&file).unwrap().replace("500000", "600000");
    fs::write(&file, altered).unwrap();
    let line = failure(&run(&["restore", &path(&file), "--data", &path(&folder.path().join("third"))]));
    assert!(line.contains("was altered") && line.contains("nothing was restored"), "{line}");
}
