import { base64, hex } from "@scure/base";
import { Address, OutScript, SigHash, Transaction } from "@scure/btc-signer";
import type { FlowCoin, FlowInput, TransactionFlow } from "./flow-balance";
import { type BitcoinNetwork, networkParameters } from "./network";

/** Options that accept every kind of script and field: which of them are signed is decided elsewhere. */
export const READ_ALL = { allowUnknownInputs: true, allowUnknownOutputs: true, allowUnknown: true } as const;

/** The bytes of a PSBT in base64; rejects anything else. */
export function parsePsbt(text: string): Transaction {
  return Transaction.fromPSBT(base64.decode(text), READ_ALL);
}

function addressOf(script: Uint8Array, network: BitcoinNetwork): string | null {
  try {
    return Address(networkParameters(network)).encode(OutScript.decode(script));
  } catch {
    return null;
  }
}

function coin(script: Uint8Array, sats: bigint, network: BitcoinNetwork): FlowCoin {
  return { address: addressOf(script, network), sats, script: hex.encode(script) };
}

/** Reads the inputs and outputs of a PSBT. Throws when it is invalid or lacks the data of a spent output. */
export function readFlow(transaction: Transaction, network: BitcoinNetwork): TransactionFlow {
  const inputs: FlowInput[] = [];
  for (let index = 0; index < transaction.inputsLength; index += 1) {
    const { txid, index: vout, witnessUtxo, sighashType } = transaction.getInput(index);
    if (!witnessUtxo || !txid) throw new Error(`input ${index} does not say what it spends`);
    const spent = coin(witnessUtxo.script, witnessUtxo.amount, network);
    inputs.push({ ...spent, outpoint: `${hex.encode(txid)}:${vout}`, sighash: sighashType ?? 0 });
  }
  const outputs: FlowCoin[] = [];
  for (let index = 0; index < transaction.outputsLength; index += 1) {
    const { script, amount } = transaction.getOutput(index);
    if (!script || amount === undefined) throw new Error(`output ${index} has no script or no amount`);
    outputs.push(coin(script, amount, network));
  }
  const sum = (coins: FlowCoin[]) => coins.reduce((total, { sats }) => total + sats, 0n);
  return { txid: transaction.id, inputs, outputs, feeSats: sum(inputs) - sum(outputs) };
}

const SIGHASH_NAME: Record<number, string> = {
  [SigHash.DEFAULT]: "everything",
  [SigHash.ALL]: "everything",
  [SigHash.SINGLE_ANYONECANPAY]: "its own input and output alone",
};

/** The sighash in words; null for types that no wallet should be asked for. */
export function sighashText(sighash: number): string | null {
  return SIGHASH_NAME[sighash] ?? null;
}
