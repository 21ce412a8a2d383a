import { FASTEST, type FeeChoice } from "@/shared/chain/fee-rate";
import { amountSats, amountText, typedAmount } from "@/shared/format/btc-amount";
import { formatBtcExact, MAX_MONEY_SATS } from "@/shared/format/sats";

/** No output smaller than this is relayed by every node. */
export const MIN_SATS = 1_000n;

/** The amount of a deposit or a withdrawal. */
export interface PaymentDraft {
  amountText: string;
  /** The whole balance, whatever the fee is; withdrawals only. */
  isWholeBalance: boolean;
  fee: FeeChoice;
}

export type PaymentAction =
  | { type: "amountTyped"; text: string }
  | { type: "everythingChosen"; sats: bigint }
  | { type: "feeChosen"; fee: FeeChoice };

export const EMPTY_DRAFT: PaymentDraft = { amountText: "", isWholeBalance: false, fee: FASTEST };

/** Applies an action to the draft, the only way to change it. */
export function reducer(draft: PaymentDraft, action: PaymentAction): PaymentDraft {
  switch (action.type) {
    case "amountTyped": {
      const typed = typedAmount(draft.amountText, action.text, MAX_MONEY_SATS);
      return {
        ...draft,
        amountText: typed,
        isWholeBalance: typed === draft.amountText && draft.isWholeBalance,
      };
    }
    case "everythingChosen":
      return { ...draft, amountText: amountText(action.sats), isWholeBalance: action.sats > 0n };
    case "feeChosen":
      return { ...draft, fee: action.fee };
  }
}

export interface PaymentSummary {
  sats: bigint;
  /** The amount to request: null for everything. */
  requestedSats: bigint | null;
}

export function calculateSummary(draft: PaymentDraft): PaymentSummary {
  const sats = amountSats(draft.amountText);
  return { sats, requestedSats: draft.isWholeBalance ? null : sats };
}

/**
 * The reasons why the draft cannot be submitted. An empty amount is no error. `usableSats` bounds
 * withdrawals; null for deposits.
 */
export function getErrors(draft: PaymentDraft, usableSats: bigint | null): string[] {
  const { sats } = calculateSummary(draft);
  if (sats === 0n) return [];
  const errors: string[] = [];
  if (sats < MIN_SATS) errors.push(`At least ₿${formatBtcExact(MIN_SATS)}`);
  if (usableSats !== null && sats > usableSats) errors.push("Insufficient vault balance");
  return errors;
}
