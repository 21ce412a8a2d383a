//! Samples of vault events whose change is split into several outputs. Earlier journals have at most one.

use domain::{Event, Nonce, Outpoint, Sats, Stream, VaultChange, VaultEvent, VaultSpend};

use super::{AMOUNT, IntoEvent as _, OUTPOINT, RESERVATION, VAULT};

/// Events whose change has several outputs.
pub(super) fn samples() -> Vec<(&'static str, Stream, Event)> {
    let change: VaultChange =
        (5..8).map(|vout| (Outpoint { txid: [0xdd; 32], vout }, Sats::new(500_000 + u64::from(vout)))).collect();
    let spent = VaultEvent::Spent {
        reservation: RESERVATION,
        txid: [0xdd; 32],
        outpoints: vec![OUTPOINT],
        change: change.clone(),
    };
    let withdrawing = VaultEvent::Withdrawing {
        id: Nonce(u128::MAX - 2),
        txid: [0xdd; 32],
        outpoints: vec![OUTPOINT],
        amount: AMOUNT,
        change,
    };
    vec![("vault.spent.split", VAULT, spent.into_event()), ("vault.withdrawing.split", VAULT, withdrawing.into_event())]
}

/// An earlier journal has `"change":null` or one pair; both keep their form.
#[test]
fn an_export_with_at_most_one_change_output_is_read_and_written_unchanged() {
    for change in ["null", r#"[{"txid":[1],"vout":5},7]"#] {
        let txid = format!("[{}]", vec!["1"; 32].join(","));
        let change = change.replace("[1]", &txid);
        let text = format!(r#"{{"outputs":[],"change":{change}}}"#);
        let spend: VaultSpend = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&spend).unwrap(), text);
    }
}
