import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { CounterOfferSubject, NegotiableOffer } from "@/shared/api/counter-offer";
import type { Wire } from "@/shared/api/operation";
import { negotiation, row, wireProposal, wireRow } from "@/shared/feed/feed-fixtures";
import {
  answeredTerms,
  counterOfferOf,
  differenceOf,
  draftRaw,
  newTermsDraft,
  type TermsDraft,
  termsError,
} from "./terms-draft";

const LIMITS = {
  minOfferSats: { inscription: 30_000n, rune: 50_000n, brc20: 50_000n, instantRune: 20_000n },
  negotiatedInterestMax: 10_000,
  negotiatedTermMaxDays: 365,
};

type WireTerm = Wire["Row"]["subCollections"][number];
const [TERM] = wireRow().subCollections as [WireTerm];

/** Inscriptions at a floor of 0.1 BTC. */
const FOXES = row({ unitPrice: "10000000.00000000" });
/** A rune with two decimals at 10 sats. */
const PUPS = row({
  collateralType: "rune",
  runeId: "1:1",
  runeName: "PUPS",
  runeDecimals: 2,
  unitPrice: "10.00000000",
  subCollections: [{ ...TERM, term: 14, interest: 2, manual: false }],
});

const offer = (changed: Partial<NegotiableOffer> = {}): NegotiableOffer => ({
  kind: "offer",
  offerId: "of_1",
  terms: { principalSats: 5_000_000n, interestBps: 300, termDays: 30 },
  raw: 1n,
  isOpenAmount: false,
  inscriptionId: "i0",
  taken: null,
  ...changed,
});

/** An offer of 10 sats for each of 10,000 tokens. */
const openOffer = offer({
  terms: { principalSats: 100_000n, interestBps: 200, termDays: 14 },
  raw: 1_000_000n,
  isOpenAmount: true,
  inscriptionId: null,
});

const asked: BorrowRequest = {
  requestId: "rq_1",
  groupId: "g_1",
  borrowerId: "us_2",
  inscriptionIds: ["i0"],
  fungibleAmount: null,
  principalSats: 4_000_000n,
  interestMaxPercent: 20,
  termMinDays: 7,
  termMaxDays: 45,
  goodUntil: 1,
  createdAt: 0,
  state: "open",
};

const draftOf = (
  subject: CounterOfferSubject,
  changed: Partial<TermsDraft> = {},
  of = FOXES,
): TermsDraft => ({
  ...newTermsDraft(subject, of),
  ...changed,
});

describe("a new counter-offer", () => {
  it("begins with the terms of the offer, and its inscription", () => {
    expect(draftOf(offer())).toMatchObject({
      principalText: "0.05",
      interestText: "3",
      termText: "30",
      inscriptionId: "i0",
      tokenText: "",
    });
  });

  it("begins with the amount of an offer that is open in it", () => {
    expect(draftOf(openOffer, {}, PUPS)).toMatchObject({ principalText: "0.001", tokenText: "10000" });
  });

  it("begins with the highest interest of a request, and the longest term that lenders have", () => {
    const subject = { kind: "request", asked } as const;
    expect(draftOf(subject)).toMatchObject({ principalText: "0.04", interestText: "20", termText: "30" });
    const noneFits = { ...asked, termMinDays: 31 };
    expect(draftOf({ kind: "request", asked: noneFits })).toMatchObject({ termText: "45" });
  });

  it("begins with the latest proposal", () => {
    const proposals = [
      wireProposal(),
      wireProposal({ by: "lender", interestRatePercentage: 4.25, loanTermDays: 10 }),
    ];
    const subject = { kind: "proposal", negotiation: negotiation({ proposals }) } as const;
    expect(draftOf(subject)).toMatchObject({ principalText: "0.01", interestText: "4.25", termText: "10" });
  });
});

describe("the collateral of a counter-offer", () => {
  it("is chosen against inscriptions and open amounts, and known otherwise", () => {
    expect(draftRaw(draftOf(offer({ inscriptionId: null })), offer(), FOXES)).toBeNull();
    expect(draftRaw(draftOf(openOffer, { tokenText: "12.5" }, PUPS), openOffer, PUPS)).toBe(1_250n);
    expect(draftRaw(draftOf(openOffer, { tokenText: "0" }, PUPS), openOffer, PUPS)).toBeNull();
    const bundle = offer({ raw: 700n, inscriptionId: null });
    expect(draftRaw(draftOf(bundle, {}, PUPS), bundle, PUPS)).toBe(700n);
    const tokens = { kind: "request", asked: { ...asked, fungibleAmount: 42n } } as const;
    expect(draftRaw(draftOf(tokens, {}, PUPS), tokens, PUPS)).toBe(42n);
    const forThree: BorrowRequest = { ...asked, inscriptionIds: ["i0", "i1", "i2"] };
    const several = { kind: "request", asked: forThree } as const;
    expect(draftRaw(draftOf(several), several, FOXES)).toBe(3n);
    const about = negotiation({ inscriptionIds: ["i0", "i1"] });
    const proposal = { kind: "proposal", negotiation: about } as const;
    expect(draftRaw(draftOf(proposal), proposal, FOXES)).toBe(2n);
  });

  it("is sent only where it is chosen", () => {
    const pledge = (subject: CounterOfferSubject, of = FOXES) =>
      counterOfferOf(draftOf(subject, {}, of), subject, of)?.pledge;
    expect(pledge(offer())).toEqual({ inscriptionId: "i0" });
    expect(pledge(openOffer, PUPS)).toEqual({ fungibleAmount: 1_000_000n });
    expect(pledge(offer({ raw: 700n }), PUPS)).toBeNull();
    expect(pledge({ kind: "request", asked })).toBeNull();
    expect(pledge({ kind: "proposal", negotiation: negotiation() })).toBeNull();
  });
});

