//! Mutations of a signed text: each is refused, or leads to the same transaction.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::{Psbt, Transaction};
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use proptest::prelude::*;
use proptest::sample::Index;

use super::parties::{Parties, altered, finished, psbt};

/// The text that one wallet returned, and the resulting transaction with the others' signatures.
struct Signed {
    template: Template,
    text: String,
    keys: [CoinKey; 3],
    others: Signatures,
    finished: Transaction,
}

/// An origination signed by the lender, and a repayment signed by the borrower.
static SIGNED: LazyLock<[Signed; 2]> = LazyLock::new(|| {
    let parties = Parties::new();
    let (origination, repayment) = (parties.origination(), parties.repayment(TRUC));
    let borrowers = parties.borrower.signatures(&origination);
    let pre_signatures = parties.pre_signature(&repayment);
    [(origination, &parties.lender, borrowers), (repayment, &parties.borrower, pre_signatures)].map(
        |(template, party, others)| {
            let text = party.sign(&template);
            let finished = finished(&template, party.signatures(&template), others.clone());
            Signed { template, text, keys: party.keys(), others, finished }
        },
    )
});

impl Signed {
    /// Whether the returned text is refused; if not, asserts that it leads to the same transaction.
    fn is_refused(&self, text: &str) -> bool {
        let Ok(taken) = self.template.check_returned(text, &self.keys) else { return true };
        assert_eq!(finished(&self.template, taken, self.others.clone()), self.finished);
        false
    }

    fn bytes(&self) -> Vec<u8> {
        psbt(&self.text).serialize()
    }

    fn is_refused_as_bytes(&self, bytes: &[u8]) -> bool {
        self.is_refused(&STANDARD.encode(bytes))
    }
}

/// A change of the fields of a PSBT.
#[derive(Clone, Copy, Debug)]
enum Change {
    SwapSignatures,
    MoveSignatures,
    SwapInputs,
    SwapTransactionInputs,
    SwapOutputs,
    SwapPrevious,
    DropSignatures,
    DropPrevious,
    DropTaproot,
    DropScripts,
    DropInput,
    DropOutput,
}

const CHANGES: [Change; 12] = [
    Change::SwapSignatures,
    Change::MoveSignatures,
    Change::SwapInputs,
    Change::SwapTransactionInputs,
    Change::SwapOutputs,
    Change::SwapPrevious,
    Change::DropSignatures,
    Change::DropPrevious,
    Change::DropTaproot,
    Change::DropScripts,
    Change::DropInput,
    Change::DropOutput,
];

impl Change {
    fn apply(self, psbt: &mut Psbt, one: Index, other: Index) {
        let (count, outputs) = (psbt.inputs.len(), psbt.unsigned_tx.output.len());
        if count == 0 || outputs == 0 {
            return;
        }
        let (from, to) = (one.index(count), other.index(count));
        match self {
            Self::SwapSignatures => {
                let mut taken = psbt.inputs[from].clone();
                std::mem::swap(&mut taken.partial_sigs, &mut psbt.inputs[to].partial_sigs);
                std::mem::swap(&mut taken.tap_key_sig, &mut psbt.inputs[to].tap_key_sig);
                std::mem::swap(&mut taken.tap_script_sigs, &mut psbt.inputs[to].tap_script_sigs);
                if from != to {
                    psbt.inputs[from] = taken;
                }
            }
            Self::MoveSignatures => {
                let moved: Vec<_> = psbt.inputs[from].partial_sigs.values().copied().collect();
                for (own, moved) in psbt.inputs[to].partial_sigs.values_mut().zip(moved) {
                    *own = moved;
                }
            }
            Self::SwapInputs => psbt.inputs.swap(from, to),
            Self::SwapTransactionInputs => psbt.unsigned_tx.input.swap(from, to),
            Self::SwapOutputs => psbt.unsigned_tx.output.swap(one.index(outputs), other.index(outputs)),
            Self::SwapPrevious => {
                let previous = psbt.inputs[from].witness_utxo.clone();
                psbt.inputs[to].witness_utxo = previous;
            }
            Self::DropSignatures => {
                psbt.inputs[from].partial_sigs.clear();
                psbt.inputs[from].tap_key_sig = None;
                psbt.inputs[from].tap_script_sigs.clear();
            }
            Self::DropPrevious => psbt.inputs[from].witness_utxo = None,
            Self::DropTaproot => {
                psbt.inputs[from].tap_internal_key = None;
                psbt.inputs[from].tap_merkle_root = None;
            }
            Self::DropScripts => {
                psbt.inputs[from].redeem_script = None;
                psbt.inputs[from].tap_scripts.clear();
            }
            Self::DropInput => {
                psbt.inputs.remove(from);
                psbt.unsigned_tx.input.remove(from);
            }
            Self::DropOutput => {
                psbt.outputs.remove(one.index(outputs));
                psbt.unsigned_tx.output.remove(one.index(outputs));
            }
        }
    }

