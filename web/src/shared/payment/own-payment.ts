import * as v from "valibot";
import { satsToWire } from "@/shared/api/request";
import { sats, text } from "@/shared/api/wire";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";

/** A payment out of the user's payment address that awaits a signature. */
export const preparedPayment = v.object({
  transactionBase64: v.pipe(v.string(), v.maxLength(2_000_000)),
  sides: v.array(
    v.object({
      index: v.number(),
      address: text,
      sighash: v.number(),
      disable_tweak_signer: v.boolean(),
    }),
  ),
  sats,
  feeSats: sats,
  changeSats: sats,
  address: text,
});
export type PreparedPayment = v.InferOutput<typeof preparedPayment>;

export const sentPayment = v.object({ transactionId: text });

/** A requested payment. */
export interface PaymentRequest {
  sats: bigint;
  feeRate: number;
  /** The destination: the first output, unless the sum may be split. */
  to: string;
  paymentAddress: string;
  network: BitcoinNetwork;
}

export function paymentRequestBody({ sats, feeRate }: PaymentRequest): { sats: number; fee_rate: number } {
  return { sats: satsToWire(sats), fee_rate: feeRate };
}

/** The error text for a transaction that is not the requested payment. */
const NOT_AS_REQUESTED = "The transaction is not the payment you asked for, so it must not be signed";

/**
 * Checks in a payment's own bytes that it pays the requested sum and no other destination: everything else
 * returns as change, except for the displayed fee. A vault accepts a sum in several outputs; any other
 * payment is one output, the first.
 */
export async function checkedPayment(
  payment: PreparedPayment,
  paymentRequest: PaymentRequest,
  split: "one output" | "several" = "one output",
): Promise<PreparedPayment> {
  // Lazy, so that only users who pay load the transaction parser.
  const { parsePsbt, readFlow } = await import("@/shared/bitcoin/transaction-flow");
  const { outputs, feeSats } = readFlow(parsePsbt(payment.transactionBase64), paymentRequest.network);
  const paid =
    split === "several"
      ? outputs.filter(({ address }) => address === paymentRequest.to)
      : outputs.slice(0, 1);
  const rest = outputs.filter((output) => !paid.includes(output));
  const paidSats = paid.reduce((sum, output) => sum + output.sats, 0n);
  const isDestinationCorrect = paid.every(({ address }) => address === paymentRequest.to);
  const isPaid =
    isDestinationCorrect && paidSats === paymentRequest.sats && payment.sats === paymentRequest.sats;
  const isChangeReturned = rest.every(({ address }) => address === paymentRequest.paymentAddress);
  if (!isPaid || !isChangeReturned || feeSats !== payment.feeSats) throw new Error(NOT_AS_REQUESTED);
  return payment;
}
