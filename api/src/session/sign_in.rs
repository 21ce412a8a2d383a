//! Sign-in with a wallet.

use domain::WalletAddresses;
use escrow::action::Action;
use escrow::address::WalletAddress;
use escrow::message_signature;
use serde_json::json;

use super::nonce_issuer::Purpose;
use super::signed_message::{PresentedMessage, SignedMessage, SigningContext, check_equal};
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The addresses and public keys that a wallet presents.
#[derive(Clone, Copy)]
pub struct PresentedWallet<'a> {
    /// The payment address, which receives bitcoin and signs the message.
    pub payment_address: &'a str,
    /// Its public key in hexadecimal.
    pub payment_pubkey: &'a str,
    /// The ordinals address, which holds inscriptions and runes.
    pub ordinal_address: &'a str,
    /// Its public key in hexadecimal.
    pub ordinal_pubkey: &'a str,
}

/// A text and its signatures.
#[derive(Clone, Copy)]
pub struct Proof<'a> {
    /// The text.
    pub message: &'a str,
    /// The signature of the text by the payment address.
    pub signature: &'a str,
    /// The signature of the same text by the ordinals address; not needed if both are one address.
    pub ordinal_signature: Option<&'a str>,
}

/// Checks both addresses with their public keys: the network, the kind, and that each key belongs to its address.
///
/// # Errors
/// The code of the first failed check.
pub fn check_wallet(
    place: SigningContext<'_>,
    shown: PresentedWallet<'_>,
) -> Result<(Pair, WalletAddresses), ApiError> {
    let payment = WalletAddress::parse(shown.payment_address, place.network)?;
    let ordinals = WalletAddress::parse(shown.ordinal_address, place.network)?;
    payment.check_public_key(shown.payment_pubkey)?;
    ordinals.check_public_key(shown.ordinal_pubkey)?;
    let addresses = WalletAddresses {
        payment_address: payment.to_string(),
        payment_pubkey: shown.payment_pubkey.to_ascii_lowercase(),
        ordinal_address: ordinals.to_string(),
        ordinal_pubkey: shown.ordinal_pubkey.to_ascii_lowercase(),
    };
    Ok((Pair { payment, ordinals }, addresses))
}

/// The two addresses of a wallet.
pub struct Pair {
    payment: WalletAddress,
    ordinals: WalletAddress,
}

/// Checks that both addresses signed a sign-in with exactly the addresses and keys of the request.
///
/// # Errors
/// The code of the first failed check.
pub fn check(
    place: SigningContext<'_>,
    shown: PresentedWallet<'_>,
    proof: Proof<'_>,
    now_s: u64,
) -> Result<(WalletAddresses, SignedMessage), ApiError> {
    let (pair, addresses) = check_wallet(place, shown)?;
    let Proof { message, signature, ordinal_signature } = proof;
    let claim = PresentedMessage { message, signature, address: &pair.payment, purpose: Purpose::SignIn };
    let signed = SignedMessage::check(place, claim, now_s)?;
    let Action::SignIn(sign_in) = signed.action() else {
        return Err(SignedMessage::wrong_action("sign in"));
    };
    check_equal("payment_address", &addresses.payment_address, &sign_in.payment_address)?;
    check_equal("payment_pubkey", &addresses.payment_pubkey, &sign_in.payment_public_key)?;
    check_equal("ordinal_address", &addresses.ordinal_address, &sign_in.ordinals_address)?;
    check_equal("ordinal_pubkey", &addresses.ordinal_pubkey, &sign_in.ordinals_public_key)?;
    check_ordinals(&pair, message, ordinal_signature)?;
    Ok((addresses, signed))
}

