//! Inscription envelopes in a script: data between `OP_FALSE OP_IF "ord"` and `OP_ENDIF`, which is never executed.

use std::collections::BTreeMap;

use bitcoin::hashes::Hash as _;
use bitcoin::opcodes::all::{OP_ENDIF, OP_IF, OP_PUSHNUM_1, OP_PUSHNUM_16, OP_PUSHNUM_NEG1};
use bitcoin::script::Instruction;
use bitcoin::{Script, Transaction, Txid, Witness};
use engine::asset_index::InscriptionId;

/// The protocol identifier at the start of an envelope.
const PROTOCOL: &[u8] = b"ord";
/// The first byte of a witness's last item when that is an annex (BIP-341).
const ANNEX: u8 = 0x50;
/// The fields that are known here; unknown even fields make an inscription unbound.
const CONTENT_TYPE: &[u8] = &[1];
const POINTER: &[u8] = &[2];
const PARENT: &[u8] = &[3];

/// An inscription as it is revealed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The index of the input.
    pub(crate) input: usize,
    /// The content type that the inscriber declares.
    pub(crate) content_type: Option<Vec<u8>>,
    /// The content.
    pub(crate) body: Option<Vec<u8>>,
    /// The sat of the outputs that it is bound to, instead of the first sat of its input.
    pub(crate) pointer: Option<u64>,
    /// The inscriptions that it declares as its parents.
    pub(crate) parents: Vec<InscriptionId>,
    /// Whether it has an unknown even field: such an inscription is bound to no sat.
    pub(crate) is_unbound: bool,
    /// Whether it has a form that early indexers did not know; BRC-20 ignores it.
    pub(crate) is_irregular: bool,
}

/// The inscriptions of a transaction, in the order of their numbers.
pub(crate) fn envelopes(transaction: &Transaction) -> Vec<Envelope> {
    let inputs = transaction.input.iter().enumerate();
    let scripts = inputs.filter_map(|(input, spend)| leaf_script(&spend.witness).map(|script| (input, script)));
    scripts.flat_map(|(input, script)| in_script(script, input)).collect()
}

/// The script that a taproot witness reveals, whatever output it spends.
pub(crate) fn leaf_script(witness: &Witness) -> Option<&Script> {
    let has_annex = witness.len() > 1 && witness.last().is_some_and(|item| item.first() == Some(&ANNEX));
    let items = if has_annex { witness.len() - 1 } else { witness.len() };
    witness.nth(items.checked_sub(2)?).map(Script::from_bytes)
}

/// The inscriptions of a script; none if it cannot be parsed to its end.
fn in_script(script: &Script, input: usize) -> Vec<Envelope> {
    let Ok(parts) = script.instructions().collect::<Result<Vec<_>, _>>() else {
        return Vec::new();
    };
    let (mut found, mut at) = (Vec::new(), 0);
    // Whether an incomplete envelope ended where the next one begins.
    let mut has_stuttered = false;
    while at < parts.len() {
        if !is_empty_push(&parts[at]) {
            at += 1;
            continue;
        }
        at += 1;
        let opening = parts[at..].iter().take(2).collect::<Vec<_>>();
        let is_if = matches!(opening.first(), Some(Instruction::Op(OP_IF)));
        let is_ord = matches!(opening.get(1), Some(Instruction::PushBytes(word)) if word.as_bytes() == PROTOCOL);
        if !(is_if && is_ord) {
            at += usize::from(is_if);
            has_stuttered = parts.get(at).is_some_and(is_empty_push);
            continue;
        }
        at += 2;
        let (payload, next) = payload(&parts, at);
        at = next;
        if let Some((pushes, has_numbers)) = payload {
            let is_first = input == 0 && found.is_empty();
            let mut envelope = parse(&pushes, input);
            envelope.is_irregular |= has_numbers || has_stuttered || !is_first;
            found.push(envelope);
        } else {
            has_stuttered = false;
        }
    }
    found
}

