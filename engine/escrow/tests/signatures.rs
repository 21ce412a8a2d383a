//! Tests of signatures for each kind of address and each scheme: those made here verify, and no others do.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::secp256k1::{SecretKey, ecdsa};
use bitcoin::{Network, PrivateKey, Witness};
use escrow::address::{AddressKind, WalletAddress};
use escrow::message_signature::{MESSAGE_LENGTH_MAX, SIGNATURE_LENGTH_MAX, Scheme, verify};
use escrow::signature_error::SignatureError;
use escrow::wallet_key::WalletKey;
use proptest::prelude::*;

const MESSAGE: &str = "Lienbook: pause offer\nOffer: 0b1c6c1e";

const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];

/// All accepted pairs.
const PAIRS: [(AddressKind, Scheme); 5] = [
    (AddressKind::P2tr, Scheme::Bip322Simple),
    (AddressKind::P2wpkh, Scheme::Bip322Simple),
    (AddressKind::P2shP2wpkh, Scheme::Bip322Simple),
    (AddressKind::P2wpkh, Scheme::Bip137),
    (AddressKind::P2shP2wpkh, Scheme::Bip137),
];

fn wallet(seed: u8) -> WalletKey {
    WalletKey::from_seed([seed; 32], Network::Regtest).expect("usable seed")
}

fn sign(wallet: &WalletKey, kind: AddressKind, scheme: Scheme, message: &str) -> String {
    match scheme {
        Scheme::Bip322Simple => wallet.sign_bip322(kind, message),
        Scheme::Bip137 => wallet.sign_bip137(kind, message),
    }
    .expect("signs")
}

fn decode(signature: &str) -> Vec<u8> {
    STANDARD.decode(signature).expect("base64")
}

