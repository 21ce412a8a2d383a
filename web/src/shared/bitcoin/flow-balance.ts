/** An amount and its source or destination. */
export interface FlowCoin {
  /** Null for a script without an address, such as an OP_RETURN output. */
  address: string | null;
  sats: bigint;
  /** The script in hexadecimal. */
  script: string;
}

export interface FlowInput extends FlowCoin {
  /** `txid:index` of the spent output. */
  outpoint: string;
  /** The sighash type as PSBTs encode it; 0 is taproot's DEFAULT. */
  sighash: number;
}

/** Inputs, outputs and fee of a transaction, read from the PSBT itself. */
export interface TransactionFlow {
  /** Its id when it is signed, as long as every input is segwit. */
  txid: string;
  inputs: FlowInput[];
  outputs: FlowCoin[];
  /** The network fee; negative while others have yet to add the inputs that pay for it. */
  feeSats: bigint;
}

/** The effect of a transaction on the holder of some addresses, in sats. */
export interface FlowBalance {
  address: string;
  outgoingSats: bigint;
  incomingSats: bigint;
}

/** Returns the gross amounts that leave and arrive at each address. */
export function balancesOf(flow: TransactionFlow, addresses: readonly string[]): FlowBalance[] {
  const sumAt = (coins: FlowCoin[], address: string) =>
    coins.reduce((total, found) => (found.address === address ? total + found.sats : total), 0n);
  return addresses.map((address) => ({
    address,
    outgoingSats: sumAt(flow.inputs, address),
    incomingSats: sumAt(flow.outputs, address),
  }));
}
