//! A double of `UniSat` Wallet, as unisat-wallet/wallet signs (`wallet-background`: `controllers/wallet.ts`,
//! `keyring-service`: `simple-keyring.ts`, bitcoinjs-lib 6.1.6).

use bitcoin::key::TapTweak as _;
use bitcoin::{Address, Network, Psbt, ScriptBuf};
use serde_json::Value;

use super::keys::{Keys, pushes, sighash_number, spent_script, taproot_sighash};
use super::request::{asked_input, psbt_of_hex};

/// An account with a taproot address: the connector accepts no other.
pub(crate) struct Unisat<'a>(pub(crate) &'a Keys);

impl Unisat<'_> {
    /// `signPsbt(hex, options)`.
    pub(crate) fn sign(&self, arguments: &Value) -> Result<Psbt, String> {
        let mut psbt = psbt_of_hex(&arguments[0])?;
        assert_eq!(arguments[1]["autoFinalized"], false, "it finalizes inputs by itself otherwise");
        let own = self.0.ordinals.x_only_public_key().0;
        let tweaked = self.0.tweaked(&self.0.ordinals, None);
        let script = ScriptBuf::new_p2tr_tweaked(tweaked.x_only_public_key().0.dangerous_assume_tweaked());
        let address = Address::from_script(&script, Network::Regtest).unwrap().to_string();
        for index in 0..psbt.inputs.len() {
            let Some(asked) = asked_input(&arguments[1], index) else { continue };
            if asked["address"] != address {
                return Err("invalid address in toSignInput".to_owned());
            }
            let input = &mut psbt.inputs[index];
            if !spent_script(input).is_p2tr() {
                return Err(format!("input {index}: the account has a taproot address alone"));
            }
            let is_key_path = *spent_script(input) == script;
            // Only an input of the key path keeps an internal key, and that is the account's.
            input.tap_internal_key = is_key_path.then_some(own);
            let has_own_leaf = input.tap_scripts.values().any(|(leaf, _)| pushes(leaf, &own.serialize()));
            let is_tweaked = match (asked["useTweakedSigner"].as_bool(), asked["disableTweakSigner"].as_bool()) {
                (Some(is_tweaked), _) => is_tweaked,
                (None, Some(is_disabled)) => !is_disabled,
                (None, None) => is_key_path || (!input.tap_scripts.is_empty() && !has_own_leaf),
            };
            let allowed = asked["sighashTypes"].as_array().cloned();
            if allowed.is_some_and(|allowed| !allowed.contains(&sighash_number(input, 0).into())) {
                return Err(format!("input {index}: the sighash is not allowed"));
            }
            self.sign_taproot(&mut psbt, index, is_tweaked, is_key_path)?;
        }
        Ok(psbt)
    }

    /// bitcoinjs-lib: the key path if the signer's key is the output key, and the leaves that contain it.
    fn sign_taproot(&self, psbt: &mut Psbt, index: usize, is_tweaked: bool, is_key_path: bool) -> Result<(), String> {
        let signer = if is_tweaked { self.0.tweaked(&self.0.ordinals, None) } else { self.0.ordinals };
        let (public, sighash) = (signer.x_only_public_key().0, taproot_sighash(&psbt.inputs[index]));
        let scripts = psbt.inputs[index].tap_scripts.values();
        let own = scripts.filter(|(script, _)| pushes(script, &public.serialize()));
        let leaves: Vec<_> = own.map(|(script, _)| script.tapscript_leaf_hash()).collect();
        let signs_key_path = is_key_path && is_tweaked;
        if !signs_key_path && leaves.is_empty() {
            return Err(format!("Can not sign for input #{index}"));
        }
        if signs_key_path {
            psbt.inputs[index].tap_key_sig = Some(self.0.schnorr(psbt, index, None, sighash, &signer));
        }
        for leaf in leaves {
            let signature = self.0.schnorr(psbt, index, Some(leaf), sighash, &signer);
            psbt.inputs[index].tap_script_sigs.insert((public, leaf), signature);
        }
        Ok(())
    }
}
