import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled } from "@/shared/bitcoin/transaction-signer";
import { type InscribePorts, inscribeNote } from "./inscribe-note";

async function play(ports: Partial<InscribePorts>): Promise<[boolean, string[]]> {
  const said: string[] = [];
  const say = (kind: string) => (title: string) => void said.push(`${kind}: ${title}`);
  const done = await inscribeNote({
    prepare: async () => ({ orderId: "or_1", feeSats: 9, transactionBase64: "", sides: [] }),
    sign: async () => "signed",
    commit: async () => "tx",
    notify: { success: say("success"), warning: say("warning"), error: say("error") },
    ...ports,
  });
  return [done, said];
}
const failing = (error: unknown) => async () => Promise.reject(error);
const problem = (code: string) => new RequestProblem({ code, status: 409, message: "because" });

describe("inscribing a transfer note", () => {
  it.each<[string, Partial<InscribePorts>, boolean, string]>([
    ["all goes well", {}, true, "success: The transfer note is on its way"],
    [
      "the server prepares nothing",
      { prepare: failing(problem("insufficient_funds")) },
      false,
      "error: could not prepare signature: because",
    ],
    ["nobody knows why", { prepare: failing(new Error("")) }, false, "error: Could not pepare signature"],
    [
      "the wallet says no",
      { sign: failing(new TransactionCancelled()) },
      false,
      "warning: Wallet cancelled request",
    ],
    ["the wallet fails", { sign: failing(new Error("x")) }, false, "error: Failed to sign transaction"],
    [
      "the server does not take it",
      { commit: failing(problem("order_ended")) },
      false,
      "error: could not submit signature: because",
    ],
    [
      "the node does not take it",
      { commit: failing(problem("transaction_not_taken")) },
      false,
      "error: could not broadcast signature",
    ],
  ])("is told when %s", async (_, ports, isDone, text) => {
    expect(await play(ports)).toEqual([isDone, [text]]);
  });
});
