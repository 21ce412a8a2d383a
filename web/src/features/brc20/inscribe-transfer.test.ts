import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled } from "@/shared/bitcoin/transaction-signer";
import { type InscribePorts, inscribeTransfer, orderTransfer } from "./inscribe-transfer";

function listener() {
  const notifications: string[] = [];
  const record = (kind: string) => (title: string) => void notifications.push(`${kind}: ${title}`);
  return {
    notifications,
    notify: { success: record("success"), warning: record("warning"), error: record("error") },
  };
}
const order = { orderId: "or_1", feeSats: 9, expiresAt: 0, transactionBase64: "", sides: [] };
const failing = (error: unknown) => async () => Promise.reject(error);
const problem = (code: string, status = 409) => new RequestProblem({ code, status, message: "because" });

describe("ordering a transfer inscription", () => {
  it("returns the server's order without a message", async () => {
    const { notifications, notify } = listener();
    expect([await orderTransfer(async () => order, notify), notifications]).toEqual([order, []]);
  });

  it.each([
    ["the server", problem("insufficient_funds"), "error: could not prepare signature: because"],
    ["the network", problem("network", 0), "error: Could not pepare signature"],
    ["an answer that makes no sense", problem("unreadable", 200), "error: Could not pepare signature"],
    ["without a message", new Error(""), "error: Could not pepare signature"],
  ])("reports %s", async (_, error, text) => {
    const { notifications, notify } = listener();
    expect([await orderTransfer(failing(error), notify), notifications]).toEqual([null, [text]]);
  });
});

describe("inscribing a transfer", () => {
  it.each<[string, Partial<InscribePorts>, boolean, string]>([
    ["all goes well", {}, true, "success: The transfer note is on its way"],
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
    [
      "the node is away",
      { commit: failing(problem("node_unavailable")) },
      false,
      "error: could not broadcast signature",
    ],
  ])("is reported when %s", async (_, ports, isDone, text) => {
    const { notifications, notify } = listener();
    const steps: string[] = [];
    const full = { sign: async () => "signed", commit: async () => "tx", notify, ...ports };
    expect(await inscribeTransfer(order, (step) => steps.push(step), full)).toBe(isDone);
    expect(notifications).toEqual([text]);
    expect(steps).toEqual(ports.sign ? ["signature"] : ["signature", "sending"]);
  });
});
