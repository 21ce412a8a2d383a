//! Doubles of Xverse and Leather, which sign by @scure/btc-signer 1.6.0 (`transaction.ts`, `signIdx`), and of Phantom,
//! for which there is only documentation.

use bitcoin::key::Keypair;
use bitcoin::{Address, Network, Psbt, ScriptBuf};
use serde_json::Value;

use super::keys::{Keys, pushes, sighash_number, spent_script, taproot_sighash};
use super::request::{psbt_of_base64, psbt_of_hex};

const NOTHING_SIGNED: &str = "No taproot scripts signed";

impl Keys {
    /// `signIdx`: fails if this key signed nothing of the input.
    fn sign_idx(&self, psbt: &mut Psbt, index: usize, key: &Keypair, allowed: Option<&[u32]>) -> Result<(), String> {
        let input = &psbt.inputs[index];
        let is_taproot = spent_script(input).is_p2tr();
        let default = u32::from(!is_taproot);
        let sighash = sighash_number(input, default);
        if !allowed.unwrap_or(&[default]).contains(&sighash) {
            return Err(format!("Input with not allowed sigHash={sighash}"));
        }
        if sighash & 3 == 3 && index >= psbt.unsigned_tx.output.len() {
            return Err("Input with sighash SINGLE, but there is no output with corresponding index".to_owned());
        }
        if is_taproot { self.sign_taproot(psbt, index, key) } else { self.sign_segwit(psbt, index, key) }
    }

    fn sign_taproot(&self, psbt: &mut Psbt, index: usize, key: &Keypair) -> Result<(), String> {
        let input = &psbt.inputs[index];
        let (own, root, sighash) = (key.x_only_public_key().0, input.tap_merkle_root, taproot_sighash(input));
        // The key is tweaked if it is the internal key, and otherwise used as it is.
        let by_key_path = input.tap_internal_key.and_then(|internal| {
            let signer = if internal == own { self.tweaked(key, root) } else { *key };
            (self.output_key(internal, root) == signer.x_only_public_key().0).then_some(signer)
        });
        let scripts = input.tap_scripts.values().filter(|(script, _)| pushes(script, &own.serialize()));
        let leaves: Vec<_> = scripts.map(|(script, _)| script.tapscript_leaf_hash()).collect();
        if by_key_path.is_none() && leaves.is_empty() {
            return Err(NOTHING_SIGNED.to_owned());
        }
        if let Some(signer) = by_key_path {
            psbt.inputs[index].tap_key_sig = Some(self.schnorr(psbt, index, None, sighash, &signer));
        }
        for leaf in leaves {
            let signature = self.schnorr(psbt, index, Some(leaf), sighash, key);
            psbt.inputs[index].tap_script_sigs.insert((own, leaf), signature);
        }
        Ok(())
    }

    fn sign_segwit(&self, psbt: &mut Psbt, index: usize, key: &Keypair) -> Result<(), String> {
        let input = &psbt.inputs[index];
        let spent = spent_script(input);
        let last = match &input.redeem_script {
            Some(script) if spent.is_p2sh() && script.to_p2sh() == *spent => script,
            None if spent.is_p2sh() => return Err("the redeem script is missing".to_owned()),
            _ => spent,
        };
        let (public_key, signature) = self.ecdsa(psbt, index, key);
        if !pushes(last, bitcoin::hashes::Hash::as_byte_array(&public_key.wpubkey_hash().unwrap())) {
            return Err("Input script doesn't have pubKey".to_owned());
        }
        psbt.inputs[index].partial_sigs.insert(public_key, signature);
        Ok(())
    }
}

/// The scripts that pay to the two addresses of a wallet.
pub(crate) struct Addresses {
    pub(crate) payment: ScriptBuf,
    pub(crate) ordinals: ScriptBuf,
}

fn is_address_of(text: &Value, script: &ScriptBuf) -> bool {
    *text == Address::from_script(script, Network::Regtest).unwrap().to_string()
}

/// Xverse, as secretkeylabs/xverse-core signs (`transactions/bitcoin/context.ts`).
pub(crate) struct Xverse<'a>(pub(crate) &'a Keys, pub(crate) &'a Addresses);

