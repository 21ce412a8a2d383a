import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import {
  checkedPayment,
  type PaymentRequest,
  type PreparedPayment,
  paymentRequestBody,
  preparedPayment,
  sentPayment,
} from "@/shared/payment/own-payment";
import type { PreparedAction } from "@/shared/signing/signing-action";
import type { SigningFacts } from "@/shared/signing/signing-facts";

/**
 * The value of the missing coin that the server names as the reason of a refusal; null for any other refusal.
 */
export function missingCoinSats(error: unknown): bigint | null {
  if (!(error instanceof RequestProblem) || error.code !== "exact_coin_missing") return null;
  const { fundingSats } = error.values;
  return typeof fundingSats === "number" && Number.isSafeInteger(fundingSats) && fundingSats > 0
    ? BigInt(fundingSats)
    : null;
}

/** Prepares a payment that splits off a coin of the exact sum. */
export async function prepareExactCoin(coinRequest: Omit<PaymentRequest, "to">): Promise<PreparedAction> {
  const paymentRequest: PaymentRequest = { ...coinRequest, to: coinRequest.paymentAddress };
  const answer = await request("POST", "/api/v1/me/funds/exact/prepare", preparedPayment, {
    body: paymentRequestBody(paymentRequest),
  });
  const coin = await checkedPayment(answer, paymentRequest);
  return {
    transactions: [coin],
    facts: exactCoinFacts(coin),
    question: null,
    label: `Make a coin of ${formatBtcExact(coin.sats)} BTC`,
    submit: async ([base64 = ""]) => {
      const body = { signed_psbt: base64 };
      const { transactionId } = await request("POST", "/api/v1/me/funds/exact", sentPayment, { body });
      return transactionId;
    },
  };
}

function exactCoinFacts({ sats, feeSats, address }: PreparedPayment): SigningFacts {
  const btc = (amount: bigint) => `${formatBtc(amount, 8)} BTC`;
  return {
    outgoing: [{ what: btc(sats + feeSats), address, note: "with the fee" }],
    incoming: [{ what: btc(sats), address, note: "as one coin" }],
    fees: [{ what: btc(feeSats), note: "Network fee" }],
    deadline: "None. Sign when you are ready; the fee estimate is current.",
    atDefault: null,
    exit: "The coin stays yours, at your own address. Spend it from your wallet whenever you like.",
  };
}
