import type { TransactionFlow } from "./flow-balance";
import type { BitcoinNetwork } from "./network";
import type { TransactionToSign } from "./transaction-signer";

/** Reads what transactions move out of the very bytes that the wallet gets; the code for it is loaded then. */
export async function readFlows(
  transactions: readonly TransactionToSign[],
  network: BitcoinNetwork,
): Promise<TransactionFlow[]> {
  const { parsePsbt, readFlow } = await import("./transaction-flow");
  return transactions.map(({ transactionBase64 }) => readFlow(parsePsbt(transactionBase64), network));
}
