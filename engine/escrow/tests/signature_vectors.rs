//! Tests with published signatures, so that this crate is checked against other implementations.

use std::str::FromStr as _;

use bitcoin::address::NetworkUnchecked;
use bitcoin::{Address, Network};
use escrow::address::WalletAddress;
use escrow::message_signature::{Scheme, verify};
use escrow::signature_error::SignatureError;

const P2WPKH: &str = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
const P2TR: &str = "bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3";
const P2SH_P2WPKH: &str = "3HSVzEhCFuH9Z3wvoWTexy7BMVVp3PjS6f";
const SIGNED_EMPTY: &str = "smpAkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=";

fn mainnet(text: &str) -> WalletAddress {
    WalletAddress::parse(text, Network::Bitcoin).expect(text)
}

#[test]
fn the_simple_signatures_of_bip_322_verify() {
    // From the files `basic-test-vectors.json` and `generated-test-vectors.json` of BIP-322; the taproot "Hello World"
    // is from Bitcoin Core's unit tests, the nested one from the `bip322` crate's.
    for (address, message, signature) in [
        (P2WPKH, "", SIGNED_EMPTY),
        (
            P2WPKH,
            "",
            "smpAkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
        ),
        (
            P2WPKH,
            "Hello World",
            "smpAkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
        ),
        (
            P2WPKH,
            "Hello World",
            "smpAkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
        ),
        (
            "bc1pss0zhytly75awhm6x2hhvd5lnzv3vssgrf9axfheq8ldyzn88ges79fler",
            "No prefix fallback",
            "AUCJYOwOjxYAvatTAGYaVlNXBVyFuc4MwNQkOuK2tl8xhfKDONd0NjfYyNSYcRqeCp8hsAnCEPHAVEkO9h6vbQ/R",
        ),
        (
            "bc1qkntwc3c4dzxh9xh6875l03fn3vkk023jgak3u7",
            "ESHJI7MWUL64AXHBI42L3UR4QA",
            "AkcwRAIgCYHF/vn67iZX5WBimh84kqD6pTME6eNCMGhfFnnwCNECIAF3nMCk/RfLit+uv8a8FgfQIw0f0ASE21GSz7rX17PsASEDTA2vM8bOtUFgvenSDUmvkq7aWNwoTB0CMiM6carHY1s=",
        ),
        (
            "bc1p9cyuceaazr8cz46mvgkzl94wy397mwpqsrk84su37t72jvkg6wzqv52nfp",
            "TPIZPITUIHEUHO5ACOL6W6MBVD",
            "AUBay6NwR4LEYedkTG+vE9F7C0RTOCB5NH6ZAqf+3hudjHIkOzSZk1jW/5Kt0wRKX3llJ25os+0qktdou4/Y8516",
        ),
        (
            P2TR,
            "Hello World",
            "AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ==",
        ),
        (
            P2SH_P2WPKH,
            "Hello World",
            "smpAkgwRQIhAMd2wZSY3x0V9Kr/NClochoTXcgDaGl3OObOR17yx3QQAiBVWxqNSS+CKen7bmJTG6YfJjsggQ4Fa2RHKgBKrdQQ+gEhAxa5UDdQCHSQHfKQv14ybcYm1C9y6b12xAuukWzSnS+w",
        ),
    ] {
        let address = mainnet(address);
        assert_eq!(verify(&address, message, signature), Ok(Scheme::Bip322Simple), "{address} {message}");
    }
}