/// Checks the second signature. The text is already bound to domain, network, time and nonce, and names both addresses.
fn check_ordinals(pair: &Pair, message: &str, signature: Option<&str>) -> Result<(), ApiError> {
    let Some(signature) = signature else {
        let is_one = pair.payment == pair.ordinals;
        return if is_one { Ok(()) } else { Err(ApiError::plain(ErrorCode::OrdinalsSignatureMissing)) };
    };
    message_signature::verify(&pair.ordinals, message, signature).map(drop).map_err(|error| {
        let detail = format!("ordinal_signature, by {}: {error}", pair.ordinals);
        let values = json!({"field": "ordinal_signature"});
        ApiError::new(ApiError::from(error).code(), detail).with_values(values)
    })
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use escrow::action::SignIn;
    use escrow::action_message::ActionMessage;
    use escrow::address::AddressKind;
    use escrow::envelope::Envelope;
    use escrow::wallet_key::WalletKey;

    use super::*;
    use crate::http::error_code::ErrorCode;
    use crate::session::nonce_issuer::{self, NonceIssuer};

    const NOW_S: u64 = 1_800_000_000;
    const DOMAIN: &str = "127.0.0.1:8080";

    struct TestUser {
        wallet: WalletKey,
        payment: AddressKind,
    }

    impl TestUser {
        fn new(seed: u8, payment: AddressKind) -> Self {
            Self { wallet: WalletKey::from_seed([seed; 32], Network::Regtest).unwrap(), payment }
        }

        fn sign_in(&self) -> SignIn {
            SignIn {
                ordinals_address: self.wallet.ordinals_address().to_string(),
                ordinals_public_key: self.wallet.public_key_hex(AddressKind::P2tr),
                payment_address: self.wallet.address(self.payment).to_string(),
                payment_public_key: self.wallet.public_key_hex(self.payment),
            }
        }

        fn envelope(&self, nonces: &NonceIssuer) -> Envelope {
            let address = self.wallet.address(self.payment).to_string();
            let issued = nonces.issue(Purpose::SignIn, &address, NOW_S);
            Envelope {
                domain: DOMAIN.to_owned(),
                network: Network::Regtest,
                address,
                nonce: nonce_issuer::to_text(issued.nonce),
                issued_s: issued.issued_s,
                expires_s: issued.expires_s,
            }
        }
    }

    fn attempt(
        nonces: &NonceIssuer,
        user: &TestUser,
        text: &str,
        signature: &str,
        now_s: u64,
    ) -> Result<WalletAddresses, ErrorCode> {
        let second = user.wallet.sign_bip322(AddressKind::P2tr, text).unwrap();
        let proof = Proof { message: text, signature, ordinal_signature: Some(&second) };
        attempt_with(nonces, user, proof, now_s)
    }

    fn attempt_with(
        nonces: &NonceIssuer,
        user: &TestUser,
        proof: Proof<'_>,
        now_s: u64,
    ) -> Result<WalletAddresses, ErrorCode> {
        let sign_in = user.sign_in();
        let shown = PresentedWallet {
            payment_address: &sign_in.payment_address,
            payment_pubkey: &sign_in.payment_public_key,
            ordinal_address: &sign_in.ordinals_address,
            ordinal_pubkey: &sign_in.ordinals_public_key,
        };
        let place = SigningContext { domain: DOMAIN, network: Network::Regtest, nonces };
        check(place, shown, proof, now_s).map(|(addresses, _)| addresses).map_err(|refusal| refusal.code())
    }

    fn text(sign_in: SignIn, envelope: Envelope) -> String {
        ActionMessage::new(Action::SignIn(sign_in), envelope).unwrap().to_text()
    }

    #[test]
    fn every_kind_of_address_signs_in_by_every_scheme_it_has() {
        let nonces = NonceIssuer::new([1; 32]);
        for kind in [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            let user = TestUser::new(3, kind);
            let text = text(user.sign_in(), user.envelope(&nonces));
            let signature = user.wallet.sign_bip322(kind, &text).unwrap();
            assert!(attempt(&nonces, &user, &text, &signature, NOW_S).is_ok(), "{kind}");
            if kind != AddressKind::P2tr {
                let signature = user.wallet.sign_bip137(kind, &text).unwrap();
                assert!(attempt(&nonces, &user, &text, &signature, NOW_S).is_ok(), "{kind} by BIP-137");
            }
        }
    }

    /// The payment address of each kind, next to a taproot ordinals address and next to one of its own kind.
    #[test]
    fn the_ordinals_address_signs_too_unless_it_is_the_same() {
        let nonces = NonceIssuer::new([1; 32]);
        for kind in [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            let (user, attacker) = (TestUser::new(3, kind), TestUser::new(4, kind));
            let text = text(user.sign_in(), user.envelope(&nonces));
            let own = user.wallet.sign_bip322(kind, &text).unwrap();
            let foreign = attacker.wallet.sign_bip322(AddressKind::P2tr, &text).unwrap();
            let attempt = |ordinal_signature| {
                let proof = Proof { message: &text, signature: &own, ordinal_signature };
                attempt_with(&nonces, &user, proof, NOW_S).map(drop)
            };
            let missing = if kind == AddressKind::P2tr { Ok(()) } else { Err(ErrorCode::OrdinalsSignatureMissing) };
            assert_eq!(attempt(None), missing, "{kind}");
            assert_eq!(attempt(Some("AAAA")), Err(ErrorCode::SignatureMalformed), "{kind}");
            assert_eq!(attempt(Some(&foreign)), Err(ErrorCode::SignatureInvalid), "{kind}");
            let by_payment = if kind == AddressKind::P2tr { Ok(()) } else { Err(ErrorCode::SignatureMalformed) };
            assert_eq!(attempt(Some(&own)), by_payment, "{kind}");
            let other_text = user.wallet.sign_bip322(AddressKind::P2tr, "Lienbook: sign in").unwrap();
            assert_eq!(attempt(Some(&other_text)), Err(ErrorCode::SignatureInvalid), "{kind}");
        }
    }

    #[test]
    fn an_ordinals_address_of_every_kind_is_proven_only_by_its_own_key() {
        let nonces = NonceIssuer::new([1; 32]);
        let place = SigningContext { domain: DOMAIN, network: Network::Regtest, nonces: &nonces };
        let (user, attacker) = (TestUser::new(3, AddressKind::P2tr), TestUser::new(4, AddressKind::P2tr));
        for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            let sign_in = SignIn {
                ordinals_address: user.wallet.address(kind).to_string(),
                ordinals_public_key: user.wallet.public_key_hex(kind),
                ..user.sign_in()
            };
            let shown = PresentedWallet {
                payment_address: &sign_in.payment_address,
                payment_pubkey: &sign_in.payment_public_key,
                ordinal_address: &sign_in.ordinals_address,
                ordinal_pubkey: &sign_in.ordinals_public_key,
            };
            let message = &text(sign_in.clone(), user.envelope(&nonces));
            let signature = &user.wallet.sign_bip322(AddressKind::P2tr, message).unwrap();
            let attempt = |second: Option<&str>| {
                let proof = Proof { message, signature, ordinal_signature: second };
                check(place, shown, proof, NOW_S).map(drop).map_err(|refusal| refusal.code())
            };
            for good in [user.wallet.sign_bip322(kind, message), user.wallet.sign_bip137(kind, message)] {
                assert_eq!(attempt(Some(&good.unwrap())), Ok(()), "{kind}");
            }
            for bad in [attacker.wallet.sign_bip322(kind, message), attacker.wallet.sign_bip137(kind, message)] {
                let refused = attempt(Some(&bad.unwrap())).unwrap_err();
                let named = [ErrorCode::SignatureWrongKey, ErrorCode::SignatureInvalid];
                assert!(named.contains(&refused), "{kind}: {refused}");
            }
            assert_eq!(attempt(None), Err(ErrorCode::OrdinalsSignatureMissing), "{kind}");
        }
    }

    #[test]
    fn every_failed_check_has_its_own_code() {
        let nonces = NonceIssuer::new([1; 32]);
        for kind in [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            let (user, other) = (TestUser::new(3, kind), TestUser::new(4, kind));
            let good = user.envelope(&nonces);
            let cases: [(&str, Envelope, u64, ErrorCode); 8] = [
                (
                    "domain",
                    Envelope { domain: "evil.example".to_owned(), ..good.clone() },
                    NOW_S,
                    ErrorCode::MessageWrongDomain,
                ),
                (
                    "network",
                    Envelope { network: Network::Bitcoin, ..good.clone() },
                    NOW_S,
                    ErrorCode::MessageWrongNetwork,
                ),
                ("stale", good.clone(), NOW_S + 600, ErrorCode::MessageExpired),
                ("early", good.clone(), NOW_S - 61, ErrorCode::MessageTimes),
                ("altered time", Envelope { issued_s: NOW_S + 1, ..good.clone() }, NOW_S, ErrorCode::NonceUnknown),
                ("made-up nonce", Envelope { nonce: "0".repeat(32), ..good.clone() }, NOW_S, ErrorCode::NonceUnknown),
                (
                    "nonce of another",
                    Envelope { nonce: other.envelope(&nonces).nonce, ..good.clone() },
                    NOW_S,
                    ErrorCode::NonceUnknown,
                ),
                (
                    "another purpose",
                    {
                        let issued = nonces.issue(Purpose::Action, &good.address, NOW_S);
                        Envelope { nonce: nonce_issuer::to_text(issued.nonce), ..good.clone() }
                    },
                    NOW_S,
                    ErrorCode::NonceUnknown,
                ),
            ];
            for (name, envelope, now_s, expected) in cases {
                let text = text(user.sign_in(), envelope);
                let signature = user.wallet.sign_bip322(kind, &text).unwrap();
                assert_eq!(attempt(&nonces, &user, &text, &signature, now_s), Err(expected), "{kind}: {name}");
            }
            let text = text(user.sign_in(), good);
            let foreign = other.wallet.sign_bip322(kind, &text).unwrap();
            let refused = attempt(&nonces, &user, &text, &foreign, NOW_S).unwrap_err();
            assert!(matches!(refused, ErrorCode::SignatureWrongKey | ErrorCode::SignatureInvalid), "{kind}: {refused}");
            let malformed = attempt(&nonces, &user, &text, "AAAA", NOW_S);
            assert_eq!(malformed, Err(ErrorCode::SignatureMalformed), "{kind}");
        }
    }

    #[test]
    fn the_signed_text_must_match_the_presented_wallet() {
        let nonces = NonceIssuer::new([1; 32]);
        let (user, other) = (TestUser::new(3, AddressKind::P2wpkh), TestUser::new(4, AddressKind::P2wpkh));
        let foreign = SignIn { ordinals_address: other.sign_in().ordinals_address, ..user.sign_in() };
        let message = text(foreign, user.envelope(&nonces));
        let signature = user.wallet.sign_bip322(AddressKind::P2wpkh, &message).unwrap();
        assert_eq!(attempt(&nonces, &user, &message, &signature, NOW_S), Err(ErrorCode::MessageFieldMismatch));
        let cancel = Action::PauseOffer { offer_id: "of_1".to_owned() };
        let message = ActionMessage::new(cancel, user.envelope(&nonces)).unwrap().to_text();
        let signature = user.wallet.sign_bip322(AddressKind::P2wpkh, &message).unwrap();
        assert_eq!(attempt(&nonces, &user, &message, &signature, NOW_S), Err(ErrorCode::MessageWrongAction));
        assert_eq!(attempt(&nonces, &user, "Lienbook: dance", &signature, NOW_S), Err(ErrorCode::MessageMalformed));
        let replayed_for_other = text(user.sign_in(), user.envelope(&nonces));
        let signature = user.wallet.sign_bip322(AddressKind::P2wpkh, &replayed_for_other).unwrap();
        let refused = attempt(&nonces, &other, &replayed_for_other, &signature, NOW_S);
        assert_eq!(refused, Err(ErrorCode::MessageWrongAddress));
    }

    #[test]
    fn a_key_must_belong_to_its_address_and_the_network_must_match() {
        let nonces = NonceIssuer::new([1; 32]);
        let place = SigningContext { domain: DOMAIN, network: Network::Regtest, nonces: &nonces };
        let (user, other) =
            (TestUser::new(3, AddressKind::P2wpkh).sign_in(), TestUser::new(4, AddressKind::P2wpkh).sign_in());
        let shown = PresentedWallet {
            payment_address: &user.payment_address,
            payment_pubkey: &user.payment_public_key,
            ordinal_address: &user.ordinals_address,
            ordinal_pubkey: &user.ordinals_public_key,
        };
        let code = |shown| check_wallet(place, shown).map(|_| ()).map_err(|refusal| refusal.code());
        assert_eq!(code(shown), Ok(()));
        let foreign_key = PresentedWallet { payment_pubkey: &other.payment_public_key, ..shown };
        assert_eq!(code(foreign_key), Err(ErrorCode::PublicKeyMismatch));
        assert_eq!(code(PresentedWallet { ordinal_pubkey: "zz", ..shown }), Err(ErrorCode::PublicKeyMalformed));
        assert_eq!(code(PresentedWallet { payment_address: "bcrt1q", ..shown }), Err(ErrorCode::AddressMalformed));
        let mainnet = PresentedWallet { payment_address: "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l", ..shown };
        assert_eq!(code(mainnet), Err(ErrorCode::AddressWrongNetwork));
    }
}
