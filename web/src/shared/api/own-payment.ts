import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { satsToWire } from "./request";
import { sats, text } from "./wire";

/** A payment out of the reader's payment address that waits for a signature. */
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

/** What is asked for. */
export interface PaymentWish {
  sats: bigint;
  feeRate: number;
  /** Where it goes, in one output. */
  to: string;
  paymentAddress: string;
  network: BitcoinNetwork;
}

export function wishBody({ sats, feeRate }: PaymentWish): { sats: number; fee_rate: number } {
  return { sats: satsToWire(sats), fee_rate: feeRate };
}

/** Why a transaction is not to be signed, although the server asks for it. */
const NOT_WHAT_WAS_ASKED = "The transaction is not the payment you asked for, so it must not be signed";

/**
 * Reads in a payment's own bytes that it pays what was asked for and nobody else: all that does not go there comes
 * back, but for the fee that is shown.
 */
export async function checkedPayment(payment: PreparedPayment, wish: PaymentWish): Promise<PreparedPayment> {
  // Those who never pay need not load what reads transactions.
  const { parsePsbt, readFlow } = await import("@/shared/bitcoin/transaction-flow");
  const { outputs, feeSats } = readFlow(parsePsbt(payment.transactionBase64), wish.network);
  const [paid, ...rest] = outputs;
  const isPaid = paid?.address === wish.to && paid.sats === wish.sats && payment.sats === wish.sats;
  const isRestHome = rest.every(({ address }) => address === wish.paymentAddress);
  if (!isPaid || !isRestHome || feeSats !== payment.feeSats) throw new Error(NOT_WHAT_WAS_ASKED);
  return payment;
}
