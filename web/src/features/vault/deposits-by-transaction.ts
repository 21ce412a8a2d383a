import type { VaultOutput } from "./vault-requests";

/** Outputs of one transaction in one state, shown as one payment. */
export interface IncomingDeposit extends Pick<VaultOutput, "transactionId" | "state" | "sats"> {
  outputCount: number;
}

/** Groups the outputs of each transaction that are in the same state, in the order of the first of each. */
export function incomingDepositsOf(outputs: readonly VaultOutput[]): IncomingDeposit[] {
  const deposits = new Map<string, IncomingDeposit>();
  for (const { transactionId, state, sats } of outputs) {
    const key = `${transactionId}/${state}`;
    const known = deposits.get(key);
    deposits.set(key, {
      transactionId,
      state,
      sats: (known?.sats ?? 0n) + sats,
      outputCount: (known?.outputCount ?? 0) + 1,
    });
  }
  return [...deposits.values()];
}