#[test]
fn a_signature_of_the_wallet_verifies_for_every_kind_and_scheme() {
    for network in [Network::Bitcoin, Network::Signet, Network::Regtest] {
        for seed in 0..20 {
            let own = WalletKey::from_seed([seed; 32], network).expect("usable seed");
            for (kind, scheme) in PAIRS {
                for message in ["", MESSAGE, "öäü 测试 \u{1f604}"] {
                    let signature = sign(&own, kind, scheme, message);
                    assert_eq!(
                        verify(own.address(kind), message, &signature),
                        Ok(scheme),
                        "{kind} {scheme:?} {message:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_simple_prefix_is_optional_and_only_for_bip_322() {
    let own = wallet(1);
    for (kind, scheme) in PAIRS {
        let signature = format!("smp{}", sign(&own, kind, scheme, MESSAGE));
        let expected = match scheme {
            Scheme::Bip322Simple => Ok(scheme),
            Scheme::Bip137 => Err(SignatureError::UnknownFormat),
        };
        assert_eq!(verify(own.address(kind), MESSAGE, &signature), expected);
    }
}

#[test]
fn a_wrong_message_is_refused_for_every_kind_and_scheme() {
    let own = wallet(1);
    for (kind, scheme) in PAIRS {
        let signature = sign(&own, kind, scheme, MESSAGE);
        let expected = match scheme {
            Scheme::Bip322Simple => SignatureError::Invalid,
            Scheme::Bip137 => SignatureError::WrongKey { kind },
        };
        for message in ["", "x", "Lienbook: pause offer\nOffer: 0b1c6c1f"] {
            assert_eq!(verify(own.address(kind), message, &signature), Err(expected.clone()), "{kind} {scheme:?}");
        }
    }
}

#[test]
fn the_signature_of_another_wallet_is_refused_for_every_kind_and_scheme() {
    let (own, other) = (wallet(1), wallet(2));
    for (kind, scheme) in PAIRS {
        let signature = sign(&other, kind, scheme, MESSAGE);
        let expected = match kind {
            AddressKind::P2tr => SignatureError::Invalid,
            _ => SignatureError::WrongKey { kind },
        };
        assert_eq!(verify(own.address(kind), MESSAGE, &signature), Err(expected), "{kind} {scheme:?}");
    }
}

/// The attack of GHSA-5chw-87w3-j9cv: the attacker signs the transaction of the victim's address with their own key,
/// and puts that key in the witness.
#[test]
fn the_attackers_key_in_the_witness_does_not_verify_for_the_address_of_a_victim() {
    let victim = wallet(1);
    let attacker = PrivateKey::new(SecretKey::from_slice(&[9; 32]).expect("in range"), Network::Regtest);
    for kind in KINDS {
        let address = victim.address(kind).as_address();
        let to_spend = bip322::create_to_spend(address, MESSAGE).expect("to_spend");
        let to_sign = bip322::create_to_sign(&to_spend, None, bip322::LockParams::default());
        let to_sign = to_sign.expect("to_sign");
        let prevout = to_spend.output[0].clone();
        let witness = if kind == AddressKind::P2tr {
            bip322::create_message_signature_taproot(&to_sign, &attacker, &[prevout], 0, None)
        } else {
            // With the address declared as nested, the signer does not compare it with the key.
            bip322::create_message_signature_p2wpkh(&to_sign, &attacker, &prevout, 0, true)
        };
        let expected = match kind {
            AddressKind::P2tr => SignatureError::Invalid,
            _ => SignatureError::WrongKey { kind },
        };
        assert_eq!(
            verify(victim.address(kind), MESSAGE, &encode_witness(&witness.expect("signs"))),
            Err(expected),
            "{kind}"
        );
    }
}

#[test]
fn the_key_of_the_victim_with_the_signature_of_the_attacker_is_refused() {
    let (own, other) = (wallet(1), wallet(2));
    for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
        let (_, key) = ecdsa_witness(&own.sign_bip322(kind, MESSAGE).expect("signs"));
        let (signature, _) = ecdsa_witness(&other.sign_bip322(kind, MESSAGE).expect("signs"));
        let forged = encode_witness(&Witness::from_slice(&[signature, key]));
        assert_eq!(verify(own.address(kind), MESSAGE, &forged), Err(SignatureError::Invalid), "{kind}");
    }
}

#[test]
fn a_signature_is_not_valid_for_another_address_of_its_owner() {
    let own = wallet(1);
    for (kind, scheme) in PAIRS {
        let signature = sign(&own, kind, scheme, MESSAGE);
        for other in KINDS.into_iter().filter(|other| *other != kind) {
            assert!(verify(own.address(other), MESSAGE, &signature).is_err(), "{kind} at {other}");
        }
    }
}

#[test]
fn a_bip_137_signature_is_refused_for_taproot() {
    let own = wallet(1);
    let signature = sign(&own, AddressKind::P2wpkh, Scheme::Bip137, MESSAGE);
    assert_eq!(verify(own.ordinals_address(), MESSAGE, &signature), Err(SignatureError::TaprootNeedsBip322));
}

#[test]
fn one_flipped_bit_is_refused_for_every_kind_and_scheme() {
    let own = wallet(1);
    for (kind, scheme) in PAIRS {
        let bytes = decode(&sign(&own, kind, scheme, MESSAGE));
        for index in 0..bytes.len() {
            for bit in 0..8 {
                // The other bits of a BIP-137 header name the kind of address, which wallets fill in loosely.
                if scheme == Scheme::Bip137 && index == 0 && bit > 1 {
                    continue;
                }
                let mut tampered = bytes.clone();
                tampered[index] ^= 1 << bit;
                assert!(
                    verify(own.address(kind), MESSAGE, &STANDARD.encode(tampered)).is_err(),
                    "{kind} {scheme:?} byte {index} bit {bit}"
                );
            }
        }
    }
}

#[test]
fn a_truncated_or_extended_signature_is_refused_for_every_kind_and_scheme() {
    let own = wallet(1);
    for (kind, scheme) in PAIRS {
        let bytes = decode(&sign(&own, kind, scheme, MESSAGE));
        let mut continued = bytes.clone();
        continued.push(0);
        for other in (0..bytes.len()).map(|length| &bytes[..length]).chain([continued.as_slice()]) {
            assert!(
                verify(own.address(kind), MESSAGE, &STANDARD.encode(other)).is_err(),
                "{kind} {scheme:?} {} bytes",
                other.len()
            );
        }
    }
}

#[test]
fn every_header_of_bip_137_is_read_for_its_recovery_id_alone() {
    let own = wallet(1);
    for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
        let bytes = decode(&sign(&own, kind, Scheme::Bip137, MESSAGE));
        let recovery = (bytes[0] - 27) & 3;
        for header in 0..=u8::MAX {
            let mut other = bytes.clone();
            other[0] = header;
            let outcome = verify(own.address(kind), MESSAGE, &STANDARD.encode(other));
            let is_same = (27..=42).contains(&header) && (header - 27) & 3 == recovery;
            assert_eq!(outcome.is_ok(), is_same, "{kind} header {header}");
        }
    }
}

#[test]
fn the_high_s_twin_of_a_signature_is_refused() {
    let own = wallet(1);
    for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
        let (mut der, key) = ecdsa_witness(&own.sign_bip322(kind, MESSAGE).expect("signs"));
        let hash_type = der.pop().expect("hash type");
        let low = ecdsa::Signature::from_der(&der).expect("DER");
        let high = ecdsa::Signature::from_compact(&negate_s(low.serialize_compact()));
        let mut twin = high.expect("in range").serialize_der().to_vec();
        twin.push(hash_type);
        assert_eq!(
            verify(own.address(kind), MESSAGE, &encode_witness(&Witness::from_slice(&[twin, key]))),
            Err(SignatureError::HighS)
        );

        let bytes = decode(&sign(&own, kind, Scheme::Bip137, MESSAGE));
        let compact = bytes[1..].try_into().expect("64 bytes");
        // Negating `s` mirrors the nonce point, which flips the lowest bit of the recovery id.
        let header = ((bytes[0] - 27) ^ 1) + 27;
        let twin = [vec![header], negate_s(compact).to_vec()].concat();
        assert_eq!(verify(own.address(kind), MESSAGE, &STANDARD.encode(twin)), Err(SignatureError::HighS));
    }
}

#[test]
fn a_signature_integer_without_its_leading_zero_is_refused() {
    let own = wallet(1);
    let kind = AddressKind::P2wpkh;
    let (mut der, key) = ecdsa_witness(&own.sign_bip322(kind, MESSAGE).expect("signs"));
    // DER: 0x30, length, 0x02, length of r, r. This r has a leading zero, without which it would be negative.
    assert_eq!(der[3..5], [33, 0]);
    der.remove(4);
    der[1] -= 1;
    der[3] -= 1;
    let signature = encode_witness(&Witness::from_slice(&[der, key]));
    assert_eq!(verify(own.address(kind), MESSAGE, &signature), Err(SignatureError::MalformedSignature));
}

#[test]
fn an_explicit_default_hash_type_is_not_a_second_form_of_a_taproot_signature() {
    // A wallet that signs with SIGHASH_DEFAULT gives 64 bytes: this one is from BIP-322 itself.
    let text = "AUBay6NwR4LEYedkTG+vE9F7C0RTOCB5NH6ZAqf+3hudjHIkOzSZk1jW/5Kt0wRKX3llJ25os+0qktdou4/Y8516";
    let address = "bc1p9cyuceaazr8cz46mvgkzl94wy397mwpqsrk84su37t72jvkg6wzqv52nfp";
    let address = WalletAddress::parse(address, Network::Bitcoin).expect("address");
    let mut longer = decode(text);
    longer[1] = 65;
    longer.push(0);
    assert_eq!(
        verify(&address, "TPIZPITUIHEUHO5ACOL6W6MBVD", &STANDARD.encode(longer)),
        Err(SignatureError::SighashType { found: 0 })
    );
}

#[test]
fn malformed_signatures_are_refused_by_name() {
    let own = wallet(1);
    let kind = AddressKind::P2wpkh;
    let valid = sign(&own, kind, Scheme::Bip322Simple, MESSAGE);
    let (der, key) = ecdsa_witness(&valid);
    let witness = |items: &[&[u8]]| encode_witness(&Witness::from_slice(items));
    let mut none_type = der.clone();
    *none_type.last_mut().expect("hash type") = 2;
    let mut odd_type = der.clone();
    *odd_type.last_mut().expect("hash type") = 0x42;
    let uncompressed = bitcoin::secp256k1::PublicKey::from_slice(&key).expect("key").serialize_uncompressed();
    for (signature, expected) in [
        (String::new(), SignatureError::Empty),
        (" ".to_owned(), SignatureError::NotBase64),
        (format!("{valid}\n"), SignatureError::NotBase64),
        (valid.trim_end_matches('=').to_owned() + "?", SignatureError::NotBase64),
        ("smp".to_owned(), SignatureError::UnknownFormat),
        (STANDARD.encode("hello"), SignatureError::UnknownFormat),
        (format!("ful{valid}"), SignatureError::FullFormat),
        (format!("pof{valid}"), SignatureError::ProofOfFunds),
        (STANDARD.encode(b"psbt\xff\x01\x00"), SignatureError::ProofOfFunds),
        (
            "A".repeat(SIGNATURE_LENGTH_MAX + 1),
            SignatureError::TooLong { length: SIGNATURE_LENGTH_MAX + 1, max: SIGNATURE_LENGTH_MAX },
        ),
        (witness(&[&der]), SignatureError::WitnessItems { kind, expected: 2, found: 1 }),
        (witness(&[&der, &key, &key]), SignatureError::WitnessItems { kind, expected: 2, found: 3 }),
        (witness(&[&[], &key]), SignatureError::MalformedSignature),
        (witness(&[&der[1..], &key]), SignatureError::MalformedSignature),
        (witness(&[&none_type, &key]), SignatureError::SighashType { found: 2 }),
        (witness(&[&odd_type, &key]), SignatureError::SighashType { found: 0x42 }),
        (witness(&[&der, &[]]), SignatureError::MalformedPublicKey),
        (witness(&[&der, &uncompressed]), SignatureError::MalformedPublicKey),
        (witness(&[&der, &key[1..]]), SignatureError::MalformedPublicKey),
    ] {
        assert_eq!(verify(own.address(kind), MESSAGE, &signature), Err(expected), "{signature}");
    }
}

#[test]
fn an_overlong_message_is_refused_before_anything_is_computed() {
    let own = wallet(1);
    let message = "x".repeat(MESSAGE_LENGTH_MAX + 1);
    let signature = sign(&own, AddressKind::P2tr, Scheme::Bip322Simple, &message);
    assert_eq!(
        verify(own.ordinals_address(), &message, &signature),
        Err(SignatureError::MessageTooLong { length: MESSAGE_LENGTH_MAX + 1, max: MESSAGE_LENGTH_MAX })
    );
}

/// The two items of a P2WPKH witness in base64.
fn ecdsa_witness(signature: &str) -> (Vec<u8>, Vec<u8>) {
    let witness: Witness = bitcoin::consensus::deserialize(&decode(signature)).expect("witness");
    let items = witness.to_vec();
    (items[0].clone(), items[1].clone())
}

fn encode_witness(witness: &Witness) -> String {
    STANDARD.encode(bitcoin::consensus::serialize(witness))
}

/// Replaces `s` by `n - s`, which also verifies where low `s` is not enforced.
fn negate_s(compact: [u8; 64]) -> [u8; 64] {
    let s = SecretKey::from_slice(&compact[32..]).expect("in range");
    let mut twin = compact;
    twin[32..].copy_from_slice(&s.negate().secret_bytes());
    twin
}

proptest! {
    #[test]
    fn any_message_round_trips(seed: [u8; 32], message in ".{0,300}") {
        let own = WalletKey::from_seed(seed, Network::Regtest).expect("usable seed");
        for (kind, scheme) in PAIRS {
            let signature = sign(&own, kind, scheme, &message);
            prop_assert_eq!(verify(own.address(kind), &message, &signature), Ok(scheme));
        }
    }

    #[test]
    fn any_text_is_refused_without_a_panic(message in ".{0,100}", signature in ".{0,200}") {
        let own = wallet(1);
        for kind in KINDS {
            prop_assert!(verify(own.address(kind), &message, &signature).is_err());
        }
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let own = wallet(1);
        let text = STANDARD.encode(bytes);
        for kind in KINDS {
            for signature in [text.clone(), format!("smp{text}")] {
                prop_assert!(verify(own.address(kind), MESSAGE, &signature).is_err());
            }
        }
    }

    #[test]
    fn any_bytes_in_the_right_shape_are_refused_without_a_panic(
        first in proptest::collection::vec(any::<u8>(), 60..75),
        second in proptest::collection::vec(any::<u8>(), 31..35),
        header in 27_u8..=42,
        compact: [u8; 32],
    ) {
        let own = wallet(1);
        let recoverable = [vec![header], compact.to_vec(), compact.to_vec()].concat();
        for kind in KINDS {
            for signature in [
                encode_witness(&Witness::from_slice(&[&first])),
                encode_witness(&Witness::from_slice(&[&first, &second])),
                STANDARD.encode(&recoverable),
            ] {
                prop_assert!(verify(own.address(kind), MESSAGE, &signature).is_err());
            }
        }
    }
}
