//! A loan between two wallets, as questions of each side.

use bitcoin::hashes::Hash as _;
use bitcoin::hex::DisplayHex as _;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Address, CompressedPublicKey, Network, Txid};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::lock::Signer;
use escrow::contract::transaction::template::{PAYOUT_SIGHASH, Template};
use escrow::contract::transaction::version::TRUC;
use serde_json::{Value, json};
use verifier::contract::DescribedContract;
use verifier::plan::Plan;

pub(super) const NETWORK: Network = Network::Regtest;
/// 2030-03-17.
pub(super) const CLAIM_AFTER: u32 = 1_900_000_000;
pub(super) const BORROWER: u8 = 1;
pub(super) const LENDER: u8 = 2;
pub(super) const ATTACKER: u8 = 9;
const PLATFORM: u8 = 3;
const REPAY: u8 = 4;
const SIGNER: u8 = 5;
/// The repay keys of a loan from a vault of several signers.
const SHARED_REPAY: [u8; 2] = [4, 6];
const SHARED_SIGNERS: [u8; 3] = [5, 7, 8];
const DAYS: u16 = 30;

/// A loan: the contract as the server describes it, and the terms as the user saw them.
#[derive(Clone, Debug)]
pub(super) struct Loan {
    pub(super) contract: Value,
    pub(super) agreed: Value,
}

pub(super) fn keys(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap()
}

pub(super) fn ordinals(byte: u8) -> CoinKey {
    CoinKey::P2tr(keys(byte).x_only_public_key().0)
}

pub(super) fn payment(byte: u8) -> CoinKey {
    CoinKey::P2wpkh(CompressedPublicKey(keys(byte).public_key()))
}

pub(super) fn key_text(key: CoinKey) -> Value {
    match key {
        CoinKey::P2tr(key) => json!({"kind": "p2tr", "publicKey": key.to_string()}),
        CoinKey::P2wpkh(key) => json!({"kind": "p2wpkh", "publicKey": key.to_string()}),
        CoinKey::P2shP2wpkh(key) => json!({"kind": "p2sh_p2wpkh", "publicKey": key.to_string()}),
    }
}

pub(super) fn party(byte: u8) -> Value {
    json!({"ordinalsKey": keys(byte).x_only_public_key().0.to_string(), "paymentKey": key_text(payment(byte))})
}

pub(super) fn coin(number: u8, key: CoinKey, sats: u64) -> Value {
    json!({"txid": Txid::from_byte_array([number; 32]).to_string(), "vout": 0, "sats": sats, "key": key_text(key)})
}

fn inscribed(number: u8, sats: u64, offset: u64) -> Value {
    let mut coin = coin(number, ordinals(BORROWER), sats);
    coin["inscriptions"] = json!([offset]);
    coin
}

fn key_hex(byte: u8) -> String {
    keys(byte).x_only_public_key().0.to_string()
}

/// A repay key whose signatures are of nothing.
fn repay_key(byte: u8) -> Value {
    let nothing = format!("{}83", "01".repeat(64));
    json!({"key": key_hex(byte), "signatureTwo": nothing, "signatureTruc": nothing})
}

fn address(key: CoinKey) -> String {
    Address::from_script(&key.script_pubkey(), NETWORK).unwrap().to_string()
}

pub(super) fn own(byte: u8) -> Value {
    json!({
        "payment": {"address": address(payment(byte)), "publicKey": keys(byte).public_key().to_string()},
        "ordinals": {"address": address(ordinals(byte)), "publicKey": keys(byte).x_only_public_key().0.to_string()},
    })
}

impl Loan {
    /// A manual loan against an inscription.
    pub(super) fn manual() -> Self {
        let contract = json!({
            "loanId": "ln_4d",
            "borrower": party(BORROWER),
            "lender": party(LENDER),
            "claimAfterSeconds": CLAIM_AFTER,
            "principalSats": 2_000_000,
            "payoutSats": 2_065_000,
            "platformFee": {"sats": 13_000, "script": payment(PLATFORM).script_pubkey().to_hex_string()},
            "feeRateSatPerKwu": 1_250,
            "collateralCoins": [inscribed(11, 10_000, 4_000)],
            "fundingCoins": [coin(12, payment(LENDER), 1_500_000), coin(13, ordinals(LENDER), 700_000)],
        });
        let agreed = json!({
            "loanId": "ln_4d",
            "principalSats": 2_000_000,
            "payoutSats": 2_065_000,
            "claimAfterSeconds": CLAIM_AFTER,
            "termDays": DAYS,
            "nowSeconds": u64::from(CLAIM_AFTER) - (u64::from(DAYS) + 1) * 86_400,
            "feeRateSatPerKwu": 1_250,
            "collateral": {"kind": "inscriptions", "count": 1, "coins": [{"txid": Txid::from_byte_array([11; 32]).to_string(), "vout": 0}]},
        });
        Self { contract, agreed }
    }

    /// The same from a vault, with a repayment that is signed already.
    pub(super) fn instant() -> Self {
        let mut loan = Self::manual();
        loan.contract.as_object_mut().unwrap().remove("fundingCoins");
        loan.contract["vault"] = json!({
            "lenderId": "us_7",
            "signerKeys": [key_hex(SIGNER)],
            "signersRequired": 1,
            "outputs": [{"txid": Txid::from_byte_array([14; 32]).to_string(), "vout": 1, "sats": 5_000_000}],
            "changeOutputs": 2,
            "repayKeys": [repay_key(REPAY)],
        });
        loan.sign_in_advance(&[REPAY]);
        loan
    }

