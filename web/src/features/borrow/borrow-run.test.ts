import { describe, expect, it, vi } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled } from "@/shared/bitcoin/transaction-signer";
import { EXAMPLE_QUESTION } from "@/shared/verifier/question-example";
import { Disagreement } from "@/shared/verifier/verdict";
import { acceptAll, type BorrowPorts, prepareAll } from "./borrow-run";
import type { LoanRequest, PreparedLoan } from "./prepared-loan";

const loanRequest = (offerId: string): LoanRequest => ({
  offerId,
  inscriptionIds: [],
  tokenAmount: null,
  collateral: "1 inscription",
});
const loan = (offerId: string, transactions = 1): PreparedLoan => ({
  loanRequest: loanRequest(offerId),
  requestId: `rq_${offerId}`,
  loanId: `ln_${offerId}`,
  expiresAt: 0,
  principalSats: 1n,
  interestSats: 0n,
  payoutSats: 1n,
  termDays: 1,
  claimAfter: 0,
  cost: {
    interestSats: 0n,
    repaymentFeeEstimateSats: 0n,
    totalCostSats: 0n,
    totalPayableSats: 1n,
    apr: 0,
  },
  transactions: Array.from({ length: transactions }, () => ({ transactionBase64: offerId, sides: [] })),
  question: EXAMPLE_QUESTION,
  sums: {
    outgoingSats: 0n,
    principalSats: 1n,
    feeSats: 0n,
    escrowSats: 0n,
    restSats: 0n,
    paidSats: 0n,
    excessSats: 0n,
    incomingSats: 1n,
  },
});
const problem = (code: string) => new RequestProblem({ code, status: 409, message: `because ${code}` });

function setup(ports: Partial<BorrowPorts> = {}) {
  const notifications: string[] = [];
  const record = (kind: string) => (title: string) => void notifications.push(`${kind}: ${title}`);
  const full = {
    prepare: async ({ offerId }: LoanRequest) => loan(offerId),
    check: async () => undefined,
    sign: async () => "signed",
    submit: async ({ loanId }: PreparedLoan) => `tx of ${loanId}`,
    cancel: vi.fn(async () => undefined),
    notify: { success: record("success"), warning: record("warning"), error: record("error") },
    refreshOffers: vi.fn(),
    isStillOffered: () => false,
    ...ports,
  } satisfies BorrowPorts;
  return { ports: full, notifications };
}
const manual = { process: "manual", kind: "ordinals" } as const;
const instant = { process: "instant", kind: "ordinals" } as const;
const failing = (code: string) => async () => Promise.reject(problem(code));

describe("preparing", () => {
  it.each([
    [manual, "own_offer", "error: Failed to process borrow request"],
    [instant, "own_offer", "error: Failed to prepare offer"],
    [manual, "offer_used", "error: Offer has already been used, refreshing offers..."],
    [manual, "offer_taken", "error: Offer has already been used, refreshing offers..."],
    [instant, "under_offer", "error: Offer has already been used, refreshing offers..."],
    [instant, "unknown_offer", "error: Selected offer is no longer available"],
  ])("reports why the server refuses (%o, %s)", async (route, code, text) => {
    const { ports, notifications } = setup({ prepare: failing(code) });
    expect(await prepareAll(route, [loanRequest("a")], ports)).toEqual({ loans: [], failed: 1 });
    expect(notifications).toEqual([text]);
    expect(ports.refreshOffers).toHaveBeenCalledTimes(code === "own_offer" ? 0 : 1);
  });

  it("reports a response without a transaction", async () => {
    const { ports, notifications } = setup({
      prepare: async () => Promise.reject(new Error("No data received")),
    });
    await prepareAll(manual, [loanRequest("a")], ports);
    expect(notifications).toEqual(["error: No data received"]);
  });

  it("continues with the others", async () => {
    const { ports } = setup({
      prepare: async ({ offerId }) => (offerId === "b" ? Promise.reject(problem("x")) : loan(offerId)),
    });
    const { loans, failed } = await prepareAll(manual, ["a", "b", "c"].map(loanRequest), ports);
    expect([loans.map(({ loanRequest: { offerId } }) => offerId), failed]).toEqual([["a", "c"], 1]);
  });
});

