import type { TransactionFlow } from "./flow-balance";
import type { BitcoinNetwork } from "./network";
import type { TransactionToSign } from "./transaction-signer";

/**
 * Reads the flows of transactions from the exact bytes that the wallet gets; the parser is loaded on demand.
 */
export async function readFlows(
  transactions: readonly TransactionToSign[],
  network: BitcoinNetwork,
): Promise<TransactionFlow[]> {
  const { parsePsbt, readFlow } = await import("./transaction-flow");
  return transactions.map(({ transactionBase64 }) => readFlow(parsePsbt(transactionBase64), network));
}
