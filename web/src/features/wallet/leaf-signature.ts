import { schnorr } from "@noble/curves/secp256k1.js";
import { base64 } from "@scure/base";
import { Transaction } from "@scure/btc-signer";

/**
 * Whether a signed PSBT holds, for one input, a valid script path signature (BIP-342) with this sighash by a
 * key of the script. The spent output is read from the unsigned PSBT, so that the wallet need not be trusted
 * for it.
 */
export function hasLeafSignature(unsigned: string, signed: string, index: number, sighash: number): boolean {
  try {
    const unsignedTransaction = Transaction.fromPSBT(base64.decode(unsigned), { allowUnknownInputs: true });
    const answer = Transaction.fromPSBT(base64.decode(signed), { allowUnknownInputs: true });
    const spent = Array.from(
      { length: unsignedTransaction.inputsLength },
      (_, at) => unsignedTransaction.getInput(at).witnessUtxo,
    );
    const outputs = spent.filter((output) => output !== undefined);
    const [, leaf] = unsignedTransaction.getInput(index).tapLeafScript?.[0] ?? [];
    if (outputs.length !== spent.length || !leaf) return false;
    const digest = unsignedTransaction.preimageWitnessV1(
      index,
      outputs.map(({ script }) => script),
      sighash,
      outputs.map(({ amount }) => amount),
      undefined,
      leaf.subarray(0, -1),
      leaf[leaf.length - 1],
    );
    return (answer.getInput(index).tapScriptSig ?? []).some(
      ([{ pubKey }, signature]) =>
        signature.length === 65 &&
        signature[64] === sighash &&
        schnorr.verify(signature.subarray(0, 64), digest, pubKey),
    );
  } catch {
    return false;
  }
}