describe("accepting", () => {
  const none = () => undefined;

  it("reports that one manual offer is accepted, and nothing for an instant one", async () => {
    const { ports, notifications } = setup();
    expect(await acceptAll(manual, [loan("a")], ports, none)).toEqual({
      accepted: ["tx of ln_a"],
      failed: 0,
      isCancelled: false,
    });
    await acceptAll(instant, [loan("a")], ports, none);
    expect(notifications).toEqual(["success: Offer accepted"]);
  });

  it("asks the wallet for nothing and cancels a loan that is not as agreed", async () => {
    const sign = vi.fn(async () => "signed");
    const check = async () => Promise.reject(new Disagreement("output 1 pays another address"));
    const { ports, notifications } = setup({ sign, check });
    expect(await acceptAll(manual, [loan("a")], ports, none)).toMatchObject({ accepted: [], failed: 1 });
    expect(sign).not.toHaveBeenCalled();
    expect(ports.cancel).toHaveBeenCalledWith("ln_a");
    expect(notifications).toEqual(["error: Failed to sign transaction"]);
  });

  it("counts through a bundle, and skips failures", async () => {
    const { ports, notifications } = setup({
      submit: async ({ loanId }) => (loanId === "ln_b" ? Promise.reject(problem("coin_changed")) : "tx"),
    });
    const result = await acceptAll(manual, [loan("a"), loan("b"), loan("c")], ports, none);
    expect(result).toMatchObject({ accepted: ["tx", "tx"], failed: 1 });
    expect(notifications).toEqual([
      "success: Offer 1/3 accepted",
      "error: Error submitting signature for offer 2",
      "success: Offer 3/3 accepted",
    ]);
  });

  it("reports when none of a bundle was accepted", async () => {
    const { ports, notifications } = setup({ submit: failing("coin_changed") });
    await acceptAll(manual, [loan("a"), loan("b")], ports, none);
    expect(notifications.at(-1)).toBe("error: Error accepting offers");
  });

  it.each([
    [manual, "coin_changed", "error: Error accepting this offer"],
    [instant, "coin_changed", "error: Failed to accept offer"],
    [instant, "offer_used", "error: Offer has already been used, refreshing offers..."],
  ])("reports why a single one failed (%o, %s)", async (route, code, text) => {
    const { ports, notifications } = setup({ submit: failing(code) });
    expect(await acceptAll(route, [loan("a")], ports, none)).toMatchObject({ accepted: [], failed: 1 });
    expect(notifications).toEqual([text]);
  });

  it("of an offer whose principal followed the floor cancels the loan, so that it is prepared anew", async () => {
    const ports = { submit: failing("offer_used"), isStillOffered: (offerId: string) => offerId === "a" };
    const { ports: full, notifications } = setup(ports);
    expect(await acceptAll(manual, [loan("a")], full, none)).toMatchObject({ accepted: [], failed: 1 });
    expect(notifications).toEqual(["warning: The principal has changed"]);
    expect(full.cancel).toHaveBeenCalledExactlyOnceWith("ln_a");
    expect(full.refreshOffers).not.toHaveBeenCalled();
  });

  it("stops when the user cancels in the wallet, and releases the rest", async () => {
    let signatures = 0;
    const sign = async () => {
      signatures += 1;
      if (signatures > 1) throw new TransactionCancelled();
      return "signed";
    };
    const cancel = vi.fn(async (_: string) => undefined);
    const { ports, notifications } = setup({ sign, cancel });
    const result = await acceptAll(manual, [loan("a"), loan("b"), loan("c")], ports, none);
    expect(result).toEqual({ accepted: ["tx of ln_a"], failed: 0, isCancelled: true });
    expect(notifications.at(-1)).toBe("warning: Wallet cancelled request");
    expect(cancel.mock.calls).toEqual([["ln_b"], ["ln_c"]]);
  });

  it("releases a loan that could not be signed, although the server cannot be reached", async () => {
    const { ports, notifications } = setup({
      sign: async () => Promise.reject(new Error("Failed to sign transaction")),
      cancel: vi.fn(async () => Promise.reject(new Error("offline"))),
    });
    expect(await acceptAll(instant, [loan("a")], ports, none)).toMatchObject({ failed: 1 });
    expect(notifications).toEqual(["error: Failed to sign transaction"]);
    expect(ports.cancel).toHaveBeenCalledWith("ln_a");
  });

  it("also signs the transaction that reveals a transfer inscription, in order", async () => {
    const submit = vi.fn(async (_: PreparedLoan, __: readonly string[]) => "tx");
    const { ports } = setup({ submit });
    await acceptAll(manual, [loan("a", 2)], ports, none);
    expect(submit.mock.calls[0]?.[1]).toEqual(["signed", "signed"]);
  });

  it("reports which signature of a loan is requested", async () => {
    const steps: string[] = [];
    const { ports } = setup();
    await acceptAll(manual, [loan("a", 2)], ports, (step, { signature, signatures }) =>
      steps.push(`${step} ${signature} of ${signatures}`),
    );
    expect(steps).toEqual(["signature 1 of 2", "signature 2 of 2", "sending 2 of 2"]);
  });

  it("reports each step with its position", async () => {
    const steps: string[] = [];
    const { ports } = setup();
    await acceptAll(manual, [loan("a"), loan("b")], ports, (step, { position, of }) =>
      steps.push(`${step} ${position}/${of}`),
    );
    expect(steps).toEqual(["signature 1/2", "sending 1/2", "signature 2/2", "sending 2/2"]);
  });

  it.each(["offer_taken", "offer_used", "unknown_offer", "unknown_reservation"])(
    "that the server reports as gone is not cancelled again (%s)",
    async (code) => {
      const { ports } = setup({ submit: failing(code) });
      await acceptAll(instant, [loan("a")], ports, none);
      expect(ports.cancel).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["cancelled when the server refuses it", 422, 1],
    ["kept when the result at the server is unknown", 503, 0],
    ["kept when no answer came", 0, 0],
  ])("of which one cannot be submitted is %s", async (_, status, cancellations) => {
    const error = new RequestProblem({ code: "x", status, message: "because" });
    const { ports } = setup({ submit: async () => Promise.reject(error) });
    await acceptAll(instant, [loan("a")], ports, () => undefined);
    expect(ports.cancel).toHaveBeenCalledTimes(cancellations);
  });
});
