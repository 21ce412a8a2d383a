//! The fuzz subjects, which parse untrusted bytes, and the properties that hold for any input.
//!
//! Each subject takes any bytes, must not panic, and returns whether they were accepted.
#![allow(dead_code, unused_imports, missing_docs, unreachable_pub, reason = "each user feeds one of the subjects")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is what is looked for")]

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hex::DisplayHex as _;
use bitcoin::{Network, Transaction, XOnlyPublicKey};
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::{AddressKind, WalletAddress};
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::envelope::Envelope;
use escrow::message_signature;
use escrow::wallet_key::WalletKey;

use parties::{Parties, Party, finished};

#[path = "../tests/returned/parties.rs"]
mod parties;

#[path = "subjects/inscription_script.rs"]
mod inscription_script;
#[path = "subjects/kit.rs"]
mod kit;
#[path = "subjects/message_text.rs"]
mod message_text;
#[path = "subjects/rune_flow.rs"]
mod rune_flow;

pub use inscription_script::inscription_script;
pub use kit::kit;
pub use message_text::message_text;
pub use rune_flow::rune_flow;

const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];
const NETWORKS: [Network; 5] =
    [Network::Bitcoin, Network::Testnet, Network::Testnet4, Network::Signet, Network::Regtest];

/// A transaction that a wallet is asked to sign, and its expected outcome.
struct Request {
    template: Template,
    keys: [CoinKey; 3],
    /// The signatures of the other signers.
    others: Signatures,
    signed: String,
    /// The prefix of its PSBT, up to the inputs.
    beginning: Vec<u8>,
    finished: Transaction,
}

static REQUESTS: LazyLock<[Request; 4]> = LazyLock::new(|| {
    let parties = Parties::new();
    let (origination, repayment, claim) = (parties.origination(), parties.repayment(TRUC), parties.claim());
    let (borrower, lender) = (&parties.borrower, &parties.lender);
    let (borrowers, lenders) = (borrower.signatures(&origination), lender.signatures(&origination));
    let pre_signatures = parties.pre_signature(&repayment);
    let own = lender.signatures(&claim);
    [
        request(origination.clone(), lender, borrowers),
        request(origination, borrower, lenders),
        request(repayment, borrower, pre_signatures),
        request(claim, lender, own),
    ]
});

fn request(template: Template, party: &Party, others: Signatures) -> Request {
    let finished = finished(&template, party.signatures(&template), others.clone());
    let mut beginning = template.psbt.clone();
    beginning.inputs.clear();
    beginning.outputs.clear();
    let (beginning, signed) = (beginning.serialize(), party.sign(&template));
    Request { keys: party.keys(), signed, beginning, template, others, finished }
}

/// A PSBT returned by a wallet: the first byte selects the request, and whether the other bytes are the PSBT, its text,
/// or only what follows the right transaction in it.
///
/// Accepted input leads to the one transaction that both sides agreed on.
pub fn returned_psbt(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let request = &REQUESTS[usize::from(selector % 4)];
    let text = match selector {
        0..64 => STANDARD.encode(rest),
        64..128 => STANDARD.encode([request.beginning.as_slice(), rest].concat()),
        128.. => String::from_utf8_lossy(rest).into_owned(),
    };
    let Ok(taken) = request.template.check_returned(&text, &request.keys) else { return false };
    let all = taken.merge(request.others.clone()).unwrap();
    let found = request.template.finish(&all, request.template.final_txid());
    assert_eq!(found.as_ref(), Ok(&request.finished));
    true
}

/// The wallet that signed the messages.
static WALLET: LazyLock<WalletKey> = LazyLock::new(|| Party::new(1).wallet);

/// The messages that the wallet has signed; no other message may be accepted.
static MESSAGES: LazyLock<Vec<(AddressKind, String)>> = LazyLock::new(|| {
    let wallet = &*WALLET;
    let hex = |kind| wallet.public_key_hex(kind);
    let actions = |kind: AddressKind| {
        let sign_in = SignIn {
            ordinals_address: wallet.ordinals_address().to_string(),
            ordinals_public_key: hex(AddressKind::P2tr),
            payment_address: wallet.address(kind).to_string(),
            payment_public_key: hex(kind),
        };
        [Action::SignIn(sign_in), Action::PauseOffer { offer_id: "0b1c6c1e".to_owned() }]
    };
    let message = |kind, action| {
        let envelope = Envelope {
            domain: "lienbook.example".to_owned(),
            network: Network::Regtest,
            address: wallet.address(kind).to_string(),
            nonce: "5f2c1d0e9b8a7766".to_owned(),
            issued_s: 1_800_000_000,
            expires_s: 1_800_000_600,
        };
        (kind, ActionMessage::new(action, envelope).unwrap().to_text())
    };
    KINDS.into_iter().flat_map(|kind| actions(kind).map(|action| message(kind, action))).collect()
});

