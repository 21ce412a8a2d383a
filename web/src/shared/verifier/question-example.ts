import { EXAMPLE_SESSION } from "@/shared/session/session-example";
import type { Question } from "./question";

/** A question for tests in which the transactions do not matter. */
export const EXAMPLE_QUESTION: Question = {
  network: "regtest",
  own: EXAMPLE_SESSION.addresses,
  transactions: [],
  task: { kind: "repay", loans: [], feeSats: 0n, feeRate: 1 },
};
