//! End-to-end tests of `lienbook kit`, used without the website: the binary, a kit, a wallet and a real Bitcoin Core.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::too_many_lines,
    unreachable_pub,
    reason = "a test that panics has failed"
)]

mod fixture;
mod node;
mod page;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::{Amount, Network, OutPoint, Psbt, Txid};
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::vault::payment::{Payee, Payment};
use escrow::contract::vault::{EXIT_BLOCKS, Vault, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::vault_kit::VaultKit;

use fixture::{KitFixture, KitUser, rate};

const DAY: u32 = 86_400;

/// Runs `lienbook kit` with these arguments, on the world's node.
fn kit(world: &KitFixture, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lienbook"))
        .arg("kit")
        .args(words)
        .args(["--node", &world.node.url(), "--cookie", world.node.cookie().to_str().unwrap()])
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[track_caller]
fn success(output: &Output) -> (String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    assert!(output.status.success(), "{out}{err}");
    (out, err)
}

/// The error of a failed run: its only line that begins with the program's name.
#[track_caller]
fn failure(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}{text}", String::from_utf8_lossy(&output.stdout));
    assert!(!text.contains("panicked"), "{text}");
    let mut lines = text.lines().filter(|line| line.starts_with("lienbook: "));
    let line = lines.next().unwrap().to_owned();
    assert_eq!(lines.next(), None);
    line
}

fn now_seconds() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u32::try_from(since.as_secs()).unwrap()
}

