import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Loan } from "@/shared/api/loan";
import type { Wire } from "@/shared/api/operation";
import { negotiation, wireProposal } from "@/shared/feed/feed-fixtures";
import { answeredBy } from "./answered-by";
import {
  canCounter,
  inOrder,
  isOpen,
  isToSign,
  isUsersTurn,
  replacedText,
  type Signable,
  signedLoan,
  stateText,
  waitingCount,
} from "./negotiation-view";

const GOOD_UNTIL = 1_700_000_600_000;
const NOW = GOOD_UNTIL - 1;
const NONE: Signable = { offersForMe: new Map(), loans: new Map() };
const AGREED: Signable = { ...NONE, offersForMe: new Map([["of_7", {}]]) };

type Overrides = Partial<Wire["NegotiationView"]>;
const fromLender = { proposals: [wireProposal({ by: "lender" })] } satisfies Overrides;
const turn = (overrides: Overrides = {}) => negotiation({ isYourTurn: true, ...fromLender, ...overrides });
const accepted = (overrides: Overrides = {}) =>
  negotiation({ state: "accepted", agreedOfferId: "of_7", ...overrides });

describe("a negotiation", () => {
  it("is the user's turn until the proposal expires", () => {
    expect(isUsersTurn(turn(), NOW)).toBe(true);
    expect(isUsersTurn(turn(), GOOD_UNTIL)).toBe(false);
    expect(isUsersTurn(negotiation(), NOW)).toBe(false);
    expect(isOpen(negotiation({ state: "declined" }), NOW)).toBe(false);
  });

  it("is to be signed by its borrower, as long as the agreed offer can be taken", () => {
    expect(isToSign(accepted(), AGREED)).toBe(true);
    expect(isToSign(accepted(), NONE)).toBe(false);
    expect(isToSign(accepted({ role: "lender" }), AGREED)).toBe(false);
    expect(isToSign(negotiation(), AGREED)).toBe(false);
  });

  it("about a running loan is to be signed until its extension is, or the loan ends", () => {
    const agreed = accepted({ offerId: null, loanId: "ln_1", agreedOfferId: null });
    const extension = {
      loanId: "ln_2",
      term: 21,
      interest: 2.5,
      stage: "awaiting_lender",
      offerId: "of_1",
      follows: "ln_1",
      extendedUntil: 9,
    };
    const running = (stage: string, also: object[] = []): Signable => {
      const loan = { loanId: "ln_1", stage, offerId: "of_1", follows: null, extendedUntil: null };
      return {
        ...NONE,
        loans: new Map([loan, ...also].map((each, index) => [`ln_${index + 1}`, each as Loan])),
      };
    };
    expect(isToSign(agreed, running("active"))).toBe(true);
    expect(isToSign(agreed, running("expired"))).toBe(true);
    expect(isToSign(agreed, running("repaying"))).toBe(false);
    expect(isToSign(agreed, NONE)).toBe(false);
    expect(isToSign(agreed, running("active", [extension]))).toBe(false);
    expect(isToSign(agreed, running("active", [{ ...extension, stage: "prepared" }]))).toBe(true);
    expect(signedLoan(agreed, running("active", [extension]).loans.values())?.loanId).toBe("ln_2");
    // An extension on other terms is not the agreed one, and one that failed never began.
    expect(isToSign(agreed, running("active", [{ ...extension, interest: 3 }]))).toBe(true);
    expect(isToSign(agreed, running("active", [{ ...extension, stage: "failed" }]))).toBe(true);
    // A refinance follows the loan as well.
    expect(isToSign(agreed, running("active", [{ ...extension, extendedUntil: null }]))).toBe(true);
  });

  it("has no further proposal after its last round", () => {
    const rounds = (count: number) => negotiation({ proposals: Array(count).fill(wireProposal()) });
    expect(canCounter(rounds(9))).toBe(true);
    expect(canCounter(rounds(10))).toBe(false);
  });

  it.each<[Overrides, string]>([
    [{}, "Waiting for the lender"],
    [{ role: "lender", ...fromLender }, "Waiting for the borrower"],
    [{ isYourTurn: true, ...fromLender }, "Your turn"],
    [{ proposals: [wireProposal({ goodUntil: NOW })] }, "Expired"],
    [{ state: "accepted" }, "Accepted"],
    [{ state: "declined" }, "Declined by the lender"],
    [{ state: "declined", ...fromLender }, "You declined"],
    [{ state: "withdrawn" }, "You withdrew"],
    [{ state: "withdrawn", ...fromLender }, "Withdrawn by the lender"],
    [{ state: "closed" }, "Closed"],
  ])("in the state %j is labelled %j", (overrides, label) => {
    expect(stateText(negotiation(overrides), NOW).label).toBe(label);
  });
});