describe("the difference to the other side's terms", () => {
  const differs = (subject: CounterOfferSubject, changed: Partial<TermsDraft>) =>
    differenceOf(draftOf(subject, changed), answeredTerms(subject, 1n));

  it("has a direction, and is unknown while nothing is entered", () => {
    expect(differs(offer(), {})).toEqual({ principal: 0, interest: 0, term: 0 });
    expect(differs(offer(), { principalText: "0.06", interestText: "2.99", termText: "31" })).toEqual({
      principal: 1,
      interest: -1,
      term: 1,
    });
    expect(differs(offer(), { principalText: "", interestText: "x", termText: "" })).toEqual({
      principal: null,
      interest: null,
      term: null,
    });
  });

  it("is none within the range of a request", () => {
    const request = { kind: "request", asked } as const;
    expect(differs(request, { interestText: "5", termText: "7" })).toMatchObject({ interest: 0, term: 0 });
    expect(differs(request, { interestText: "21", termText: "6" })).toMatchObject({ interest: 1, term: -1 });
    expect(differs(request, { termText: "46" })).toMatchObject({ term: 1 });
  });

  it("is measured by the pledged part of an offer that is open in its amount", () => {
    expect(answeredTerms(openOffer, 500_000n).principalSats).toBe(50_000n);
    expect(answeredTerms(openOffer, null).principalSats).toBe(100_000n);
  });
});

describe("the first reason why a counter-offer cannot be sent", () => {
  const error = (changed: Partial<TermsDraft>, subject: CounterOfferSubject = offer(), of = FOXES) =>
    termsError(draftOf(subject, changed, of), subject, of, LIMITS);
  const INTEREST = "Enter an interest of 0.01 to 100%, with at most two decimals";
  const TERM_RANGE = "Enter a term of 1 to 365 days";

  it.each([
    ["no inscription", { inscriptionId: null }, "Choose an inscription"],
    ["no principal", { principalText: "" }, "Enter the principal"],
    [
      "a principal below the smallest",
      { principalText: "0.00029" },
      "The principal must be at least 0.0003 BTC",
    ],
    [
      "an LTV of 99%",
      { principalText: "0.099" },
      "The principal must stay below 99% of the collateral's value",
    ],
    ["no interest", { interestText: "" }, INTEREST],
    ["an interest of zero", { interestText: "0" }, INTEREST],
    ["three decimals", { interestText: "1.234" }, INTEREST],
    ["an interest above the limit", { interestText: "100.01" }, INTEREST],
    ["no term", { termText: "" }, TERM_RANGE],
    ["a term of zero days", { termText: "0" }, TERM_RANGE],
    ["a part of a day", { termText: "1.5" }, TERM_RANGE],
    ["a term above the limit", { termText: "366" }, TERM_RANGE],
    ["the other side's terms", {}, "Change the principal, the interest or the term"],
  ])("is %s", (_, changed, reason) => {
    expect(error(changed)).toBe(reason);
  });

  it("is a missing price", () => {
    expect(error({}, offer(), { ...FOXES, unitPrice: null })).toBe(
      "The price of this collection is not known yet",
    );
  });

  it("is a missing amount, and a principal below the smallest manual offer against runes", () => {
    expect(error({ tokenText: "" }, openOffer, PUPS)).toBe("Enter an amount of tokens");
    expect(error({ principalText: "0.00049" }, openOffer, PUPS)).toBe(
      "The principal must be at least 0.0005 BTC",
    );
  });

  it.each([
    ["the smallest principal", { principalText: "0.0003" }],
    ["an LTV just below 99%", { principalText: "0.09899" }],
    ["the limits", { interestText: "100", termText: "365" }],
    ["the least interest and term", { interestText: "0.01", termText: "1" }],
  ])("is none at %s", (_, changed) => {
    expect(error(changed)).toBeNull();
  });

  it("is measured by several inscriptions together", () => {
    const several = (count: number) => {
      const inscriptionIds = Array.from({ length: count }, (_, index) => `i${index}`);
      return { kind: "request", asked: { ...asked, inscriptionIds } } as const;
    };
    expect(error({ principalText: "0.29" }, several(3))).toBeNull();
    expect(error({ principalText: "0.29" }, several(2))).toBe(
      "The principal must stay below 99% of the collateral's value",
    );
  });

  it("is none for a request that is answered with its own terms: it leaves a choice", () => {
    expect(error({}, { kind: "request", asked })).toBeNull();
  });

  it("is none exactly where the terms can be sent within the limits", () => {
    const texts = fc.record({
      principalText: fc.integer({ min: 0, max: 12_000 }).map((steps) => String(steps / 100_000)),
      interestText: fc.integer({ min: 0, max: 11_000 }).map((bps) => String(bps / 100)),
      termText: fc.integer({ min: 0, max: 400 }).map(String),
    });
    fc.assert(
      fc.property(texts, (entered) => {
        const sent = counterOfferOf(draftOf(offer(), entered), offer(), FOXES)?.terms;
        const isWithin =
          sent !== undefined &&
          sent.principalSats >= 30_000n &&
          sent.principalSats < 9_900_000n &&
          sent.interestBps >= 1 &&
          sent.interestBps <= 10_000 &&
          sent.termDays >= 1 &&
          sent.termDays <= 365;
        const isSame =
          entered.principalText === "0.05" && entered.interestText === "3" && entered.termText === "30";
        expect(error(entered) === null).toBe(isWithin && !isSame);
      }),
    );
  });
});