#[test]
fn the_refused_signatures_of_bip_322_are_refused_by_name() {
    for (address, message, signature, expected) in [
        (P2WPKH, "", "not-valid-base64!!!", SignatureError::NotBase64),
        (P2WPKH, "", "", SignatureError::Empty),
        (P2WPKH, "Wrong message that was not signed", SIGNED_EMPTY, SignatureError::Invalid),
        (P2WPKH, "", "smpAA==", SignatureError::WitnessItems { kind: mainnet(P2WPKH).kind(), expected: 2, found: 0 }),
        (P2WPKH, "", "fooAA==", SignatureError::NotBase64),
        (
            "bc1pyrgrm6cu6n54jrvkdjd9rvyd3xfyu84s2623awu2srn6mxhscwpsm5644w",
            "incorrect prefix",
            "fulAUDZwFXUp+adN+/UZj5dVrGAbB3zKs1Vcalz5fCF9srxS63eSWNGvH1NYbrBkPt1BJDUyWUz9zgUxfc63/QheT6M",
            SignatureError::FullFormat,
        ),
        (
            "bc1qkntwc3c4dzxh9xh6875l03fn3vkk023jgak3u7",
            "OVKTTPEFKLUOTAOJSPCKIHCQZW",
            "AkcwRAIgCYHF/vn67iZX5WBimh84kqD6pTME6eNCMGhfFnnwCNECIAF3nMCk/RfLit+uv8a8FgfQIw0f0ASE21GSz7rX17PsASEDTA2vM8bOtUFgvenSDUmvkq7aWNwoTB0CMiM6carHY1s=",
            SignatureError::Invalid,
        ),
        (
            "bc1qx3f9s3scavc92s3g2fhwzqzn7qucd37ez03jpf",
            "ESHJI7MWUL64AXHBI42L3UR4QA",
            "AkcwRAIgCYHF/vn67iZX5WBimh84kqD6pTME6eNCMGhfFnnwCNECIAF3nMCk/RfLit+uv8a8FgfQIw0f0ASE21GSz7rX17PsASEDTA2vM8bOtUFgvenSDUmvkq7aWNwoTB0CMiM6carHY1s=",
            SignatureError::WrongKey { kind: mainnet(P2WPKH).kind() },
        ),
        (
            "bc1pr72av8sh7qc2ssxs8w0hlj0cl82g2q2dvypngzgsrmd4plml84ksmfyv0q",
            "TPIZPITUIHEUHO5ACOL6W6MBVD",
            "AUBay6NwR4LEYedkTG+vE9F7C0RTOCB5NH6ZAqf+3hudjHIkOzSZk1jW/5Kt0wRKX3llJ25os+0qktdou4/Y8516",
            SignatureError::Invalid,
        ),
        // Full signatures of the BIP, with a lock time, an age and no prefix.
        (
            "bc1qkwzsslep5elkuat4608v7tpntpr3d9n7w5cwwq",
            "YGIAANMREUXLFRI4HIEOCE4T23",
            "AgAAAAABAaVatLF3wpACTG5XowFYPJPv65lgTlZypjUV9d1DNduCAAAAAADgBwAAAQAAAAAAAAAAAWoCRzBEAiB+SJdR6bVLpv5+kK8pOXSUDS24rU53YkTQEvelQJ22uwIgEfqM8eYTupu4LtA0Tz7z1LIbhpP2PrUxWEt9osnrxFEBIQMasC7JaIHbbAUt1kU81yx7S4QHScnEDBs4GsdHDPMPSuAHAAA=",
            SignatureError::FullFormat,
        ),
        (
            "bc1psmjelwjtg7lz26jhd4kkf35v0xp3u7ffc6p4n4869s0hxkrrrtkqkpqvmg",
            "K276VUM3MXP56DGNVICQR5XWRT",
            "AgAAAAABAY+B3hhlrps+S2YaxSvL3HxZKdfT+8XCCtZ4KQc5N+AaAAAAAADgBwAAAQAAAAAAAAAAAWoBQEHQoT3HfPKw4WNiQySblfcRX2gnha/mrpFxUoYlkJxuQFXNN3sS+XbJsNAoXRlvQitk0tVEFpsUGRcCdZ7bWPHgBwAA",
            SignatureError::FullFormat,
        ),
    ] {
        let address = mainnet(address);
        assert_eq!(verify(&address, message, signature), Err(expected), "{address} {signature}");
    }
}

#[test]
fn a_published_bip_137_signature_verifies_for_the_segwit_addresses_of_its_key() {
    // Bitcoin Core's own `verifymessage` test. It is for a P2PKH address, whose key hash equals that of the P2WPKH
    // address of the same key; its header, 32, is the one that many wallets write for every kind of address.
    let legacy = Address::<NetworkUnchecked>::from_str("15CRxFdyRpGZLW9w8HnHvVduizdL5jKNbs")
        .expect("address")
        .require_network(Network::Bitcoin)
        .expect("main network");
    let signature = "IPojfrX2dfPnH26UegfbGQQLrdK844DlHq5157/P6h57WyuS/Qsl+h/WSVGDF4MUi4rWSswW38oimDYfNNUBUOk=";
    let key_hash = legacy.pubkey_hash().expect("P2PKH").to_raw_hash().into();
    let program = bitcoin::ScriptBuf::new_p2wpkh(&key_hash);
    let native = Address::from_script(&program, Network::Bitcoin).expect("P2WPKH");
    let nested = Address::p2sh(&program, Network::Bitcoin).expect("P2SH");
    for address in [native, nested] {
        let address = mainnet(&address.to_string());
        assert_eq!(verify(&address, "Trust no one", signature), Ok(Scheme::Bip137));
        assert_eq!(verify(&address, "Trust me", signature), Err(SignatureError::WrongKey { kind: address.kind() }));
    }
}
