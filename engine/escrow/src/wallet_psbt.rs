//! PSBT signing by a simulated wallet, driven like real wallets by the fields of the PSBT.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::Hash as _;
use bitcoin::key::TapTweak as _;
use bitcoin::psbt::{Input, PsbtSighashType};
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::{
    EcdsaSighashType, Psbt, PublicKey, ScriptBuf, TapLeafHash, TapSighashType, Transaction, TxOut, XOnlyPublicKey,
    ecdsa, taproot,
};

use crate::address::AddressKind;
use crate::wallet_key::{Account, WalletKey, WalletKeyError};

impl WalletKey {
    /// Signs every input that one of its keys can sign, and returns the PSBT in base64, not finalized.
    ///
    /// It signs its own three kinds of coin, and every script in an input's `tap_scripts` that contains its ordinals
    /// key. The sighash is the one that the PSBT names, otherwise it covers the whole transaction.
    pub fn sign_psbt(&self, text: &str) -> Result<String, WalletKeyError> {
        let bytes = STANDARD.decode(text).map_err(|_| WalletKeyError::NotPsbt)?;
        let mut psbt = Psbt::deserialize(&bytes).map_err(|_| WalletKeyError::NotPsbt)?;
        let spent: Option<Vec<TxOut>> = psbt.inputs.iter().map(|input| input.witness_utxo.clone()).collect();
        let mut session = Session {
            wallet: self,
            spent: &spent.ok_or(WalletKeyError::NotPsbt)?,
            cache: SighashCache::new(&psbt.unsigned_tx),
            secp: Secp256k1::new(),
        };
        for (index, input) in psbt.inputs.iter_mut().enumerate() {
            session.sign(index, input).ok_or(WalletKeyError::NotPsbt)?;
        }
        Ok(STANDARD.encode(psbt.serialize()))
    }
}

/// A transaction that is being signed.
struct Session<'a> {
    wallet: &'a WalletKey,
    spent: &'a [TxOut],
    cache: SighashCache<&'a Transaction>,
    secp: Secp256k1<All>,
}

