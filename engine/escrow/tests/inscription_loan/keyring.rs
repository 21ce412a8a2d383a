//! The keys of all parties, to sign whatever a template requires.

use bitcoin::hashes::Hash as _;
use bitcoin::key::TapTweak as _;
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{EcdsaSighashType, TapSighash, TapSighashType, Transaction, XOnlyPublicKey};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::lock::{Lock, Signer};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use super::loan_fixture::{Party, prevouts};

pub(super) struct Keyring {
    pub(super) secp: Secp256k1<All>,
    parties: Vec<Party>,
    pre_signatures: Vec<(RunningLoan, PayoutSignatures)>,
    /// The byte of the next single-use key.
    next_key: u8,
}

impl Keyring {
    pub(super) fn new() -> Self {
        Self { secp: Secp256k1::new(), parties: Vec::new(), pre_signatures: Vec::new(), next_key: 140 }
    }

    /// Adds a party with its keys.
    pub(super) fn party(&mut self, byte: u8) -> Party {
        self.parties.push(Party::new(&self.secp, byte));
        Party::new(&self.secp, byte)
    }

    /// Creates this number of single-use repay keys; for 0, the lender's key pre-signs.
    pub(super) fn repay_keys(&mut self, lender: &Party, count: usize) -> RepayKeys {
        let single_use: Vec<XOnlyPublicKey> = (0..count).map(|_| self.single_use_key()).collect();
        if count == 0 {
            return lender.keys.x_only_public_key().0.into();
        }
        RepayKeys::new(single_use).expect("distinct keys")
    }

    fn single_use_key(&mut self) -> XOnlyPublicKey {
        let byte = self.next_key;
        self.next_key += 1;
        self.party(byte).keys.x_only_public_key().0
    }

    /// Pre-signs a loan with each of its repay keys; the signatures are kept for its repayment.
    pub(super) fn pre_sign(&mut self, loan: &RunningLoan) -> PayoutSignatures {
        let signature = |keys: &Keypair, version: Version| {
            let message = loan.payout_message(version).expect("valid keys and amounts");
            let signature = self.secp.sign_schnorr_no_aux_rand(&message, keys);
            Signature { signature, sighash_type: TapSighashType::SinglePlusAnyoneCanPay }
        };
        let pair = |key: &XOnlyPublicKey| {
            let keys = self.keys(|keys| keys.x_only_public_key().0 == *key);
            PayoutSignaturePair { two: signature(&keys, Version::TWO), truc: signature(&keys, TRUC) }
        };
        let all: PayoutSignatures = loan.escrow.terms().repay.keys().iter().map(pair).collect();
        self.pre_signatures.push((loan.clone(), all.clone()));
        all
    }

    /// The transaction with every signature that its inputs require.
    pub(super) fn sign(&self, template: &Template) -> Transaction {
        let mut signed = template.psbt.unsigned_tx.clone();
        for (index, lock) in template.locks.iter().enumerate() {
            let signatures: Vec<Vec<u8>> =
                lock.signers().iter().map(|signer| self.signature(template, index, lock, signer)).collect();
            signed.input[index].script_sig = lock.script_sig();
            signed.input[index].witness = lock.witness(&signatures);
        }
        signed
    }

    /// The signature of one signer of an input.
    pub(super) fn signature(&self, template: &Template, index: usize, lock: &Lock, signer: &Signer) -> Vec<u8> {
        let transaction = &template.psbt.unsigned_tx;
        let spent = prevouts(template);
        let mut cache = SighashCache::new(transaction);
        let schnorr = |hash: TapSighash, keys: &Keypair| {
            let message = Message::from_digest(hash.to_byte_array());
            let signature = self.secp.sign_schnorr_no_aux_rand(&message, keys);
            Signature { signature, sighash_type: TapSighashType::Default }.to_vec()
        };
        match signer {
            Signer::Ecdsa(key) => {
                let party = self.parties.iter().find(|party| party.keys.public_key() == key.0);
                let all = EcdsaSighashType::All;
                let Lock::Key(coin) = lock else { panic!("a script requires no ECDSA signature") };
                let program = coin.redeem_script().unwrap_or_else(|| coin.script_pubkey());
                let hash = cache.p2wpkh_signature_hash(index, &program, spent[index].value, all);
                let message = Message::from_digest(hash.expect("valid keys and amounts").to_byte_array());
                let secret = &party.expect("the key is in the keyring").secret;
                let signature = self.secp.sign_ecdsa(&message, secret);
                bitcoin::ecdsa::Signature { signature, sighash_type: all }.to_vec()
            }
            Signer::KeyPath(key) => {
                let keys = self.keys(|keys| keys.x_only_public_key().0 == *key);
                let keys = keys.tap_tweak(&self.secp, None).to_keypair();
                let hash =
                    cache.taproot_key_spend_signature_hash(index, &Prevouts::All(&spent), TapSighashType::Default);
                schnorr(hash.expect("valid keys and amounts"), &keys)
            }
            Signer::Leaf { key, sighash: TapSighashType::SinglePlusAnyoneCanPay, .. } => {
                let outpoint = transaction.input[index].previous_output;
                let kept = self.pre_signatures.iter().find(|(loan, _)| loan.outpoint == outpoint);
                let (loan, kept) = kept.expect("signed before the loan began");
                let place = loan.escrow.terms().repay.keys().iter().position(|own| own == key);
                let pair = &kept.pairs()[place.expect("a repay key of the loan")];
                pair.of(transaction.version).expect("signed for this version").to_vec()
            }
            Signer::Leaf { key, leaf, sighash } => {
                let keys = self.keys(|keys| keys.x_only_public_key().0 == *key);
                let hash = cache.taproot_script_spend_signature_hash(index, &Prevouts::All(&spent), *leaf, *sighash);
                schnorr(hash.expect("valid keys and amounts"), &keys)
            }
        }
    }

    fn keys(&self, is_wanted: impl Fn(&Keypair) -> bool) -> Keypair {
        let mut keys = self.parties.iter().map(|party| party.keys);
        keys.find(is_wanted).expect("the key is in the keyring")
    }
}
