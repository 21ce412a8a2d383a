import {
  checkedPayment,
  type PaymentWish,
  type PreparedPayment,
  preparedPayment,
  sentPayment,
  wishBody,
} from "@/shared/api/own-payment";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import type { PreparedAct } from "./signing-act";

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
export async function prepareExactCoin(wish: Omit<PaymentWish, "to">): Promise<PreparedAct> {
  const asked: PaymentWish = { ...wish, to: wish.paymentAddress };
  const answer = await request("POST", "/api/v1/me/funds/exact/prepare", preparedPayment, {
    body: wishBody(asked),
  });
  const coin = await checkedPayment(answer, asked);
  return {
    transactions: [coin],
    facts: exactCoinFacts(coin),
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
    leaves: [{ what: btc(sats + feeSats), address, note: "with the fee" }],
    arrives: [{ what: btc(sats), address, note: "as one coin" }],
    fees: [{ what: btc(feeSats), note: "Network fee" }],
    deadline: "None. Sign when you are ready; the fee estimate is current.",
    atDefault: null,
    wayOut: "The coin stays yours, at your own address. Spend it from your wallet whenever you like.",
  };
}