impl KitFixture {
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.node.file(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> String {
        self.node.file(name).to_str().unwrap().to_owned()
    }

    /// Signs the transaction of one file into another with the person's wallet.
    fn sign(&self, user: &KitUser, unsigned: &str, signed: &str) -> String {
        let text = fs::read_to_string(unsigned).unwrap();
        self.write(signed, &user.wallet.sign_psbt(text.trim()).unwrap())
    }

    fn borrower_kit(&self, record: &LoanRecord) -> String {
        let pads = [2, 3].map(|vout| OutPoint::new(record.origination.compute_txid(), vout));
        let kit = BorrowerKit::new(record.clone(), self.borrower.payment(), &pads).unwrap();
        self.write("borrower.json", &Kit::Borrower(Box::new(kit)).write())
    }

    fn lender_kit(&self, record: &LoanRecord) -> String {
        let kit = LenderKit::new(record.clone(), self.lender.payment()).unwrap();
        self.write("lender.json", &Kit::Lender(Box::new(kit)).write())
    }
}

fn sent(output: &str) -> Txid {
    output.lines().find_map(|line| line.strip_prefix("Sent ")).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_borrower_repays_with_only_a_kit_and_a_node_and_can_bump_the_fee() {
    let world = KitFixture::start(now_seconds()).await;
    let record = world.lend(now_seconds() + 30 * DAY).await;
    let file = world.borrower_kit(&record);
    let unsigned = world.path("unsigned.psbt");
    let repay = |more: &[&str]| kit(&world, &[&["repay", &file, "--out", &unsigned], more].concat());

    let (out, err) = success(&repay(&["--fee-rate", "2"]));
    for part in ["29 days", "the inscription, to your ordinals address", "the lender", "2,065,000 sats", "(2"] {
        assert!(out.contains(part), "{part} is missing: {out}");
    }
    assert!(err.contains("does not see inscriptions"), "{err}");
    let line = failure(&repay(&["--fee-rate", "2"]));
    assert!(line.contains("is there already"), "{line}");

    let line = failure(&kit(&world, &["send", &file, &unsigned]));
    assert!(line.contains("signature of input 0 is missing"), "{line}");
    let signed = world.sign(&world.borrower, &unsigned, "signed.psbt");
    // A wallet that redirects the change.
    let mut psbt = Psbt::deserialize(&STANDARD.decode(fs::read_to_string(&signed).unwrap()).unwrap()).unwrap();
    psbt.unsigned_tx.output[3].script_pubkey = world.lender.payment().script_pubkey();
    let altered = world.write("altered.psbt", &STANDARD.encode(psbt.serialize()));
    let line = failure(&kit(&world, &["send", &file, &altered]));
    assert!(line.contains("it was altered"), "{line}");

    let (out, _) = success(&kit(&world, &["send", &file, &signed]));
    let first = sent(&out);
    assert!(world.node.mempool_transaction(first).await.is_some());
    // Without a new block: the same command again, at a higher fee rate.
    let (_, err) = success(&repay(&["--fee-rate", "9", "--force"]));
    assert!(err.contains(&first.to_string()) && err.contains("waits for a block"), "{err}");
    let signed = world.sign(&world.borrower, &unsigned, "signed.psbt");
    let (out, _) = success(&kit(&world, &["send", &file, &signed]));
    let second = sent(&out);
    assert!(world.node.mempool_transaction(first).await.is_none(), "the first was replaced");
    let repaid = world.node.mempool_transaction(second).await.unwrap();
    assert_eq!(repaid.output[1].script_pubkey, world.borrower.ordinals().script_pubkey());
    assert_eq!(repaid.output[2], record.loan.payout);
    assert_eq!(repaid.input[3].previous_output, world.repayment_coin.outpoint, "and not the small coin beside it");
    world.mine(1).await;
    let line = failure(&repay(&["--force"]));
    assert!(line.contains("the loan has ended"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_borrower_is_warned_and_a_lender_claims_with_only_a_kit_and_a_node() {
    let world = KitFixture::start(now_seconds()).await;
    let claim_after = now_seconds() + 2 * DAY;
    let record = world.lend(claim_after).await;
    let (own, theirs) = (world.borrower_kit(&record), world.lender_kit(&record));
    let unsigned = world.path("unsigned.psbt");
    let claim = |more: &[&str]| kit(&world, &[&["claim", &theirs, "--out", &unsigned], more].concat());
    let line = failure(&claim(&[]));
    assert!(line.contains("too early") && line.contains("1 day and 23 hours"), "{line}");
    world.node.set_time(claim_after + 60).await;
    world.mine(5).await;
    assert!(failure(&claim(&[])).contains("too early"), "the chain's clock is the median of eleven blocks");
    world.mine(6).await;

    let repay = |more: &[&str]| kit(&world, &[&["repay", &own, "--out", &unsigned], more].concat());
    let line = failure(&repay(&[]));
    assert!(line.contains("may claim since") && line.contains("--late"), "{line}");
    let (_, err) = success(&repay(&["--late", "--tx-version", "2"]));
    assert!(err.contains("keep your bitcoin and lose the collateral"), "{err}");

    // At 10,000 sats the collateral can pay a low fee by itself, but not a high one.
    let (out, err) = success(&claim(&["--fee-rate", "3", "--force"]));
    assert!(!out.contains("your coin") && !err.contains("does not see inscriptions"), "{out}{err}");
    let (out, err) = success(&claim(&["--fee-rate", "100", "--force"]));
    assert!(out.contains("your coin, for the fee") && err.contains("does not see inscriptions"), "{out}{err}");
    let signed = world.sign(&world.lender, &unsigned, "signed.psbt");
    let (out, _) = success(&kit(&world, &["send", &theirs, &signed]));
    let claimed = world.node.mempool_transaction(sent(&out)).await.unwrap();
    assert_eq!(claimed.output[0].script_pubkey, world.lender.ordinals().script_pubkey());
    assert_eq!(claimed.output[0].value, record.loan.value);
    world.mine(1).await;
    assert!(failure(&repay(&["--late", "--force"])).contains("the loan has ended"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lender_exits_a_vault_with_only_a_kit_and_a_node() {
    let world = KitFixture::start(now_seconds()).await;
    let CoinKey::P2tr(lender) = world.lender.ordinals() else { panic!("no ordinals key") };
    let CoinKey::P2tr(platform) = world.borrower.ordinals() else { panic!("no ordinals key") };
    let vault = Vault::new(VaultTerms { lender_id: 5, signers: platform.into(), lender }).unwrap();
    let file = world.write("vault.json", &Kit::Vault(Box::new(VaultKit::new(Network::Regtest, vault.clone()))).write());
    let unsigned = world.path("unsigned.psbt");
    let exit = |more: &[&str]| kit(&world, &[&["exit", &file, "--out", &unsigned, "--fee-rate", "2"], more].concat());
    assert!(failure(&exit(&[])).contains("the vault is empty"));
    let coins = [world.lent().clone()];
    let change = world.lender.payment().script_pubkey();
    let deposit = Payment {
        to: Payee::Vault(&vault),
        coins: &coins,
        amount: Amount::from_sat(2_000_000),
        change: &change,
        fee_rate: rate(2),
        outputs: 1,
    };
    let template = deposit.build().unwrap();
    let paid_in = template.finish(&world.lender.signatures(&template), template.final_txid()).unwrap();
    world.node.send(&paid_in).await;
    world.mine(u32::from(EXIT_BLOCKS) - 1).await;
    let line = failure(&exit(&[]));
    assert!(line.contains("nothing may leave the vault yet") && line.contains("may leave: 1"), "{line}");
    world.mine(1).await;
    let to = world.lender.wallet.payment_address().to_string();
    success(&exit(&["--to", &to]));
    let signed = world.sign(&world.lender, &unsigned, "signed.psbt");
    let line = failure(&kit(&world, &["send", &file, &signed]));
    assert!(line.contains("it was altered"), "not the address that the kit knows: {line}");
    let (out, _) = success(&kit(&world, &["send", &file, &signed, "--to", &to]));
    let left = world.node.mempool_transaction(sent(&out)).await.unwrap();
    assert_eq!((left.output.len(), &left.output[0].script_pubkey), (1, &change));
    world.mine(1).await;
    assert!(failure(&exit(&["--force"])).contains("the vault is empty"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_is_reported_in_one_line() {
    let world = KitFixture::start(now_seconds()).await;
    let record = world.lend(now_seconds() + 30 * DAY).await;
    let (own, theirs) = (world.borrower_kit(&record), world.lender_kit(&record));
    let out = world.path("unsigned.psbt");
    for (words, output) in [
        (&["repay", &theirs][..], "this is a lender's kit"),
        (&["claim", &own], "this is a borrower's kit"),
        (&["exit", &own], "this is a borrower's kit"),
        (&["repay", "/nonexistent.json"], "cannot read /nonexistent.json"),
        (&["send", &own, &own], "this is"),
    ] {
        let mut words = words.to_vec();
        if words[0] != "send" {
            words.extend(["--out", &out]);
        }
        let line = failure(&kit(&world, &words));
        assert!(line.contains(output), "{line}");
    }
    let mut tampered = record.clone();
    tampered.network = Network::Testnet4;
    let line = failure(&kit(&world, &["repay", &world.borrower_kit(&tampered), "--out", &out]));
    assert!(line.contains("testnet4") && line.contains("another one"), "{line}");
    let text = fs::read_to_string(world.lender_kit(&record)).unwrap().replace("2065000", "2065001");
    let line = failure(&kit(&world, &["claim", &world.write("tampered.json", &text), "--out", &out]));
    assert!(line.contains("is invalid"), "{line}");

    let own = world.borrower_kit(&record);
    let small = OutPoint::new(world.repayment_coin.outpoint.txid, 2).to_string();
    let line = failure(&kit(&world, &["repay", &own, "--out", &out, "--coin", &small]));
    assert!(line.contains("send at least") && line.contains("bcrt1q"), "{line}");
    let collateral = OutPoint::new(world.repayment_coin.outpoint.txid, 0).to_string();
    let line = failure(&kit(&world, &["repay", &own, "--out", &out, "--coin", &collateral]));
    assert!(line.contains("is spent, or not in a block yet"), "{line}");
    let theirs = OutPoint::new(world.lent().outpoint.txid, 1).to_string();
    let line = failure(&kit(&world, &["repay", &own, "--out", &out, "--coin", &theirs]));
    assert!(line.contains("is not at your payment address"), "{line}");

    let run = |words: &[&str]| Command::new(env!("CARGO_BIN_EXE_lienbook")).args(words).output().unwrap();
    let line = failure(&run(&["kit", "repay", &own, "--node", &world.node.url(), "--out", &out]));
    assert!(line.contains("--cookie"), "{line}");
    let cookie = world.path("no-cookie");
    let line = failure(&run(&["kit", "repay", &own, "--node", &world.node.url(), "--cookie", &cookie]));
    assert!(line.contains("no-cookie"), "{line}");
    let line = failure(&run(&[
        "kit",
        "repay",
        &own,
        "--node",
        "http://127.0.0.1:1",
        "--cookie",
        world.node.cookie().to_str().unwrap(),
    ]));
    assert!(line.contains("gives no answer"), "{line}");
    assert!(!world.node.file("unsigned.psbt").exists(), "nothing was written");
}
