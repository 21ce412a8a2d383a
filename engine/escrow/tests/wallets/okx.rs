//! A double of OKX Wallet, as okx/js-wallet-sdk signs (`coin-bitcoin`: `psbtSign.ts` and its copy of bitcoinjs-lib).

use bitcoin::key::Keypair;
use bitcoin::{Psbt, TapNodeHash, TapSighashType, XOnlyPublicKey};
use serde_json::Value;

use super::keys::{Keys, sighash_number, spent_script, taproot_sighash};
use super::request::{asked_input, psbt_of_hex};

/// An account with a taproot address: the connector accepts no other.
pub(crate) struct Okx<'a>(pub(crate) &'a Keys);

/// The key that signs, and the public key that the signature is stored under.
struct Signer {
    secret: Keypair,
    public: XOnlyPublicKey,
}

impl Okx<'_> {
    /// `signPsbt(hex, options)`.
    pub(crate) fn sign(&self, arguments: &Value) -> Result<Psbt, String> {
        let mut psbt = psbt_of_hex(&arguments[0])?;
        assert_eq!(arguments[1]["autoFinalized"], false, "it finalizes inputs by itself otherwise");
        // One of the two signers outlives an input, and with it the root of the last input that had one.
        let mut kept_root: Option<TapNodeHash> = None;
        for index in 0..psbt.inputs.len() {
            let Some(asked) = asked_input(&arguments[1], index) else { continue };
            if !spent_script(&psbt.inputs[index]).is_p2tr() {
                return Err(format!("input {index}: the account has a taproot address alone"));
            }
            let signer = match asked["useTweakSigner"].as_bool() {
                Some(is_tweaked) => self.newer(&mut psbt, index, is_tweaked),
                None => self.older(&mut psbt, index, asked["disableTweakSigner"] == true, &mut kept_root),
            };
            let allowed =
                asked["sighashTypes"].as_array().cloned().unwrap_or_else(|| vec![131.into(), 1.into(), 0.into()]);
            if !allowed.contains(&sighash_number(&psbt.inputs[index], 0).into()) {
                return Err(format!("input {index}: the sighash is not allowed"));
            }
            self.sign_taproot(&mut psbt, index, &signer)?;
        }
        Ok(psbt)
    }

    /// With `useTweakSigner`: the option alone selects the key.
    fn newer(&self, psbt: &mut Psbt, index: usize, is_tweaked: bool) -> Signer {
        let input = &mut psbt.inputs[index];
        if input.tap_internal_key.is_none() && input.tap_scripts.is_empty() {
            input.tap_internal_key = Some(self.own());
        }
        let secret = if is_tweaked { self.0.tweaked(&self.0.ordinals, None) } else { self.0.ordinals };
        Signer { secret, public: secret.x_only_public_key().0 }
    }

    /// Without it: a merkle root means the key path, whatever the leaves and the options.
    fn older(&self, psbt: &mut Psbt, index: usize, is_disabled: bool, kept_root: &mut Option<TapNodeHash>) -> Signer {
        let input = &mut psbt.inputs[index];
        input.tap_internal_key.get_or_insert(self.own());
        let (mut is_tweaked, mut public) = (true, self.0.output_key(self.own(), None));
        if is_disabled {
            (is_tweaked, public) = (false, self.own());
        }
        match input.tap_merkle_root {
            None if !input.tap_scripts.is_empty() => (is_tweaked, public) = (false, self.own()),
            None => {}
            Some(root) => {
                (is_tweaked, public) = (true, self.0.output_key(self.own(), Some(root)));
                *kept_root = Some(root);
            }
        }
        let is_raw = is_disabled || !is_tweaked;
        let secret = if is_raw { self.0.ordinals } else { self.0.tweaked(&self.0.ordinals, *kept_root) };
        Signer { secret, public }
    }

    /// Its bitcoinjs-lib: the key path if the public key is the output key, and every leaf, whichever keys are in it. A
    /// leaf is hashed with the default type, and then the sighash byte that the PSBT names is appended.
    fn sign_taproot(&self, psbt: &mut Psbt, index: usize, signer: &Signer) -> Result<(), String> {
        let input = &psbt.inputs[index];
        let sighash = taproot_sighash(input);
        let output_key = input.tap_internal_key.map(|key| self.0.output_key(key, input.tap_merkle_root));
        let leaves: Vec<_> = input.tap_scripts.values().map(|(script, _)| script.tapscript_leaf_hash()).collect();
        if output_key != Some(signer.public) && leaves.is_empty() {
            return Err(format!("Can not sign for input #{index}"));
        }
        if output_key == Some(signer.public) {
            let signature = self.0.schnorr(psbt, index, None, sighash, &signer.secret);
            psbt.inputs[index].tap_key_sig = Some(signature);
        }
        for leaf in leaves {
            let mut signature = self.0.schnorr(psbt, index, Some(leaf), TapSighashType::Default, &signer.secret);
            signature.sighash_type = sighash;
            psbt.inputs[index].tap_script_sigs.insert((signer.public, leaf), signature);
        }
        Ok(())
    }

    fn own(&self) -> XOnlyPublicKey {
        self.0.ordinals.x_only_public_key().0
    }
}
