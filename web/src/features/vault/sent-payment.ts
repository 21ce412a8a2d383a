import type { HistoryLine } from "./vault-requests";

/** The status of a deposit or a withdrawal that was sent. */
export type SentStage = "on its way" | "confirmed" | "returned";

/** The stage of a sent payment, from the vault's history, latest first. */
export function sentStage(transactionId: string, history: readonly HistoryLine[]): SentStage {
  for (const line of history) {
    if (line.transactionId !== transactionId) continue;
    switch (line.kind) {
      case "paid_in":
      case "came_back":
      case "settled":
        return "confirmed";
      case "given_back":
        return "returned";
      case "undone":
      case "withdrawing":
        return "on its way";
      default:
    }
  }
  return "on its way";
}
