import { expect, it } from "vitest";
import { type SentStage, sentStage } from "./sent-payment";
import type { HistoryLine } from "./vault-requests";

const kinds: ReadonlyArray<[HistoryLine["kind"][], SentStage]> = [
  [[], "on its way"],
  [["paid_in", "paid_in"], "confirmed"],
  [["paid_in", "undone"], "on its way"],
  [["paid_in", "undone", "paid_in"], "confirmed"],
  [["paid_in", "left"], "confirmed"],
  [["withdrawing"], "on its way"],
  [["withdrawing", "came_back"], "confirmed"],
  [["withdrawing", "settled"], "confirmed"],
  [["withdrawing", "came_back", "undone"], "on its way"],
  [["withdrawing", "given_back"], "returned"],
];

it.each(kinds)("a payment whose history is %j is %s", (kinds, stage) => {
  const line = (kind: HistoryLine["kind"], transactionId: string): HistoryLine => ({
    at: 1,
    kind,
    sats: 500n,
    transactionId,
    vout: 0,
  });
  const history = [...kinds.map((kind) => line(kind, "a")), line("paid_in", "other")].reverse();
  expect(sentStage("a", history)).toBe(stage);
});
