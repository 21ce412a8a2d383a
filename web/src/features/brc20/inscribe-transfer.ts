import { UNKNOWN_ERROR } from "@/shared/api/error-text";
import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled, type TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { TransferOrder } from "./brc20-requests";

type Notify = Record<"success" | "warning" | "error", (title: string, detail?: string) => void>;

const messageOf = (error: unknown) => (error instanceof Error && error.message !== "" ? error.message : null);

/** Has the server prepare a transfer inscription. Reports a failure; nothing was signed then. */
export async function orderTransfer<Order>(
  prepare: () => Promise<Order>,
  notify: Pick<Notify, "error">,
): Promise<Order | null> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof RequestProblem && error.isRefusal)
      notify.error(`could not prepare signature: ${error.message}`);
    else notify.error("Could not pepare signature", messageOf(error) ?? undefined);
    return null;
  }
}

/** The dependencies of inscribing. */
export interface InscribePorts {
  sign: (transaction: TransactionToSign) => Promise<string>;
  commit: (orderId: string, signedBase64: string) => Promise<string>;
  notify: Notify;
}

/** Error codes of a transaction that the node rejected, or could not receive. */
const NOT_SENT = new Set(["transaction_not_taken", "node_unavailable"]);

/** Has the transfer inscription signed and sent, and reports the result. True when it is broadcast. */
export async function inscribeTransfer(
  order: TransferOrder,
  onStep: (step: "signature" | "sending") => void,
  { sign, commit, notify }: InscribePorts,
): Promise<boolean> {
  let signed: string;
  try {
    onStep("signature");
    signed = await sign(order);
  } catch (error) {
    if (error instanceof TransactionCancelled) {
      notify.warning("Wallet cancelled request", "Nothing was signed or sent.");
    } else notify.error("Failed to sign transaction", messageOf(error) ?? undefined);
    return false;
  }
  try {
    onStep("sending");
    await commit(order.orderId, signed);
  } catch (error) {
    const isNotSent = error instanceof RequestProblem && NOT_SENT.has(error.code);
    if (isNotSent) notify.error("could not broadcast signature", messageOf(error) ?? undefined);
    else notify.error(`could not submit signature: ${messageOf(error) ?? UNKNOWN_ERROR}`);
    return false;
  }
  notify.success("The transfer note is on its way", "You can pledge it once it is confirmed.");
  return true;
}
