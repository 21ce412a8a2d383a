//! The tasks of the offline page for kits: its transactions are those of the kits, and what does not fit is refused.

use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::transaction::Version;
use bitcoin::{Address, Amount, OutPoint, Psbt, Transaction, Txid, hashes::Hash as _};
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::coin::CoinKey;
use serde_json::{Value, json};

use crate::fixture::{ATTACKER, BORROWER, CLAIM_AFTER, LENDER, Loan, NETWORK, ordinals, payment, verdict};
use crate::kits::{RATE, TRUC, borrower_kit, build, coin, finish, lender_kit, named, read, sign, text, vault_kit};

fn loans() -> [Loan; 6] {
    [Loan::manual(), Loan::instant(), Loan::shared(), Loan::several(), Loan::runes(), Loan::brc20()]
}

fn address(key: CoinKey) -> String {
    Address::from_script(&key.script_pubkey(), NETWORK).unwrap().to_string()
}

/// The answer, which is not a refusal.
#[track_caller]
fn answer(task: &Value) -> Value {
    let answer = verdict(task);
    assert_ne!(answer["kind"], "refused", "{answer}");
    answer
}

/// The code and the text of a refusal.
#[track_caller]
fn refusal(task: &Value) -> (String, String) {
    let answer = verdict(task);
    assert_eq!(answer["kind"], "refused", "{answer}");
    let field = |name: &str| answer[name].as_str().unwrap().to_owned();
    (field("code"), field("text"))
}

fn changed(task: &Value, field: &str, value: Value) -> Value {
    let mut task = task.clone();
    task["step"][field] = value;
    task
}

#[test]
fn a_kit_says_what_it_is_about() {
    for loan in loans() {
        let kit = answer(&read(&text(&borrower_kit(&loan))));
        assert_eq!((&kit["role"], &kit["network"]), (&json!("borrower"), &json!("regtest")));
        assert_eq!(kit["paymentAddress"], address(payment(BORROWER)));
        assert_eq!(kit["ordinalsAddress"], address(ordinals(BORROWER)));
        assert_eq!(kit["loan"]["lenderAddress"], address(ordinals(LENDER)));
        assert_eq!(kit["loan"]["payoutSats"], 2_065_000);
        let plan = loan.plan();
        assert_eq!(kit["loan"]["outpoint"], plan.loan.outpoint.to_string());
        assert_eq!(kit["contract"]["address"], plan.loan.escrow.output().address(NETWORK).to_string());
        assert!(kit["time"].as_str().unwrap().contains("3 days"), "{kit}");
        let kit = answer(&read(&text(&lender_kit(&loan))));
        assert_eq!((&kit["role"], &kit["loan"]["pads"]), (&json!("lender"), &json!([])));
        assert!(kit["time"].as_str().unwrap().starts_with("Too early"), "{kit}");
    }
    for signers in [1, 3] {
        let kit = vault_kit(signers);
        let found = answer(&read(&text(&kit)));
        assert_eq!((&found["role"], &found["loan"]), (&json!("vault"), &Value::Null));
        assert_eq!(found["contract"]["address"], kit.vault().output().address(NETWORK).to_string());
    }
}

#[test]
fn a_tampered_kit_is_refused_by_its_field() {
    let kit: Value = serde_json::from_str(&text(&borrower_kit(&Loan::manual()))).unwrap();
    let tampered = |pointer: &str, value: Value| {
        let mut kit = kit.clone();
        *kit.pointer_mut(pointer).unwrap() = value;
        refusal(&read(&kit.to_string()))
    };
    for (pointer, value, words) in [
        ("/home", json!(address(ordinals(ATTACKER))), "home"),
        ("/loan/escrow/address", json!(address(ordinals(ATTACKER))), "loan.escrow.address"),
        ("/loan/payout/value_sats", json!(1_000_000), "pre-signed"),
        ("/loan/claim/unix_seconds", json!(CLAIM_AFTER + 1), "escrow"),
        ("/payment/address", json!(address(payment(ATTACKER))), "payment"),
    ] {
        let (code, text) = tampered(pointer, value);
        assert_eq!(code, "kit", "{pointer}");
        assert!(text.contains(words), "{pointer}: {text}");
    }
    for file in ["", "{}", "[]", "not a kit", &"x".repeat((1 << 20) + 1)] {
        assert_eq!(refusal(&read(file)).0, "kit");
    }
    assert_eq!(refusal(&json!({"kit": "", "nowSeconds": 0, "step": {"kind": "broadcast"}})).0, "unreadable");
}