    /// Whether the omitted field is not needed.
    const fn is_harmless(self) -> bool {
        matches!(self, Self::DropPrevious | Self::DropTaproot | Self::DropScripts)
    }
}

/// The signatures of some inputs only.
fn some(signed: &Signed, kept: &[bool]) -> Signatures {
    let text = altered(&signed.text, |psbt| {
        for (input, _) in psbt.inputs.iter_mut().zip(kept).filter(|(_, is_kept)| !**is_kept) {
            input.partial_sigs.clear();
            input.tap_key_sig = None;
            input.tap_script_sigs.clear();
        }
    });
    signed.template.check_returned(&text, &[]).unwrap()
}

#[test]
fn an_unchanged_text_is_accepted() {
    for signed in SIGNED.iter() {
        assert!(!signed.is_refused(&signed.text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_flipped_bit_leads_to_another_transaction(at in any::<Index>(), which in 0_usize..2) {
        let signed = &SIGNED[which];
        let mut bytes = signed.bytes();
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        signed.is_refused_as_bytes(&bytes);
    }

    #[test]
    fn no_overwritten_range_leads_to_another_transaction(
        from in any::<Index>(),
        left_out in 0_usize..40,
        put_in in prop::collection::vec(any::<u8>(), 0..40),
        which in 0_usize..2,
    ) {
        let signed = &SIGNED[which];
        let mut bytes = signed.bytes();
        let from = from.index(bytes.len());
        let to = bytes.len().min(from + left_out);
        bytes.splice(from..to, put_in);
        signed.is_refused_as_bytes(&bytes);
    }

    #[test]
    fn no_changed_character_leads_to_another_transaction(at in any::<Index>(), byte in 0x20_u8..0x7f, which in 0_usize..2) {
        let signed = &SIGNED[which];
        let mut text = signed.text.clone().into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        signed.is_refused(std::str::from_utf8(&text).unwrap());
    }
}

proptest! {
    #[test]
    fn no_moved_or_missing_field_leads_to_another_transaction(
        changes in prop::collection::vec((prop::sample::select(&CHANGES[..]), any::<Index>(), any::<Index>()), 1..4),
        which in 0_usize..2,
    ) {
        let signed = &SIGNED[which];
        let text = altered(&signed.text, |psbt| {
            for (change, one, other) in &changes {
                change.apply(psbt, *one, *other);
            }
        });
        let is_refused = signed.is_refused(&text);
        if changes.iter().all(|(change, ..)| change.is_harmless()) {
            prop_assert!(!is_refused, "the omitted field is known");
        }
        if text == signed.text {
            prop_assert!(!is_refused);
        }
    }

    #[test]
    fn the_order_of_merging_does_not_matter(
        first in any::<[bool; 5]>(), second in any::<[bool; 5]>(), third in any::<[bool; 5]>(), which in 0_usize..2,
    ) {
        let signed = &SIGNED[which];
        let [a, b, c] = [first, second, third].map(|kept| some(signed, &kept));
        let merge = |one: &Signatures, other: &Signatures| one.clone().merge(other.clone()).unwrap();
        prop_assert_eq!(merge(&a, &b), merge(&b, &a));
        prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
        prop_assert_eq!(merge(&a, &a), a.clone());
        let either: Vec<bool> = (0..5).map(|place| first[place] || second[place]).collect();
        prop_assert_eq!(merge(&a, &b), some(signed, &either));
        let all = merge(&merge(&a, &b), &signed.others);
        let finished = signed.template.finish(&all, signed.template.final_txid());
        prop_assert_eq!(finished.is_ok(), signed.template.missing(&all).is_empty());
    }
}
