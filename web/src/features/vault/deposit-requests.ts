import {
  checkedPayment,
  type PaymentWish,
  type PreparedPayment,
  preparedPayment,
  sentPayment,
  wishBody,
} from "@/shared/api/own-payment";
import { request } from "@/shared/api/request";

/** Requests a deposit, and verifies that it is the requested payment. */
export async function prepareDeposit(wish: PaymentWish): Promise<PreparedPayment> {
  const body = wishBody(wish);
  const deposit = await request("POST", "/api/v1/vaults/me/deposits/prepare", preparedPayment, { body });
  return checkedPayment(deposit, wish, "several");
}

/** Submits a signed deposit; returns the id of its transaction. */
export async function submitDeposit(signedPsbt: string): Promise<string> {
  const body = { signed_psbt: signedPsbt };
  const { transactionId } = await request("POST", "/api/v1/vaults/me/deposits", sentPayment, { body });
  return transactionId;
}