#[test]
fn a_repayment_is_the_one_of_the_kit_byte_for_byte() {
    for loan in loans() {
        let kit = borrower_kit(&loan);
        let coins = [coin(30, BORROWER, 1_500_000), coin(31, BORROWER, 1_500_000)];
        for version in [Version::TWO, TRUC] {
            let template = kit.repayment(kit.pads(), &coins, version, RATE).unwrap();
            let expected = template.signed_psbt(&kit.pre_signatures(&template).unwrap()).unwrap();
            let task = build(&text(&kit), &[named(30, 1_500_000), named(31, 1_500_000)]);
            let task = changed(&task, "version", version.0.into());
            let unsigned = answer(&task);
            assert_eq!(unsigned["psbt"], wallet_copy(&expected));
            assert_eq!((&unsigned["warnings"], &unsigned["drawing"]["feeRate"]), (&json!([]), &json!("5 sats/vB")));
            let signed = sign(unsigned["psbt"].as_str().unwrap(), BORROWER);
            let finished = answer(&finish(&text(&kit), &signed));
            let transaction: Transaction = deserialize_hex(finished["hex"].as_str().unwrap()).unwrap();
            assert_eq!(transaction.compute_txid(), template.final_txid());
            assert_eq!(finished["txid"], template.final_txid().to_string());
            assert_eq!(finished["drawing"], unsigned["drawing"]);
        }
    }
}

#[test]
fn a_claim_is_the_one_of_the_kit_byte_for_byte() {
    for loan in loans() {
        let kit = lender_kit(&loan);
        let template = kit.claim(Some(&coin(32, LENDER, 100_000)), RATE).unwrap();
        let mut task = build(&text(&kit), &[named(32, 100_000)]);
        let early = answer(&task);
        assert_eq!(early["psbt"], wallet_copy(&template.psbt));
        assert!(early["warnings"][0].as_str().unwrap().starts_with("Too early"), "{early}");
        task["nowSeconds"] = (CLAIM_AFTER + 1).into();
        let unsigned = answer(&task);
        assert_eq!(unsigned["warnings"].as_array().unwrap().len(), 1, "{unsigned}");
        let signed = sign(unsigned["psbt"].as_str().unwrap(), LENDER);
        assert_eq!(answer(&finish(&text(&kit), &signed))["txid"], template.final_txid().to_string());
    }
    // 10,000 sats pay the fee themselves, and 546 do not.
    let kit = lender_kit(&Loan::manual());
    let alone = answer(&build(&text(&kit), &[]));
    assert_eq!(alone["psbt"], wallet_copy(&kit.claim(None, RATE).unwrap().psbt));
    assert_eq!(refusal(&build(&text(&lender_kit(&Loan::runes())), &[])).0, "needs_fee_coin");
    assert_eq!(refusal(&build(&text(&kit), &[named(32, 100_000), named(33, 100_000)])).0, "coin_count");
}