    /// The same from a vault of three signers, two of which have signed the repayment.
    pub(super) fn shared() -> Self {
        let mut loan = Self::instant();
        let vault = &mut loan.contract["vault"];
        vault["signerKeys"] = SHARED_SIGNERS.map(key_hex).into();
        vault["signersRequired"] = 2.into();
        vault["repayKeys"] = SHARED_REPAY.map(repay_key).into();
        loan.sign_in_advance(&SHARED_REPAY);
        loan
    }

    /// A loan against three inscriptions.
    pub(super) fn several() -> Self {
        let mut loan = Self::manual();
        loan.contract["collateralCoins"] =
            json!([inscribed(11, 10_000, 4_000), inscribed(15, 546, 0), inscribed(16, 700, 3)]);
        loan.agreed["collateral"]["count"] = 3.into();
        loan
    }

    /// A loan against a part of a rune.
    pub(super) fn runes() -> Self {
        let mut loan = Self::manual();
        let mut held = coin(17, ordinals(BORROWER), 546);
        held["runes"] = json!([{"id": "840000:3", "amountRaw": "1000"}]);
        loan.contract["collateralCoins"] = json!([held]);
        loan.contract["rune"] = json!({"id": "840000:3", "amountRaw": "600"});
        loan.agreed["collateral"] = json!({"kind": "runes", "id": "840000:3", "amountRaw": "600"});
        loan
    }

    /// A loan against a BRC-20 balance; the lender's coin is exact.
    pub(super) fn brc20() -> Self {
        let mut loan = Self::manual();
        loan.contract["transfer"] = json!({"ticker": "ordi", "amountRaw": "1000000000000000000"});
        loan.contract["fundingCoins"] = json!([coin(12, payment(LENDER), 2_013_000)]);
        loan.agreed["collateral"] = json!({"kind": "brc20", "ticker": "ORDI"});
        loan
    }

    pub(super) fn plan(&self) -> Plan {
        let contract: DescribedContract = serde_json::from_value(self.contract.clone()).unwrap();
        Plan::of(&contract).unwrap()
    }

    /// Signs the repayment with these repay keys, in both versions.
    fn sign_in_advance(&mut self, signers: &[u8]) {
        let plan = self.plan();
        let text = |signature: Signature| signature.to_vec().to_lower_hex_string();
        for (index, byte) in signers.iter().enumerate() {
            let pair = signed(&plan, *byte);
            let own = &mut self.contract["vault"]["repayKeys"][index];
            own["signatureTwo"] = text(pair.two).into();
            own["signatureTruc"] = text(pair.truc).into();
        }
    }

    /// The question of an honest server to the borrower.
    pub(super) fn borrower(&self) -> Value {
        let plan = self.plan();
        let templates = std::iter::once(&plan.origination).chain(&plan.reveal);
        let transactions: Vec<Value> = templates.map(|template| given(template, BORROWER)).collect();
        self.question("borrow", BORROWER, &transactions)
    }

    /// The question of an honest server to the lender.
    pub(super) fn lender(&self) -> Value {
        let plan = self.plan();
        let request = plan.payout_request();
        let payouts = [Version::TWO, TRUC].map(|version| given(&request.build(version).unwrap(), LENDER));
        let transactions = [&[given(&plan.origination, LENDER)], &payouts[..]].concat();
        let mut question = self.question("lend", LENDER, &transactions);
        question["task"]["agreed"]["feeRateSatPerKwu"] = Value::Null;
        question["task"]["agreed"]["platformFeeSats"] = 13_000.into();
        question
    }

    fn question(&self, kind: &str, byte: u8, transactions: &[Value]) -> Value {
        json!({
            "network": "regtest",
            "own": own(byte),
            "transactions": transactions,
            "task": {"kind": kind, "agreed": self.agreed, "contract": self.contract},
        })
    }
}

/// The signatures of a repayment by this key.
pub(super) fn signed(plan: &Plan, byte: u8) -> PayoutSignaturePair {
    let secp = Secp256k1::new();
    let of = |version: Version| Signature {
        signature: secp.sign_schnorr_no_aux_rand(&plan.loan.payout_message(version).unwrap(), &keys(byte)),
        sighash_type: PAYOUT_SIGHASH,
    };
    PayoutSignaturePair { two: of(Version::TWO), truc: of(TRUC) }
}

/// A transaction for the wallet of this party.
pub(super) fn given(template: &Template, byte: u8) -> Value {
    let holder = [ordinals(byte), payment(byte)];
    let sides: Vec<Value> = template
        .requested_signatures(&holder)
        .map(|(index, signer, key)| {
            json!({
                "index": index,
                "address": address(key),
                "sighash": signer.sighash().to_u32(),
                "disable_tweak_signer": matches!(signer, Signer::Leaf { .. }),
            })
        })
        .collect();
    json!({"base64": wallet_copy(&template.psbt), "sides": sides})
}

pub(super) fn verdict(question: &Value) -> Value {
    serde_json::from_str(&verifier::check::check(question.to_string().as_bytes())).unwrap()
}

/// The codes of a refusal; none of one that agrees.
pub(super) fn faults(verdict: &Value) -> Vec<String> {
    let faults = verdict["faults"].as_array().unwrap();
    assert_eq!(verdict["agrees"] == true, faults.is_empty(), "{verdict}");
    assert!(faults.is_empty() || verdict["movements"].as_array().unwrap().is_empty(), "{verdict}");
    faults.iter().map(|fault| fault["code"].as_str().unwrap().to_owned()).collect()
}