fn is_empty_push(part: &Instruction<'_>) -> bool {
    matches!(part, Instruction::PushBytes(bytes) if bytes.is_empty())
}

/// The pushes of an envelope, and whether one of them is a number pushed by an opcode.
type Payload = (Vec<Vec<u8>>, bool);

/// Reads the pushes up to the end of an envelope; also returns the position to continue at. No payload if the end is
/// missing, or another opcode comes before it.
fn payload(parts: &[Instruction<'_>], from: usize) -> (Option<Payload>, usize) {
    let (mut pushes, mut has_numbers) = (Vec::new(), false);
    for (at, part) in parts.iter().enumerate().skip(from) {
        match part {
            Instruction::Op(OP_ENDIF) => return (Some((pushes, has_numbers)), at + 1),
            Instruction::PushBytes(bytes) => pushes.push(bytes.as_bytes().to_vec()),
            Instruction::Op(code) => {
                let number = match *code {
                    OP_PUSHNUM_NEG1 => 0x81,
                    code if (OP_PUSHNUM_1.to_u8()..=OP_PUSHNUM_16.to_u8()).contains(&code.to_u8()) => {
                        code.to_u8() - OP_PUSHNUM_1.to_u8() + 1
                    }
                    _ => return (None, at + 1),
                };
                has_numbers = true;
                pushes.push(vec![number]);
            }
        }
    }
    (None, parts.len())
}

fn parse(pushes: &[Vec<u8>], input: usize) -> Envelope {
    // An empty push in the place of a field number starts the content.
    let body_at = pushes.iter().step_by(2).position(Vec::is_empty).map(|pair| pair * 2);
    let head = &pushes[..body_at.unwrap_or(pushes.len())];
    let mut fields: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    for pair in head.chunks_exact(2) {
        fields.entry(&pair[0]).or_default().push(&pair[1]);
    }
    let is_odd = !head.len().is_multiple_of(2);
    let has_doubles = fields.values().any(|values| values.len() > 1);
    let first = |field| fields.get(field).and_then(|values| values.first()).map(|value| value.to_vec());
    let (content_type, pointer) = (first(CONTENT_TYPE), first(POINTER));
    let parents = fields.get(PARENT).into_iter().flatten().filter_map(|value| id(value)).collect();
    // A duplicate pointer is ignored.
    let known = |(field, values): (&&[u8], &Vec<&[u8]>)| *field == POINTER && values.len() == 1;
    let is_even = |field: &[u8]| field.first().is_some_and(|byte| byte.is_multiple_of(2));
    let is_unbound = fields.iter().any(|(field, values)| is_even(field) && !known((field, values)));
    Envelope {
        input,
        content_type,
        body: body_at.map(|at| pushes[at + 1..].concat()),
        is_irregular: is_unbound || is_odd || has_doubles || pointer.is_some(),
        pointer: pointer.as_deref().and_then(number),
        parents,
        is_unbound,
    }
}

/// Parses a little-endian number of up to eight bytes, with optional zeros after them.
fn number(bytes: &[u8]) -> Option<u64> {
    let (low, high) = bytes.split_at(bytes.len().min(8));
    if high.iter().any(|byte| *byte != 0) {
        return None;
    }
    Some(low.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}

/// Parses an inscription id of a field: the txid, then the index without trailing zeros.
fn id(bytes: &[u8]) -> Option<InscriptionId> {
    let (txid, index) = bytes.split_at_checked(32)?;
    if index.len() > 4 || index.last() == Some(&0) {
        return None;
    }
    let index = u32::try_from(number(index)?).ok()?;
    Some(InscriptionId { txid: Txid::from_slice(txid).ok()?, index })
}

#[cfg(test)]
mod tests {
    use bitcoin::ScriptBuf;
    use bitcoin::opcodes::all::OP_CHECKSIG;
    use bitcoin::script::Builder;
    use proptest::prelude::*;

    use super::*;

    fn begin() -> Builder {
        Builder::new().push_int(0).push_opcode(OP_IF).push_slice(b"ord")
    }

    fn found(script: &ScriptBuf) -> Vec<Envelope> {
        in_script(script, 0)
    }

    #[test]
    fn an_envelope_is_read_with_type_and_content() {
        let script = begin().push_slice([1]).push_slice(b"text/plain").push_int(0).push_slice(b"ab").push_slice(b"cd");
        let envelopes = found(&script.push_opcode(OP_ENDIF).into_script());
        let expected = Envelope {
            content_type: Some(b"text/plain".to_vec()),
            body: Some(b"abcd".to_vec()),
            ..Envelope::default()
        };
        assert_eq!(envelopes, [expected]);
    }

    #[test]
    fn several_envelopes_are_read_and_only_the_first_is_regular() {
        let script = begin().push_opcode(OP_ENDIF).push_int(0).push_opcode(OP_IF).push_slice(b"ord");
        let envelopes = found(&script.push_opcode(OP_ENDIF).into_script());
        assert_eq!(envelopes.iter().map(|envelope| envelope.is_irregular).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn other_scripts_hold_no_envelope() {
        let open = begin().push_slice([1]).into_script();
        let broken = begin().push_opcode(OP_CHECKSIG).push_opcode(OP_ENDIF).into_script();
        let unreadable = {
            let whole = begin().push_opcode(OP_ENDIF).into_bytes();
            ScriptBuf::from_bytes([whole, vec![0x4c]].concat())
        };
        let other = Builder::new().push_int(0).push_opcode(OP_IF).push_slice(b"dro").push_opcode(OP_ENDIF);
        for script in [open, broken, unreadable, other.into_script(), ScriptBuf::new()] {
            assert_eq!(found(&script), []);
        }
    }

    #[test]
    fn unusual_encodings_are_irregular() {
        let numbers = begin().push_opcode(OP_PUSHNUM_1).push_slice(b"a").push_opcode(OP_ENDIF);
        let stutter =
            Builder::new().push_int(0).push_int(0).push_opcode(OP_IF).push_slice(b"ord").push_opcode(OP_ENDIF);
        let twice = begin().push_slice([1]).push_slice(b"a").push_slice([1]).push_slice(b"b").push_opcode(OP_ENDIF);
        let half = begin().push_slice([1]).push_opcode(OP_ENDIF);
        let pointed = begin().push_slice([2]).push_slice([0, 1]).push_opcode(OP_ENDIF);
        for script in [numbers, stutter, twice, half, pointed] {
            let envelopes = found(&script.into_script());
            assert!(envelopes[0].is_irregular && !envelopes[0].is_unbound);
        }
        let even = found(&begin().push_slice([66]).push_slice(b"a").push_opcode(OP_ENDIF).into_script());
        assert!(even[0].is_unbound && even[0].is_irregular);
    }

    #[test]
    fn a_pointer_and_a_parent_are_numbers_without_trailing_zeros() {
        assert_eq!(number(&[]), Some(0));
        assert_eq!(number(&[0, 1]), Some(256));
        assert_eq!(number(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), Some(1));
        assert_eq!(number(&[0, 0, 0, 0, 0, 0, 0, 0, 1]), None);
        let txid = Txid::from_byte_array([7; 32]);
        assert_eq!(id(&[7; 32]), Some(InscriptionId { txid, index: 0 }));
        assert_eq!(id(&[&[7; 32][..], &[0, 2]].concat()), Some(InscriptionId { txid, index: 512 }));
        for wrong in [&[7; 31][..], &[&[7; 32][..], &[0]].concat(), &[7; 37]] {
            assert_eq!(id(wrong), None);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(prop_oneof![
            Just(0_u8), Just(0x63), Just(0x03), Just(0x68), Just(b'o'), Just(b'r'), Just(b'd'), any::<u8>(),
        ], 0..60)) {
            in_script(&ScriptBuf::from_bytes(bytes), 0);
        }
    }
}