#[test]
fn an_exit_is_the_one_of_the_kit_byte_for_byte() {
    for signers in [1, 3] {
        let kit = vault_kit(signers);
        let outputs = [33, 34].map(|number| {
            (OutPoint::new(Txid::from_byte_array([number; 32]), 0), Amount::from_sat(500_000 + u64::from(number)))
        });
        for (destination, script) in
            [(Value::Null, kit.ordinals_script()), (json!(address(payment(LENDER))), payment(LENDER).script_pubkey())]
        {
            let template = kit.exit(&outputs, &script, RATE).unwrap();
            // In any order.
            let task = build(&text(&kit), &[named(34, 500_034), named(33, 500_033)]);
            let unsigned = answer(&changed(&task, "destination", destination.clone()));
            assert_eq!(unsigned["psbt"], wallet_copy(&template.psbt));
            let signed = sign(unsigned["psbt"].as_str().unwrap(), LENDER);
            let task = changed(&finish(&text(&kit), &signed), "destination", destination);
            assert_eq!(answer(&task)["txid"], template.final_txid().to_string());
            let elsewhere = json!(address(payment(ATTACKER)));
            assert_eq!(refusal(&changed(&task, "destination", elsewhere)).0, "rebuild");
        }
        assert_eq!(refusal(&build(&text(&kit), &[])).0, "coin_count");
        assert_eq!(refusal(&build(&text(&kit), &[named(33, 100)])).0, "exit");
        let task = build(&text(&kit), &[named(33, 500_000)]);
        for other in ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "nothing"] {
            assert_eq!(refusal(&changed(&task, "destination", json!(other))).0, "destination");
        }
        let own = json!(kit.vault().output().address(NETWORK).to_string());
        assert!(["destination", "exit"].contains(&refusal(&changed(&task, "destination", own)).0.as_str()));
    }
}

#[test]
fn coins_that_do_not_fit_are_refused() {
    let kit = text(&borrower_kit(&Loan::manual()));
    let code = |coins: &[Value]| refusal(&build(&kit, coins)).0;
    assert_eq!(code(&[]), "insufficient_funds");
    let (_, words) = refusal(&build(&kit, &[named(30, 1_000_000)]));
    assert!(words.contains("wanted") && words.contains("0.01000000 BTC"), "{words}");
    assert_eq!(code(&[named(30, 0)]), "coin_amount");
    assert_eq!(code(&[named(30, 2_100_000_000_000_001)]), "coin_amount");
    assert_eq!(code(&[named(30, u64::MAX)]), "coin_amount");
    assert_eq!(code(&[named(30, 2_100_000_000_000_000), named(31, 2_100_000_000_000_000)]), "coin_total");
    assert_eq!(code(&[named(30, 3_000_000), named(30, 3_000_000)]), "repayment");
    assert_eq!(code(&vec![named(30, 3_000_000); 101]), "coin_count");
    for outpoint in ["", "txid:0", "00:0"] {
        assert_eq!(code(&[json!({"outpoint": outpoint, "sats": 1_000})]), "unreadable");
    }
    let task = build(&kit, &[named(30, 3_000_000)]);
    for rate in ["", "much", "-1", "0", "0.099", "1.0001", "1e3", "2000.001"] {
        assert_eq!(refusal(&changed(&task, "feeRate", rate.into())).0, "fee_rate");
    }
    for version in [-1, 0, 1, 4] {
        assert_eq!(refusal(&changed(&task, "version", version.into())).0, "repayment");
    }
}

#[test]
fn coins_stand_in_for_spent_pads() {
    let kit = borrower_kit(&Loan::manual());
    let pad = kit.pads()[1].outpoint;
    let task = build(&text(&kit), &[named(30, 3_000_000), named(31, 20_000)]);
    let task = changed(&task, "spentPads", json!([pad.to_string()]));
    let pads = [kit.pads()[0].clone(), coin(31, BORROWER, 20_000)];
    let template = kit.repayment(&pads, &[coin(30, BORROWER, 3_000_000)], TRUC, RATE).unwrap();
    let expected = template.signed_psbt(&kit.pre_signatures(&template).unwrap()).unwrap();
    let unsigned = answer(&task);
    assert_eq!(unsigned["psbt"], wallet_copy(&expected));
    assert!(unsigned["warnings"][0].as_str().unwrap().contains("pad"), "{unsigned}");
    let all: Vec<String> = kit.pads().iter().map(|pad| pad.outpoint.to_string()).collect();
    assert_eq!(
        refusal(&changed(&changed(&task, "coins", json!([named(30, 3_000_000)])), "spentPads", json!(all))).0,
        "pads_missing"
    );
    let other = OutPoint::new(pad.txid, 40).to_string();
    assert_eq!(refusal(&changed(&task, "spentPads", json!([other]))).0, "unknown_pad");
}

