import { base64, hex } from "@scure/base";
import { Address, OutScript, SigHash, Transaction } from "@scure/btc-signer";
import { type BitcoinNetwork, networkParameters } from "./network";

/** A sum and where it comes from or goes to. */
export interface FlowCoin {
  /** Null for a script that has no address, such as a note to indexers. */
  address: string | null;
  sats: bigint;
  /** The script in hexadecimal. */
  script: string;
}

export interface FlowInput extends FlowCoin {
  /** `txid:index` of what is spent. */
  outpoint: string;
  /** What its signature commits to, as PSBTs number it; 0 is taproot's way to say everything. */
  sighash: number;
}

/** What a transaction moves, read out of the PSBT itself. */
export interface TransactionFlow {
  /** The id it will have, as long as every input is segwit. */
  txid: string;
  inputs: FlowInput[];
  outputs: FlowCoin[];
  /** What the miners get; negative while others have yet to add what pays for it. */
  feeSats: bigint;
}

/** What a transaction means for the holder of some addresses, in sats. */
export interface FlowBalance {
  address: string;
  leavesSats: bigint;
  arrivesSats: bigint;
}

/** Options under which scripts and fields of every kind are read: what is signed is decided elsewhere. */
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

/** Reads what a PSBT spends and pays. Throws when it is none, or does not say what it spends. */
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
    if (!script || amount === undefined) throw new Error(`output ${index} pays nothing to nobody`);
    outputs.push(coin(script, amount, network));
  }
  const sum = (coins: FlowCoin[]) => coins.reduce((total, { sats }) => total + sats, 0n);
  return { txid: transaction.id, inputs, outputs, feeSats: sum(inputs) - sum(outputs) };
}

/** What leaves and what arrives at each address, gross. */
export function balancesOf(flow: TransactionFlow, addresses: readonly string[]): FlowBalance[] {
  const sumAt = (coins: FlowCoin[], address: string) =>
    coins.reduce((total, found) => (found.address === address ? total + found.sats : total), 0n);
  return addresses.map((address) => ({
    address,
    leavesSats: sumAt(flow.inputs, address),
    arrivesSats: sumAt(flow.outputs, address),
  }));
}

const SIGHASH_NAME: Record<number, string> = {
  [SigHash.DEFAULT]: "everything",
  [SigHash.ALL]: "everything",
  [SigHash.SINGLE_ANYONECANPAY]: "its own input and output alone",
};

/** What a signature commits to, in words; null for kinds that nobody should be asked for. */
export function sighashText(sighash: number): string | null {
  return SIGHASH_NAME[sighash] ?? null;
}
