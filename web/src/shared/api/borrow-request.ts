import * as v from "valibot";
import { count, lenientArray, percent, rawAmount, sats, text, timeMs } from "./wire";

export const borrowRequest = v.pipe(
  v.object({
    requestId: text,
    groupId: text,
    borrowerId: text,
    /** Pledged together; empty with tokens. */
    inscriptionIds: v.array(text),
    fungibleAmount: v.nullable(rawAmount),
    principalAmountSats: sats,
    interestMaxPercentage: percent,
    termMinDays: count,
    termMaxDays: count,
    goodUntil: timeMs,
    createdAt: timeMs,
    state: v.picklist(["open", "filled"]),
  }),
  v.transform(({ principalAmountSats, interestMaxPercentage, ...wire }) => ({
    ...wire,
    principalSats: principalAmountSats,
    /** The highest interest for the whole term, in percent. */
    interestMaxPercent: interestMaxPercentage,
  })),
);
/** A borrower's request for a loan. */
export type BorrowRequest = v.InferOutput<typeof borrowRequest>;

export const requestList = v.object({ requests: lenientArray(borrowRequest) });