/// A signed message: the first byte selects the signing address, followed by the text, a zero byte and the signature.
///
/// A parsed text is written identically, and an accepted signature is one that the wallet has made.
pub fn signed_message(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let kind = KINDS[usize::from(selector % 3)];
    let mut parts = rest.splitn(2, |byte| *byte == 0);
    let (text, signature) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (text, signature) = (String::from_utf8_lossy(text), String::from_utf8_lossy(signature));
    if let Ok(message) = ActionMessage::parse(&text) {
        assert_eq!(message.to_text(), text);
        let again = ActionMessage::new(message.action().clone(), message.envelope().clone());
        assert_eq!(again.as_ref(), Ok(&message));
        let _ = message.envelope().check_times(1_800_000_000);
    }
    let is_accepted = message_signature::verify(WALLET.address(kind), &text, &signature).is_ok();
    if is_accepted {
        assert!(MESSAGES.iter().any(|(signer, signed)| *signer == kind && *signed == text), "forged: {text:?}");
    }
    is_accepted
}

/// An address, a zero byte and the public key claimed for it.
///
/// A parsed address has one form, which pays to the same script; an accepted key pays to it too.
pub fn wallet_address(bytes: &[u8]) -> bool {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (text, key) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (text, key) = (String::from_utf8_lossy(text), String::from_utf8_lossy(key));
    let mut is_accepted = false;
    for network in NETWORKS {
        let Ok(address) = WalletAddress::parse(&text, network) else { continue };
        let again = WalletAddress::parse(&address.to_string(), network);
        assert_eq!(again.as_ref(), Ok(&address));
        assert_eq!(address.network(), network);
        assert_eq!(address.as_address().script_pubkey(), address.script_pubkey());
        is_accepted = true;
        if address.check_public_key(&key).is_ok() {
            assert!(key.len() == 64 || key.len() == 66);
            let digits = key.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(digits);
        }
    }
    is_accepted
}

/// The seed inputs of fuzzing: accepted bytes, with the name of the subject.
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (selector, request) in (0_u8..).zip(REQUESTS.iter()) {
        let bytes = STANDARD.decode(&request.signed).unwrap();
        seeds.push(("returned_psbt", [&[selector], bytes.as_slice()].concat()));
        let inputs = bytes.get(request.beginning.len()..).unwrap();
        seeds.push(("returned_psbt", [&[64 + selector], inputs].concat()));
    }
    let hexadecimal = STANDARD.decode(&REQUESTS[3].signed).unwrap().to_lower_hex_string();
    seeds.push(("returned_psbt", [&[131], hexadecimal.as_bytes()].concat()));
    seeds.push(("returned_psbt", [&[131], REQUESTS[3].signed.as_bytes()].concat()));
    let wallet = &*WALLET;
    for (kind, text) in MESSAGES.iter() {
        let selector = KINDS.iter().position(|own| own == kind).and_then(|place| u8::try_from(place).ok()).unwrap();
        let signatures = [wallet.sign_bip322(*kind, text).ok(), wallet.sign_bip137(*kind, text).ok()];
        for signature in signatures.into_iter().flatten() {
            let seed = [&[selector], text.as_bytes(), &[0], signature.as_bytes()].concat();
            seeds.push(("signed_message", seed));
        }
    }
    for kind in KINDS {
        let (address, key) = (wallet.address(kind).to_string(), wallet.public_key_hex(kind));
        seeds.push(("wallet_address", [address.as_bytes(), &[0], key.as_bytes()].concat()));
    }
    seeds.extend(inscription_script::seeds().into_iter().map(|seed| ("inscription_script", seed)));
    seeds.extend(kit::seeds().into_iter().map(|seed| ("kit", seed)));
    seeds.extend(message_text::seeds().into_iter().map(|seed| ("message_text", seed)));
    seeds.extend(rune_flow::seeds().into_iter().map(|seed| ("rune_flow", seed)));
    for address in ["bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2"] {
        seeds.push(("wallet_address", address.as_bytes().to_vec()));
    }
    seeds
}

/// The key of the party's ordinals address.
fn taproot_key(party: &Party) -> XOnlyPublicKey {
    match party.ordinals() {
        CoinKey::P2tr(key) => key,
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
    }
}
