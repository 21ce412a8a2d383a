//! The secret keys of one wallet, and its signatures.

use bitcoin::bip32::{DerivationPath, Xpriv};
use bitcoin::hashes::Hash as _;
use bitcoin::key::{Keypair, TapTweak as _};
use bitcoin::psbt::Input;
use bitcoin::secp256k1::{All, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::{
    EcdsaSighashType, Network, Psbt, PublicKey, ScriptBuf, TapLeafHash, TapNodeHash, TapSighashType, TxOut,
    XOnlyPublicKey, ecdsa, taproot,
};

/// The keys of a seed by the paths of BIP-86, and of BIP-84 or BIP-49 for the payment address.
pub(crate) struct Keys {
    pub(crate) ordinals: Keypair,
    pub(crate) payment: Keypair,
    secp: Secp256k1<All>,
}

impl Keys {
    pub(crate) fn of(seed: u8, payment_purpose: u32) -> Self {
        let secp = Secp256k1::new();
        let master = Xpriv::new_master(Network::Regtest, &[seed; 32]).unwrap();
        let key = |purpose: u32| {
            let path: DerivationPath = format!("m/{purpose}'/1'/0'/0/0").parse().unwrap();
            Keypair::from_secret_key(&secp, &master.derive_priv(&secp, &path).unwrap().private_key)
        };
        Self { ordinals: key(86), payment: key(payment_purpose), secp }
    }

    /// A key tweaked for the key path of an output with this script tree.
    pub(crate) fn tweaked(&self, key: &Keypair, root: Option<TapNodeHash>) -> Keypair {
        key.tap_tweak(&self.secp, root).to_keypair()
    }

    /// The output key of an internal key with this script tree.
    pub(crate) fn output_key(&self, internal: XOnlyPublicKey, root: Option<TapNodeHash>) -> XOnlyPublicKey {
        internal.tap_tweak(&self.secp, root).0.to_x_only_public_key()
    }

    /// A Schnorr signature that commits to `sighash`, by the key path or by a leaf.
    pub(crate) fn schnorr(
        &self,
        psbt: &Psbt,
        index: usize,
        leaf: Option<TapLeafHash>,
        sighash: TapSighashType,
        key: &Keypair,
    ) -> taproot::Signature {
        let spent = spent(psbt);
        let (mut cache, all) = (SighashCache::new(&psbt.unsigned_tx), Prevouts::All(&spent));
        let hash = match leaf {
            None => cache.taproot_key_spend_signature_hash(index, &all, sighash),
            Some(leaf) => cache.taproot_script_spend_signature_hash(index, &all, leaf, sighash),
        };
        let message = Message::from_digest(hash.unwrap().to_byte_array());
        taproot::Signature { signature: self.secp.sign_schnorr_no_aux_rand(&message, key), sighash_type: sighash }
    }

    /// An ECDSA signature of the payment key for a segwit coin, native or nested.
    pub(crate) fn ecdsa(&self, psbt: &Psbt, index: usize, key: &Keypair) -> (PublicKey, ecdsa::Signature) {
        let public_key = PublicKey::new(key.public_key());
        let program = ScriptBuf::new_p2wpkh(&public_key.wpubkey_hash().unwrap());
        let mut cache = SighashCache::new(&psbt.unsigned_tx);
        let value = spent(psbt)[index].value;
        let hash = cache.p2wpkh_signature_hash(index, &program, value, EcdsaSighashType::All).unwrap();
        let signature = self.secp.sign_ecdsa(&Message::from_digest(hash.to_byte_array()), &key.secret_key());
        (public_key, ecdsa::Signature { signature, sighash_type: EcdsaSighashType::All })
    }
}

fn spent(psbt: &Psbt) -> Vec<TxOut> {
    psbt.inputs.iter().map(|input| input.witness_utxo.clone().unwrap()).collect()
}

/// The sighash type that the PSBT names, or taproot's default.
pub(crate) fn taproot_sighash(input: &Input) -> TapSighashType {
    input.sighash_type.map_or(TapSighashType::Default, |named| named.taproot_hash_ty().unwrap())
}

/// The sighash type of an input as a number, as wallets compare it with the allowed ones.
pub(crate) fn sighash_number(input: &Input, otherwise: u32) -> u32 {
    input.sighash_type.map_or(otherwise, bitcoin::psbt::PsbtSighashType::to_u32)
}

/// The script that the input spends.
pub(crate) fn spent_script(input: &Input) -> &ScriptBuf {
    &input.witness_utxo.as_ref().unwrap().script_pubkey
}

/// Whether a script pushes these bytes.
pub(crate) fn pushes(script: &ScriptBuf, bytes: &[u8]) -> bool {
    let mut pushed = script.instructions().filter_map(|item| Some(item.ok()?.push_bytes()?.as_bytes().to_vec()));
    pushed.any(|push| push == bytes)
}
