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
