import {
  checkedPayment,
  type PaymentWish,
  type PreparedPayment,
  preparedPayment,
  sentPayment,
  wishBody,
} from "@/shared/api/own-payment";
import { request } from "@/shared/api/request";

/** Has a deposit made, and makes sure that it is what was asked for. */
export async function prepareDeposit(wish: PaymentWish): Promise<PreparedPayment> {
  const body = wishBody(wish);
  const deposit = await request("POST", "/api/v1/vaults/me/deposits/prepare", preparedPayment, { body });
  return checkedPayment(deposit, wish, "several");
}

/** Sends a signed deposit; the id of its transaction comes back. */
export async function submitDeposit(signedPsbt: string): Promise<string> {
  const body = { signed_psbt: signedPsbt };
  const { transactionId } = await request("POST", "/api/v1/vaults/me/deposits", sentPayment, { body });
  return transactionId;
}
