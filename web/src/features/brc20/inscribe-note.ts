import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled, type TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { NoteOrder } from "./brc20-requests";

/** What inscribing a note asks of the world. */
export interface InscribePorts {
  prepare: () => Promise<NoteOrder>;
  sign: (transaction: TransactionToSign) => Promise<string>;
  commit: (orderId: string, signedBase64: string) => Promise<string>;
  notify: Record<"success" | "warning" | "error", (title: string, detail?: string) => void>;
}

const messageOf = (error: unknown) => (error instanceof Error && error.message !== "" ? error.message : null);

/** Prepares, has signed and sends a transfer note, and says what came of it. True when it is on its way. */
export async function inscribeNote({ prepare, sign, commit, notify }: InscribePorts): Promise<boolean> {
  let order: NoteOrder;
  try {
    order = await prepare();
  } catch (error) {
    const why = messageOf(error);
    notify.error(why === null ? "Could not pepare signature" : `could not prepare signature: ${why}`);
    return false;
  }
  let signed: string;
  try {
    signed = await sign(order);
  } catch (error) {
    if (error instanceof TransactionCancelled) notify.warning("Wallet cancelled request");
    else notify.error("Failed to sign transaction", messageOf(error) ?? undefined);
    return false;
  }
  try {
    await commit(order.orderId, signed);
  } catch (error) {
    const isRefusedByNode = error instanceof RequestProblem && error.code === "transaction_not_taken";
    if (isRefusedByNode) notify.error("could not broadcast signature", messageOf(error) ?? undefined);
    else notify.error(`could not submit signature: ${messageOf(error) ?? "An unknown error occurred"}`);
    return false;
  }
  notify.success("The transfer note is on its way", "It can be pledged once a block has it.");
  return true;
}