impl Xverse<'_> {
    /// `signPsbt` of sats-connect: the sighash is the one that the PSBT names.
    pub(crate) fn sign(&self, arguments: &Value) -> Result<Psbt, String> {
        assert_eq!(arguments[0], "signPsbt");
        let parameters = &arguments[1];
        let mut psbt = psbt_of_base64(&parameters["psbt"])?;
        assert_eq!(parameters["broadcast"], false, "it finishes inputs by itself otherwise");
        for (address, indexes) in parameters["signInputs"].as_object().ok_or("no inputs to sign")? {
            let address = Value::from(address.as_str());
            for index in indexes.as_array().ok_or("no indexes")? {
                let index = usize::try_from(index.as_u64().ok_or("no index")?).map_err(|_| "no index")?;
                let named = psbt.inputs[index].sighash_type.map(bitcoin::psbt::PsbtSighashType::to_u32);
                let allowed = named.map(|named| [named]);
                let allowed = allowed.as_ref().map(<[u32; 1]>::as_slice);
                if is_address_of(&address, &self.1.payment) {
                    self.0.sign_idx(&mut psbt, index, &self.0.payment, allowed)?;
                }
                if is_address_of(&address, &self.1.ordinals) {
                    let raw = self.0.sign_idx(&mut psbt, index, &self.0.ordinals, allowed);
                    if raw.as_ref().is_err_and(|error| error == NOTHING_SIGNED) {
                        let tweaked = self.0.tweaked(&self.0.ordinals, None);
                        self.0.sign_idx(&mut psbt, index, &tweaked, allowed)?;
                    } else {
                        raw?;
                    }
                }
            }
        }
        Ok(psbt)
    }
}

/// Leather, as leather-io/extension signs (`bitcoin.hooks.ts`).
pub(crate) struct Leather<'a>(pub(crate) &'a Keys);

impl Leather<'_> {
    /// `signPsbt`: the payment key, and if that signs nothing the taproot key; no error if neither signs.
    pub(crate) fn sign(&self, arguments: &Value) -> Result<Psbt, String> {
        assert_eq!(arguments[0], "signPsbt");
        let parameters = &arguments[1];
        let mut psbt = psbt_of_hex(&parameters["hex"])?;
        assert_eq!(parameters["broadcast"], false);
        let every = [0, 1, 2, 3, 0x81, 0x82, 0x83];
        for index in parameters["signAtIndex"].as_array().ok_or("no inputs to sign")? {
            let index = usize::try_from(index.as_u64().ok_or("no index")?).map_err(|_| "no index")?;
            let signed = self.0.sign_idx(&mut psbt, index, &self.0.payment, Some(&every));
            if signed.is_err() {
                let _ = self.0.sign_idx(&mut psbt, index, &self.0.ordinals, Some(&every));
            }
        }
        Ok(psbt)
    }
}

/// Phantom, as far as its documentation goes: the inputs of an address with the sighash listed for them.
pub(crate) struct Phantom<'a>(pub(crate) &'a Keys, pub(crate) &'a Addresses);

impl Phantom<'_> {
    /// `signPSBT(bytes, {inputsToSign})`.
    pub(crate) fn sign(&self, arguments: &Value) -> Result<Psbt, String> {
        let mut psbt = psbt_of_base64(&arguments[0]["base64"])?;
        for entry in arguments[1]["inputsToSign"].as_array().ok_or("no inputs to sign")? {
            let sighash = u32::try_from(entry["sigHash"].as_u64().ok_or("no sighash")?).map_err(|_| "no sighash")?;
            for index in entry["signingIndexes"].as_array().ok_or("no indexes")? {
                let index = usize::try_from(index.as_u64().ok_or("no index")?).map_err(|_| "no index")?;
                if is_address_of(&entry["address"], &self.1.payment) {
                    self.0.sign_idx(&mut psbt, index, &self.0.payment, Some(&[sighash]))?;
                } else if is_address_of(&entry["address"], &self.1.ordinals) {
                    self.0.sign_idx(&mut psbt, index, &self.0.ordinals, Some(&[sighash]))?;
                } else {
                    return Err("the address is not the account's".to_owned());
                }
            }
        }
        Ok(psbt)
    }
}
