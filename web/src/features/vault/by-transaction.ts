import type { HistoryLine, VaultOutput } from "./vault-requests";

/** Outputs of one transaction in one state, which people know as one payment. */
export interface Arrival extends Pick<VaultOutput, "transactionId" | "state" | "sats"> {
  outputCount: number;
}

/** The outputs of each transaction together, as long as they are in the same state, in the order of the first of each. */
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

/** A line of the history, for all the outputs that it is about. */
export interface TransactionLine extends HistoryLine {
  outputCount: number;
}

/** Lines that tell the same of several outputs of one transaction, as one. */
export function linesByTransaction(lines: readonly HistoryLine[]): TransactionLine[] {
  const joined: TransactionLine[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const isSame =
      last !== undefined &&
      line.vout !== null &&
      last.vout !== null &&
      line.kind === last.kind &&
      line.transactionId === last.transactionId &&
      line.sats !== null &&
      last.sats !== null;
    if (isSame)
      joined[joined.length - 1] = {
        ...last,
        sats: (last.sats ?? 0n) + (line.sats ?? 0n),
        outputCount: last.outputCount + 1,
      };
    else joined.push({ ...line, outputCount: 1 });
  }
  return joined;
}