#[test]
fn a_late_borrower_and_a_small_coin_are_warned_of() {
    let kit = text(&borrower_kit(&Loan::manual()));
    let mut task = build(&kit, &[named(30, 3_000_000), named(31, 10_000)]);
    let warnings = answer(&task)["warnings"].clone();
    assert_eq!(warnings.as_array().unwrap().len(), 1);
    assert!(warnings[0].as_str().unwrap().contains("10,000 sats"), "{warnings}");
    task["nowSeconds"] = (CLAIM_AFTER - 3_600).into();
    let soon = answer(&task)["warnings"].clone();
    assert!(soon[0].as_str().unwrap().contains("in 1 hour"), "{soon}");
    task["nowSeconds"] = CLAIM_AFTER.into();
    assert_eq!(refusal(&task).0, "late");
    let late = answer(&changed(&task, "isLateWanted", true.into()))["warnings"].clone();
    assert!(late[0].as_str().unwrap().contains("lose the collateral"), "{late}");
}

#[test]
fn a_signed_transaction_that_was_tampered_with_is_refused_by_name() {
    let kit = text(&borrower_kit(&Loan::manual()));
    let unsigned = answer(&build(&kit, &[named(30, 3_000_000)]))["psbt"].as_str().unwrap().to_owned();
    let signed = sign(&unsigned, BORROWER);
    let tampered = |tamper: fn(&mut Psbt)| {
        let mut psbt = parse_psbt(&signed).unwrap();
        tamper(&mut psbt);
        refusal(&finish(&kit, &psbt.to_string()))
    };
    let elsewhere = tampered(|psbt| psbt.unsigned_tx.output[1].script_pubkey = payment(ATTACKER).script_pubkey());
    let less = tampered(|psbt| psbt.unsigned_tx.output[2].value -= Amount::from_sat(1));
    let change = tampered(|psbt| psbt.unsigned_tx.output[3].value -= Amount::from_sat(1_000));
    for (code, words) in [elsewhere, less, change] {
        assert_eq!(code, "rebuild");
        assert!(words.contains("altered") || words.contains("no repayment"), "{words}");
    }
    let (code, words) = tampered(|psbt| psbt.unsigned_tx.input[2].previous_output.vout = 9);
    assert_eq!(code, "rebuild");
    assert!(words.contains("does not spend"), "{words}");
    let (code, words) = tampered(|psbt| psbt.inputs[3].partial_sigs.clear());
    assert_eq!((code.as_str(), words.as_str()), ("returned", "the signature of input 3 is missing"));
    let (code, _) = tampered(|psbt| psbt.inputs[3].witness_utxo = None);
    assert_eq!(code, "missing_amount");
    // A false amount gives another fee rate, or at least a signature that is not of it.
    let (code, _) = tampered(|psbt| psbt.inputs[3].witness_utxo.as_mut().unwrap().value += Amount::from_sat(1));
    assert!(["rebuild", "returned"].contains(&code.as_str()), "{code}");
    let (code, _) = refusal(&finish(&kit, &unsigned));
    assert_eq!(code, "returned");
    for text in ["", "cHNidP8=", "70736274ff", &"c".repeat(1_000_001)] {
        assert_eq!(refusal(&finish(&kit, text)).0, "returned");
    }
    let (other, _) = refusal(&finish(&text(&lender_kit(&Loan::manual())), &signed));
    assert_eq!(other, "rebuild");
}