impl Session<'_> {
    /// Signs one input; `None` if signing is impossible, for example with a sighash type that does not exist.
    fn sign(&mut self, index: usize, input: &mut Input) -> Option<()> {
        let script = &self.spent.get(index)?.script_pubkey;
        for kind in [AddressKind::P2wpkh, AddressKind::P2shP2wpkh] {
            if self.wallet.coin_key(kind).script_pubkey() == *script {
                let (key, signature) = self.ecdsa(index, self.wallet.account(kind), input.sighash_type)?;
                input.partial_sigs.insert(key, signature);
            }
        }
        let ordinals = self.wallet.account(AddressKind::P2tr);
        let keys = Keypair::from_secret_key(&self.secp, &ordinals.secret);
        if self.wallet.coin_key(AddressKind::P2tr).script_pubkey() == *script {
            let tweaked = keys.tap_tweak(&self.secp, None).to_keypair();
            input.tap_key_sig = Some(self.schnorr(index, None, &tweaked, input.sighash_type)?);
        }
        let own = XOnlyPublicKey::from(ordinals.public_key.0);
        for (script, version) in input.tap_scripts.values() {
            let mut pushes =
                script.instructions().filter_map(|item| Some(item.ok()?.push_bytes()?.as_bytes().to_vec()));
            if pushes.any(|push| push == own.serialize()) {
                let leaf = TapLeafHash::from_script(script, *version);
                let signature = self.schnorr(index, Some(leaf), &keys, input.sighash_type)?;
                input.tap_script_sigs.insert((own, leaf), signature);
            }
        }
        Some(())
    }

    fn ecdsa(
        &mut self,
        index: usize,
        account: &Account,
        sighash: Option<PsbtSighashType>,
    ) -> Option<(PublicKey, ecdsa::Signature)> {
        let sighash_type = sighash.map_or(Ok(EcdsaSighashType::All), PsbtSighashType::ecdsa_hash_ty).ok()?;
        let program = ScriptBuf::new_p2wpkh(&account.public_key.wpubkey_hash());
        let value = self.spent.get(index)?.value;
        let hash = self.cache.p2wpkh_signature_hash(index, &program, value, sighash_type).ok()?;
        let signature = self.secp.sign_ecdsa(&Message::from_digest(hash.to_byte_array()), &account.secret);
        Some((PublicKey::new(account.public_key.0), ecdsa::Signature { signature, sighash_type }))
    }

    fn schnorr(
        &mut self,
        index: usize,
        leaf: Option<TapLeafHash>,
        keys: &Keypair,
        sighash: Option<PsbtSighashType>,
    ) -> Option<taproot::Signature> {
        let sighash_type = sighash.map_or(Ok(TapSighashType::Default), PsbtSighashType::taproot_hash_ty).ok()?;
        let all = Prevouts::All(self.spent);
        let hash = match leaf {
            None => self.cache.taproot_key_spend_signature_hash(index, &all, sighash_type),
            Some(leaf) => self.cache.taproot_script_spend_signature_hash(index, &all, leaf, sighash_type),
        };
        let message = Message::from_digest(hash.ok()?.to_byte_array());
        Some(taproot::Signature { signature: self.secp.sign_schnorr_no_aux_rand(&message, keys), sighash_type })
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::{Amount, Network, OutPoint, Sequence, TxIn, Witness, absolute, transaction};

    use super::*;

    const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];

    fn wallet(seed: u8) -> WalletKey {
        WalletKey::from_seed([seed; 32], Network::Regtest).expect("usable seed")
    }

    /// Builds a PSBT that spends one coin of each kind of this wallet.
    fn spending_all_of(wallet: &WalletKey) -> Psbt {
        let input = |_| TxIn {
            previous_output: OutPoint::null(),
            script_sig: ScriptBuf::new(),
            sequence: Sequence::MAX,
            witness: Witness::new(),
        };
        let transaction = Transaction {
            version: transaction::Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: KINDS.into_iter().map(input).collect(),
            output: vec![],
        };
        let mut psbt = Psbt::from_unsigned_tx(transaction).expect("unsigned");
        for (input, kind) in psbt.inputs.iter_mut().zip(KINDS) {
            let script_pubkey = wallet.coin_key(kind).script_pubkey();
            assert_eq!(script_pubkey, wallet.address(kind).script_pubkey());
            input.witness_utxo = Some(TxOut { value: Amount::from_sat(1_000), script_pubkey });
        }
        psbt
    }

    fn sign(wallet: &WalletKey, psbt: &Psbt) -> Result<Psbt, WalletKeyError> {
        let signed = wallet.sign_psbt(&STANDARD.encode(psbt.serialize()))?;
        Ok(Psbt::deserialize(&STANDARD.decode(signed).expect("base64")).expect("a PSBT"))
    }

    #[test]
    fn it_signs_only_its_own_coins() {
        let psbt = spending_all_of(&wallet(1));
        let signed = sign(&wallet(1), &psbt).expect("signed");
        assert!(signed.inputs[0].tap_key_sig.is_some());
        assert!(signed.inputs[1..].iter().all(|input| input.partial_sigs.len() == 1));
        assert_eq!(sign(&wallet(2), &psbt), Ok(psbt));
    }

    #[test]
    fn it_refuses_a_psbt_that_it_cannot_read() {
        let refusal = |alter: &dyn Fn(&mut Psbt)| {
            let mut psbt = spending_all_of(&wallet(1));
            alter(&mut psbt);
            sign(&wallet(1), &psbt).err()
        };
        assert_eq!(refusal(&|_| {}), None);
        assert_eq!(refusal(&|psbt| psbt.inputs[2].witness_utxo = None), Some(WalletKeyError::NotPsbt));
        for index in 0..3 {
            let unknown = PsbtSighashType::from_u32(0x55);
            let refused = refusal(&|psbt| psbt.inputs[index].sighash_type = Some(unknown));
            assert_eq!(refused, Some(WalletKeyError::NotPsbt));
        }
        for text in ["", "?", "cHNidP8="] {
            assert_eq!(wallet(1).sign_psbt(text), Err(WalletKeyError::NotPsbt));
        }
    }
}
