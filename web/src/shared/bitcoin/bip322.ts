import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64, hex } from "@scure/base";
import { RawWitness, SigHash, Transaction } from "@scure/btc-signer";

/** A private key together with the script that it unlocks. */
export interface SigningKey {
  privateKey: Uint8Array;
  /** The script of a P2WPKH address or of a P2TR address without a script tree. */
  script: Uint8Array;
  /** The internal key of a P2TR address, 32 bytes; absent for P2WPKH. */
  tapInternalKey?: Uint8Array;
}

const OP_RETURN = Uint8Array.of(0x6a);

/** The tagged hash of a message in BIP-322. */
export function messageHash(message: string): Uint8Array {
  return schnorr.utils.taggedHash("BIP0322-signed-message", utf8ToBytes(message));
}

/**
 * The id of BIP-322's first virtual transaction, `to_spend`. It can never be mined: its one input spends an
 * output that does not exist, with the message's hash as the script.
 */
export function toSpendId(script: Uint8Array, message: string): string {
  const fixed = (text: string) => hex.decode(text);
  const bytes = concatBytes(
    fixed("00000000"), // version 0
    fixed("01"),
    new Uint8Array(32), // the output that does not exist
    fixed("ffffffff"),
    fixed("220020"), // a script of 34 bytes: OP_0 and a push of 32
    messageHash(message),
    fixed("00000000"), // sequence
    fixed("01"),
    new Uint8Array(8), // value 0
    Uint8Array.of(script.length),
    script,
    fixed("00000000"), // lock time
  );
  return hex.encode(sha256(sha256(bytes)).reverse());
}

/** The second virtual transaction, `to_sign`, which spends `to_spend`. */
export function toSign(key: Omit<SigningKey, "privateKey">, message: string): Transaction {
  const transaction = new Transaction({ version: 0, lockTime: 0, allowUnknownOutputs: true });
  transaction.addInput({
    txid: toSpendId(key.script, message),
    index: 0,
    sequence: 0,
    witnessUtxo: { script: key.script, amount: 0n },
    // Explicit in the signature, so that both kinds of address commit to everything in the same way.
    sighashType: SigHash.ALL,
    ...(key.tapInternalKey ? { tapInternalKey: key.tapInternalKey } : {}),
  });
  transaction.addOutput({ script: OP_RETURN, amount: 0n });
  return transaction;
}

/**
 * Signs a message in BIP-322's simple format: the witness of `to_sign` in base64, without a prefix.
 *
 * `auxRand` is the auxiliary randomness of a Schnorr signature (BIP-340), fresh when it is left out.
 */
export function signBip322Simple(key: SigningKey, message: string, auxRand?: Uint8Array): string {
  const transaction = toSign(key, message);
  transaction.signIdx(key.privateKey, 0, [SigHash.ALL], auxRand);
  transaction.finalizeIdx(0);
  const witness = transaction.getInput(0).finalScriptWitness;
  if (!witness) throw new Error("the message could not be signed with this key");
  return base64.encode(RawWitness.encode(witness));
}
