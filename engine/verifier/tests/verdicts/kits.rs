//! Kits of every kind, tasks of the offline page about them, and a wallet that signs what it prepares.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::{LeafVersion, TapLeafHash};
use bitcoin::transaction::Version;
use bitcoin::{Amount, EcdsaSighashType, FeeRate, OutPoint, PublicKey, TapSighashType, TxOut, Txid, ecdsa, taproot};
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::vault_kit::VaultKit;
use serde_json::{Value, json};
use verifier::contract::DescribedContract;

use crate::fixture::{BORROWER, CLAIM_AFTER, LENDER, Loan, NETWORK, keys, payment, signed};

pub(super) const RATE: FeeRate = FeeRate::from_sat_per_kwu(1_250);
const RATE_TEXT: &str = "5";
/// Three days before the claim time.
const NOW: u32 = CLAIM_AFTER - 3 * 86_400;
pub(super) const TRUC: Version = Version(3);

fn record(loan: &Loan) -> LoanRecord {
    let plan = loan.plan();
    let contract: DescribedContract = serde_json::from_value(loan.contract.clone()).unwrap();
    let pre_signatures = match &contract.vault {
        Some(vault) => vault.signatures(),
        None => PayoutSignatures::from(signed(&plan, LENDER)),
    };
    let origination = plan.reveal.as_ref().unwrap_or(&plan.origination).psbt.unsigned_tx.clone();
    LoanRecord { network: NETWORK, loan: plan.loan, pre_signatures, due_seconds: CLAIM_AFTER - 86_400, origination }
}

pub(super) fn borrower_kit(loan: &Loan) -> BorrowerKit {
    let plan = loan.plan();
    let pads: Vec<OutPoint> = plan.payout_request().pads.iter().map(|pad| pad.outpoint).collect();
    BorrowerKit::new(record(loan), payment(BORROWER), &pads).unwrap()
}

pub(super) fn lender_kit(loan: &Loan) -> LenderKit {
    LenderKit::new(record(loan), payment(LENDER)).unwrap()
}

/// The kit of a vault with this many signers, most of which are required.
pub(super) fn vault_kit(signers: u8) -> VaultKit {
    let keys_of = (0..signers).map(|place| keys(20 + place).x_only_public_key().0);
    let signers = VaultSigners::new(usize::from(signers / 2 + 1), keys_of).unwrap();
    let terms = VaultTerms { lender_id: 7, signers, lender: keys(LENDER).x_only_public_key().0 };
    VaultKit::new(NETWORK, Vault::new(terms).unwrap())
}

/// Returns a kit's file.
pub(super) fn text(kit: impl Into<KitOf>) -> String {
    let KitOf(kit) = kit.into();
    kit.write()
}

/// A kit of any kind.
pub(super) struct KitOf(Kit);

impl From<&BorrowerKit> for KitOf {
    fn from(kit: &BorrowerKit) -> Self {
        Self(Kit::Borrower(Box::new(kit.clone())))
    }
}

impl From<&LenderKit> for KitOf {
    fn from(kit: &LenderKit) -> Self {
        Self(Kit::Lender(Box::new(kit.clone())))
    }
}

impl From<&VaultKit> for KitOf {
    fn from(kit: &VaultKit) -> Self {
        Self(Kit::Vault(Box::new(kit.clone())))
    }
}

/// A coin of a party's payment address.
pub(super) fn coin(number: u8, byte: u8, sats: u64) -> Coin {
    let key = payment(byte);
    let output = TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() };
    Coin { outpoint: OutPoint::new(Txid::from_byte_array([number; 32]), 0), output, key }
}

/// An output as the user names it.
pub(super) fn named(number: u8, sats: u64) -> Value {
    json!({"outpoint": format!("{}:0", Txid::from_byte_array([number; 32])), "sats": sats})
}

pub(super) fn read(kit: &str) -> Value {
    json!({"kit": kit, "nowSeconds": NOW, "step": {"kind": "read"}})
}

pub(super) fn build(kit: &str, coins: &[Value]) -> Value {
    json!({"kit": kit, "nowSeconds": NOW, "step": {
        "kind": "build", "coins": coins, "feeRate": RATE_TEXT, "version": 3, "spentPads": [],
        "isLateWanted": false,
    }})
}

pub(super) fn finish(kit: &str, psbt: &str) -> Value {
    json!({"kit": kit, "nowSeconds": NOW, "step": {"kind": "finish", "psbt": psbt}})
}

/// Signs every input that this party's keys can sign.
pub(super) fn sign(psbt: &str, byte: u8) -> String {
    let (secp, key) = (Secp256k1::new(), keys(byte));
    let mut psbt = parse_psbt(psbt).unwrap();
    let transaction = psbt.unsigned_tx.clone();
    let spent: Vec<TxOut> = psbt.inputs.iter().map(|input| input.witness_utxo.clone().unwrap()).collect();
    let mut cache = SighashCache::new(&transaction);
    for (index, input) in psbt.inputs.iter_mut().enumerate() {
        if let Some((script, _)) = input.tap_scripts.values().next() {
            let leaf = TapLeafHash::from_script(script, LeafVersion::TapScript);
            let prevouts = Prevouts::All(&spent);
            let sighash_type = TapSighashType::Default;
            let hash = cache.taproot_script_spend_signature_hash(index, &prevouts, leaf, sighash_type).unwrap();
            let message = Message::from_digest(hash.to_byte_array());
            let signature = secp.sign_schnorr_no_aux_rand(&message, &key);
            let signature = taproot::Signature { signature, sighash_type };
            input.tap_script_sigs.insert((key.x_only_public_key().0, leaf), signature);
        } else if spent[index].script_pubkey == payment(byte).script_pubkey() {
            let (script, value) = (&spent[index].script_pubkey, spent[index].value);
            let sighash_type = EcdsaSighashType::All;
            let hash = cache.p2wpkh_signature_hash(index, script, value, sighash_type).unwrap();
            let message = Message::from_digest(hash.to_byte_array());
            let signature = secp.sign_ecdsa(&message, &key.secret_key());
            let signature = ecdsa::Signature { signature, sighash_type };
            input.partial_sigs.insert(PublicKey::new(key.public_key()), signature);
        }
    }
    psbt.to_string()
}