describe("negotiations", () => {
  it("that wait for the user come first, then open ones, then the others, each latest first", () => {
    const ids = inOrder(
      [
        negotiation({ negotiationId: "over", state: "declined", changedAt: 9 }),
        negotiation({ negotiationId: "waiting", changedAt: 8 }),
        turn({ negotiationId: "turn", changedAt: 1 }),
        accepted({ negotiationId: "sign", changedAt: 2 }),
        accepted({ negotiationId: "signed", changedAt: 7, agreedOfferId: "of_8" }),
      ],
      AGREED,
      NOW,
    ).map(({ negotiationId }) => negotiationId);
    expect(ids).toEqual(["sign", "turn", "waiting", "over", "signed"]);
  });

  it("are counted where they wait for the user", () => {
    expect(waitingCount([turn(), accepted(), negotiation()], AGREED, NOW)).toBe(2);
    expect(waitingCount([turn(), accepted()], NONE, GOOD_UNTIL)).toBe(0);
  });

  it("have one order, whatever the order of arrival", () => {
    const any = fc.record({
      state: fc.constantFrom("open" as const, "accepted" as const, "declined" as const),
      isYourTurn: fc.boolean(),
      changedAt: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (list) => {
        const all = list.map((each, index) => negotiation({ ...each, negotiationId: `ng_${index}` }));
        expect(inOrder(all.toReversed(), NONE, NOW)).toEqual(inOrder(all, NONE, NOW));
      }),
    );
  });
});

describe("a proposal that the user has seen", () => {
  const seen = turn();
  const live = (overrides: Overrides) => new Map([["ng_1", turn(overrides)]]);

  it("can be answered until it is replaced or over", () => {
    expect(replacedText(seen, live({}), NOW)).toBeNull();
    expect(replacedText(seen, undefined, NOW)).toBeNull();
    const newer = live({ proposals: [...(fromLender.proposals ?? []), wireProposal()] });
    expect(replacedText(seen, newer, NOW)).toBe("There is a newer proposal");
    expect(replacedText(seen, live({ state: "withdrawn" }), NOW)).toBe("The negotiation is over");
    expect(replacedText(seen, live({}), GOOD_UNTIL)).toBe("The negotiation is over");
    expect(replacedText(seen, new Map(), NOW)).toBe("The negotiation is over");
  });

  it("is compared with the one before it, or with the user's own offer", () => {
    const own = { principal: 5n, interest: 3, term: 30, bundleSize: null } as const;
    const offers = (collateralType: "inscription" | "rune") => ({
      offers: new Map([["of_10000000001", { ...own, collateralType }]]),
      loans: new Map(),
    });
    expect(answeredBy(seen, offers("inscription"))).toEqual({
      principalSats: 5n,
      interestBps: 300,
      termDays: 30,
    });
    expect(answeredBy(seen, offers("rune"))).toBeNull();
    expect(answeredBy(seen, { offers: new Map(), loans: new Map() })).toBeNull();
    const second = turn({ proposals: [wireProposal({ loanTermDays: 9 }), wireProposal({ by: "lender" })] });
    expect(answeredBy(second, offers("inscription"))?.termDays).toBe(9);
  });
});
