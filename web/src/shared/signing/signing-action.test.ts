import { afterEach, describe, expect, it, vi } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { setTransactionSigner, TransactionCancelled } from "@/shared/bitcoin/transaction-signer";
import type { Question } from "@/shared/verifier/question";
import { EXAMPLE_QUESTION } from "@/shared/verifier/question-example";
import { Disagreement } from "@/shared/verifier/verdict";
import {
  type ActionState,
  isBusy,
  type PreparedAction,
  prepareAction,
  releaseOf,
  signAndSend,
} from "./signing-action";

afterEach(() => setTransactionSigner(null));

const facts = { outgoing: [], incoming: [], fees: [], deadline: "", atDefault: "", exit: "" };
vi.mock("@/shared/verifier/check-transactions", () => ({
  requireAgreement: async ({ transactions }: Question) => {
    if (transactions.some(({ transactionBase64 }) => transactionBase64 === "false"))
      throw new Disagreement("output 1 pays another address");
  },
}));

const toSign = (transactionBase64: string) => ({ transactionBase64, sides: [] });

function action(submit: PreparedAction["submit"], names = ["one"]): PreparedAction {
  return { transactions: names.map(toSign), facts, question: EXAMPLE_QUESTION, label: "Repay", submit };
}

function recorder() {
  const states: ActionState[] = [];
  return { states, onState: (state: ActionState) => void states.push(state) };
}

const steps = (states: ActionState[]) =>
  states.map((state) => ("index" in state ? `${state.step} ${state.index}` : state.step));

describe("the signing of an action", () => {
  it("signs every transaction in order, then submits all of them", async () => {
    setTransactionSigner(async ({ transactionBase64 }) => `${transactionBase64} signed`);
    const { states, onState } = recorder();
    let signatures: string[] = [];
    await signAndSend(
      action(
        async (signed) => {
          signatures = signed;
          return "txid";
        },
        ["loan", "payout"],
      ),
      null,
      onState,
    );
    expect(steps(states)).toEqual(["signing 0", "signing 1", "sending", "sent"]);
    expect(signatures).toEqual(["loan signed", "payout signed"]);
    expect(states.at(-1)).toEqual({ step: "sent", transactionId: "txid" });
  });

  it("asks the wallet for none of the transactions when one is not as agreed", async () => {
    let requests = 0;
    setTransactionSigner(async () => `signature ${++requests}`);
    const { states, onState } = recorder();
    await signAndSend(
      action(async () => expect.fail("nothing is sent"), ["one", "false"]),
      null,
      onState,
    );
    expect(requests).toBe(0);
    expect(states.at(-1)).toMatchObject({
      step: "ready",
      signed: null,
      error: "Your wallet was not asked: output 1 pays another address",
    });
  });

  it("is ready again when the user cancels, and nothing was sent", async () => {
    setTransactionSigner(async () => {
      throw new TransactionCancelled();
    });
    const { states, onState } = recorder();
    await signAndSend(
      action(async () => expect.fail("nothing is sent")),
      null,
      onState,
    );
    expect(states.at(-1)).toMatchObject({ step: "ready", signed: null, error: "Wallet cancelled request" });
  });

  it("keeps the signatures when no response came, and sends them again without asking the wallet", async () => {
    let requests = 0;
    setTransactionSigner(async () => `signature ${++requests}`);
    const { states, onState } = recorder();
    const lost = new RequestProblem({
      code: "network",
      status: 0,
      message: "The server could not be reached",
    });
    await signAndSend(
      action(() => Promise.reject(lost)),
      null,
      onState,
    );
    const ready = states.at(-1);
    expect(ready).toMatchObject({ step: "ready", signed: ["signature 1"] });
    expect(ready).toHaveProperty("error", expect.stringContaining("Your signature is kept"));
    const again = recorder();
    await signAndSend(
      action(async ([signature]) => `txid of ${signature}`),
      ["signature 1"],
      again.onState,
    );
    expect(steps(again.states)).toEqual(["sending", "sent"]);
    expect(requests).toBe(1);
  });

  it("drops signatures that the server refused", async () => {
    setTransactionSigner(async () => "signature");
    const { states, onState } = recorder();
    const refused = new RequestProblem({ code: "coin_changed", status: 409, message: "A coin was spent" });
    await signAndSend(
      action(() => Promise.reject(refused)),
      null,
      onState,
    );
    expect(states.at(-1)).toMatchObject({ step: "ready", signed: null, error: "A coin was spent" });
  });

  it("keeps the hold until a signature may have been submitted", () => {
    const release = async () => undefined;
    const prepared = { ...action(async () => "txid"), release };
    const ready = { step: "ready", prepared, error: null } as const;
    expect(releaseOf({ ...ready, signed: null })).toBe(release);
    expect(releaseOf({ step: "signing", prepared, index: 0 })).toBe(release);
    expect(releaseOf({ step: "sending", prepared })).toBeNull();
    expect(releaseOf({ ...ready, signed: ["kept for another try"] })).toBeNull();
    expect(releaseOf({ ...ready, prepared: action(async () => "txid"), signed: null })).toBeNull();
    expect(releaseOf({ step: "deciding", error: null })).toBeNull();
  });

  it.each(["offer_taken", "unknown_offer", "unknown_loan", "offer_paused"])(
    "reports that the offer is gone, before the signature and after it (%s)",
    async (code) => {
      setTransactionSigner(async () => "signature");
      const refuse = () => Promise.reject(new RequestProblem({ code, status: 409, message: "gone" }));
      const { states, onState } = recorder();
      await prepareAction(refuse, onState);
      expect(states.at(-1)).toMatchObject({ step: "deciding", isOfferGone: true });
      await signAndSend(action(refuse), null, onState);
      expect(states.at(-1)).toMatchObject({ step: "ready", signed: null, isOfferGone: true });
    },
  );

  it("reports why it could not be prepared", async () => {
    const { states, onState } = recorder();
    await prepareAction(() => Promise.reject(new Error("Not enough coins")), onState);
    expect(states).toEqual([{ step: "preparing" }, { step: "deciding", error: "Not enough coins" }]);
    expect(states.map(isBusy)).toEqual([true, false]);
  });
});
