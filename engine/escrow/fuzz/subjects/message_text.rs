//! The texts that wallets and programs sign.

use bitcoin::Network;
use escrow::action_message::ActionMessage;
use escrow::delegated_action::{DelegatedAction, DelegatedEnvelope};
use serde_json::Value;

/// The texts that the web app and the server agree on, one of each action.
const GOLDEN: &str = include_str!("../../tests/messages.golden.json");

/// A text of a wallet or of a program, never of both, which is written again identically.
pub fn message_text(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let message = ActionMessage::parse(&text);
    let delegated = DelegatedAction::parse(&text);
    assert!(message.is_err() || delegated.is_err(), "signed by a wallet and by a program: {text:?}");
    if let Ok(message) = &message {
        assert_eq!(message.to_text(), text);
        let again = ActionMessage::new(message.action().clone(), message.envelope().clone());
        assert_eq!(again.as_ref(), Ok(message));
        let _ = message.envelope().check_times(u64::MAX);
    }
    if let Ok(delegated) = &delegated {
        assert_eq!(delegated.text(), text);
        let again = DelegatedAction::new(delegated.action().clone(), delegated.envelope().clone());
        assert_eq!(again.as_ref(), Ok(delegated));
        let _ = delegated.envelope().check_times(u64::MAX);
    }
    message.is_ok() || delegated.is_ok()
}

/// A text of each action by a wallet, and of each that a program may sign.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let texts = golden["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap());
    let texts: Vec<String> = texts.map(str::to_owned).collect();
    let envelope = DelegatedEnvelope {
        delegation: "5f2c1d0e9b8a77665f2c1d0e9b8a7766".parse().unwrap(),
        number: 17,
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: "bcrt1q72xweewm4uvlkgzevmewy0dk3mmpymgrn6d2h0".to_owned(),
        issued_s: 1_800_000_000,
        expires_s: 1_800_000_600,
    };
    let delegated = texts.iter().filter_map(|text| {
        let action = ActionMessage::parse(text).unwrap().action().clone();
        DelegatedAction::new(action, envelope.clone()).ok().map(|action| action.text().to_owned())
    });
    let delegated: Vec<String> = delegated.collect();
    assert!(!delegated.is_empty(), "the golden texts have one that a program may sign");
    texts.into_iter().chain(delegated).map(String::into_bytes).collect()
}
