import type { VaultOutput } from "./vault-requests";

/** Outputs of one transaction in one state, shown as one payment. */
export interface Arrival extends Pick<VaultOutput, "transactionId" | "state" | "sats"> {
  outputCount: number;
}

/** Groups the outputs of each transaction that are in the same state, in the order of the first of each. */
export function arrivalsOf(outputs: readonly VaultOutput[]): Arrival[] {
  const arrivals = new Map<string, Arrival>();
  for (const { transactionId, state, sats } of outputs) {
    const key = `${transactionId}/${state}`;
    const known = arrivals.get(key);
    arrivals.set(key, {
      transactionId,
      state,
      sats: (known?.sats ?? 0n) + sats,
      outputCount: (known?.outputCount ?? 0) + 1,
    });
  }
  return [...arrivals.values()];
}
