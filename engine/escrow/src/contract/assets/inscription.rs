//! Inscriptions: content in the witness script, stored on chain and never executed.

use bitcoin::opcodes::all::{OP_CHECKSIG, OP_ENDIF, OP_IF};
use bitcoin::script::{Builder, Instruction, PushBytesBuf};
use bitcoin::{Script, ScriptBuf, XOnlyPublicKey};
use thiserror::Error;

/// The maximum length of a data push in bytes (BIP-342 keeps the limit of earlier scripts).
const PUSH_BYTES_MAX: usize = 520;
/// The marker of an inscription envelope.
const PROTOCOL: &[u8] = b"ord";
/// The tag of the media type.
const CONTENT_TYPE: &[u8] = &[1];
/// The tag of the body.
const BODY: &[u8] = &[];

/// The content of an inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inscription {
    /// The media type of the body.
    pub content_type: String,
    /// The content.
    pub body: Vec<u8>,
}

/// The reason why content cannot be inscribed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InscriptionError {
    /// The media type does not fit into one data push.
    #[error("a media type takes {PUSH_BYTES_MAX} bytes at most, not {0}")]
    ContentTypeTooLong(usize),
}

impl Inscription {
    /// Returns the script that inscribes it on the first sat of the input, signed by `key`:
    /// `<key> OP_CHECKSIG OP_FALSE OP_IF "ord" 1 <media type> 0 <body in pieces> OP_ENDIF`.
    pub fn script(&self, key: XOnlyPublicKey) -> Result<ScriptBuf, InscriptionError> {
        let content_type = self.content_type.as_bytes();
        if content_type.len() > PUSH_BYTES_MAX {
            return Err(InscriptionError::ContentTypeTooLong(content_type.len()));
        }
        let start = Builder::new().push_x_only_key(&key).push_opcode(OP_CHECKSIG);
        let start = push(start, b"").push_opcode(OP_IF);
        let head = [PROTOCOL, CONTENT_TYPE, content_type, BODY].into_iter().fold(start, push);
        let all = self.body.chunks(PUSH_BYTES_MAX).fold(head, push);
        Ok(all.push_opcode(OP_ENDIF).into_script())
    }

    /// The inscription and signing key of a script of [`Self::script`]; `None` for any other script.
    #[must_use]
    pub fn read(script: &Script) -> Option<(XOnlyPublicKey, Self)> {
        let pieces = script.instructions().map_while(Result::ok).filter_map(|instruction| match instruction {
            Instruction::PushBytes(piece) => Some(piece.as_bytes()),
            Instruction::Op(_) => None,
        });
        let pieces: Vec<&[u8]> = pieces.collect();
        let [key, _, _, _, content_type, _, body @ ..] = &pieces[..] else { return None };
        let key = XOnlyPublicKey::from_slice(key).ok()?;
        let content_type = String::from_utf8(content_type.to_vec()).ok()?;
        let inscription = Self { content_type, body: body.concat() };
        // The encoding is canonical: any addition or alternative encoding makes it another script.
        let is_same = inscription.script(key).is_ok_and(|own| *own == *script);
        is_same.then_some((key, inscription))
    }
}

/// Pushes at most [`PUSH_BYTES_MAX`] bytes, always as data and never as a number opcode.
fn push(builder: Builder, piece: &[u8]) -> Builder {
    let piece = PushBytesBuf::try_from(piece.to_vec()).unwrap_or_default();
    builder.push_slice(piece)
}

#[cfg(test)]
mod tests {
    use bitcoin::script::PushBytes;
    use bitcoin::secp256k1::Secp256k1;
    use proptest::prelude::*;

    use super::*;

    fn key(byte: u8) -> XOnlyPublicKey {
        let secp = Secp256k1::new();
        bitcoin::secp256k1::Keypair::from_seckey_slice(&secp, &[byte; 32]).unwrap().x_only_public_key().0
    }

    #[test]
    fn its_script_is_the_envelope_that_indexers_read() {
        let inscription = Inscription { content_type: "text/plain;charset=utf-8".into(), body: b"{}".to_vec() };
        let text =
            format!("20{}ac0063036f7264010118746578742f706c61696e3b636861727365743d7574662d3800027b7d68", key(5));
        assert_eq!(inscription.script(key(5)).unwrap().to_hex_string(), text);
    }

    #[test]
    fn a_media_type_longer_than_a_push_is_refused() {
        let inscription = |bytes| Inscription { content_type: "a".repeat(bytes), body: Vec::new() }.script(key(1));
        assert!(inscription(520).is_ok());
        assert_eq!(inscription(521), Err(InscriptionError::ContentTypeTooLong(521)));
    }

    proptest! {
        #[test]
        fn its_script_parses_back(
            content_type in ".{0,40}",
            body in prop::collection::vec(any::<u8>(), 0..1_700),
            byte in 1_u8..200,
        ) {
            let inscription = Inscription { content_type, body };
            let script = inscription.script(key(byte)).unwrap();
            prop_assert_eq!(Inscription::read(&script), Some((key(byte), inscription)));
            let pieces = script.instructions().map(|piece| piece.unwrap().push_bytes().map_or(0, PushBytes::len));
            prop_assert!(pieces.max().unwrap() <= 520);
        }

        #[test]
        fn a_script_with_a_flipped_bit_does_not_parse_back(
            body in prop::collection::vec(any::<u8>(), 0..600),
            place in any::<prop::sample::Index>(),
            bit in 0_u8..8,
        ) {
            let inscription = Inscription { content_type: "text/plain".into(), body };
            let mut bytes = inscription.script(key(1)).unwrap().into_bytes();
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
            prop_assert_ne!(Inscription::read(Script::from_bytes(&bytes)), Some((key(1), inscription)));
        }

        #[test]
        fn the_parser_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Inscription::read(Script::from_bytes(&bytes));
            let prefix = [key(1).serialize().as_slice(), &bytes].concat();
            let script = [&[0x20], prefix.as_slice()].concat();
            prop_assert!(Inscription::read(Script::from_bytes(&script)).is_none_or(|(found, _)| found == key(1)));
        }
    }
}
