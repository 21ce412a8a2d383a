import { request } from "@/shared/api/request";
import {
  checkedPayment,
  type PaymentRequest,
  type PreparedPayment,
  paymentRequestBody,
  preparedPayment,
  sentPayment,
} from "@/shared/payment/own-payment";

/** Requests a deposit, and verifies that it is the requested payment. */
export async function prepareDeposit(paymentRequest: PaymentRequest): Promise<PreparedPayment> {
  const body = paymentRequestBody(paymentRequest);
  const deposit = await request("POST", "/api/v1/vaults/me/deposits/prepare", preparedPayment, { body });
  return checkedPayment(deposit, paymentRequest, "several");
}

/** Submits a signed deposit; returns the id of its transaction. */
export async function submitDeposit(signedPsbt: string): Promise<string> {
  const body = { signed_psbt: signedPsbt };
  const { transactionId } = await request("POST", "/api/v1/vaults/me/deposits", sentPayment, { body });
  return transactionId;
}
