import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CONDITIONS } from "@/shared/api/conditions-example";
import {
  editInstantDraft,
  type InstantAction,
  type InstantDraft,
  type InstantTarget,
  isOverspent,
  lentSoFarText,
  newInstantDraft,
  reducer,
} from "./instant-draft";
import { getErrors, isComplete } from "./instant-errors";
import { offerRequestOf } from "./instant-submission";
import type { LendAction } from "./lend-draft";
import { INSCRIPTION, PEGGED } from "./lend-fixtures";

const ORDINAL: InstantTarget = {
  ...INSCRIPTION,
  isRune: false,
  maxLtvOffset: 10,
  minLtvGap: 4,
  bestQuote: null,
};
/** A rune with two decimals at 10 sats a token: a thousand tokens are worth 10,000 sats. */
const RUNE: InstantTarget = {
  ...ORDINAL,
  price: 10n * 100_000_000n,
  raw: 0n,
  decimals: 2,
  minOfferSats: 20_000n,
  isRune: true,
};

const offer = (action: Extract<InstantAction, { type: "offer" }>["action"]): InstantAction => ({
  type: "offer",
  action,
});
const typed = (text: string) => offer({ type: "amountTyped", text });
const maxLtv = (text: string): InstantAction => ({ type: "maxLtvTyped", text });
const tokens = (text: string): InstantAction => ({ type: "tokensTyped", text });

function drafted(target: InstantTarget, ...actions: InstantAction[]): InstantDraft {
  return actions.reduce(reducer, newInstantDraft(target));
}
const texts = (draft: InstantDraft, usable: bigint | null = null) =>
  getErrors(draft, usable).map(({ text }) => text);

describe("the max LTV", () => {
  it.each([
    ["is the LTV plus ten at first", [], "60"],
    ["follows the LTV", [typed("0.07")], "80"],
    ["is the ceiling at most", [typed("0.095")], "98"],
    ["stays once it was chosen", [maxLtv("70"), typed("0.03")], "70"],
    ["does not take letters", [maxLtv("7x")], "60"],
    ["does not take a minus", [maxLtv("-7")], "60"],
    ["rounds what was pasted", [maxLtv("71.6")], "72"],
    ["may be a little above the ceiling while it is typed", [maxLtv("100")], "100"],
    ["is capped at the ceiling when it is left", [maxLtv("100"), { type: "maxLtvLeft" }], "98"],
    ["is capped as it is typed above 100", [maxLtv("101")], "98"],
    ["is capped as it is pasted above 100", [maxLtv("100.6")], "98"],
    ["may be emptied", [maxLtv(""), { type: "maxLtvLeft" }], ""],
  ] satisfies Array<[string, InstantAction[], string]>)("%s", (_, actions, expected) => {
    expect(drafted(ORDINAL, ...actions).maxLtvText).toBe(expected);
  });
});

describe("the errors of an ordinal offer", () => {
  it.each([
    ["nothing wrong", [], 10_000_000n, []],
    ["an empty amount", [typed("")], 0n, []],
    ["an amount below the minimum", [typed("0.00029")], null, ["Below min offer of ₿0.0003"]],
    ["more than the vault holds", [], 4_999_999n, ["Insufficient vault balance"]],
    ["exactly what the vault holds", [], 5_000_000n, []],
    [
      "an amount above the ceiling",
      [maxLtv("98"), typed("0.0995")],
      null,
      ["Offer cannot be above 98% LTV", "Below current LTV of 99.5%"],
    ],
    ["an empty max LTV", [maxLtv("")], null, ["Enter a valid max LTV value"]],
    ["a max LTV of zero", [maxLtv("0")], null, ["Enter a valid max LTV value"]],
    ["a max LTV above the ceiling", [maxLtv("99")], null, ["Offer cannot be above 98% LTV"]],
    ["a max LTV below the LTV", [maxLtv("49")], null, ["Below current LTV of 50%"]],
    [
      "a max LTV below an uneven LTV",
      [typed("0.05123"), maxLtv("51")],
      null,
      ["Below current LTV of 51.23%"],
    ],
    ["a max LTV at the LTV", [maxLtv("50")], null, []],
  ] satisfies Array<[string, InstantAction[], bigint | null, string[]]>)(
    "of %s",
    (_, actions, usable, expected) => {
      expect(texts(drafted(ORDINAL, ...actions), usable)).toEqual(expected);
    },
  );
});

describe("an instant offer that follows the floor", () => {
  const pegged = PEGGED.map(offer);

  it("is asked for by its bounds, with the share in place of the max LTV", () => {
    expect(offerRequestOf(drafted(ORDINAL, ...pegged), null)).toMatchObject({
      kind: "inscription",
      principalSats: 9_000_000n,
      principalMinSats: 3_000_000n,
      fungibleAmount: null,
      ltvMax: 5_950,
    });
    const fixed = drafted(ORDINAL, ...pegged, offer({ type: "pegSet", isPegged: false }));
    expect(offerRequestOf(fixed, null)).toMatchObject({ principalSats: 5_940_000n, principalMinSats: null });
  });

  it.each([
    ["a vault that covers the principal now, not the largest", [], 5_940_000n, []],
    ["a vault that does not", [], 5_939_999n, ["Insufficient vault balance"]],
    ["no max LTV", [maxLtv("")], null, []],
    [
      "a least principal above the share",
      [offer({ type: "pegTyped", field: "leastText", text: "0.06" })],
      null,
      ["₿0.06 is at 60% LTV now, above 59.5%"],
    ],
  ] satisfies Array<[string, InstantAction[], bigint | null, string[]]>)(
    "with %s",
    (_, actions, usable, expected) => {
      expect(texts(drafted(ORDINAL, ...pegged, ...actions), usable)).toEqual(expected);
    },
  );

  it("edited starts from its bounds, and leaves a distance to the max LTV once it is fixed", () => {
    const peg = {
      ltv: 59.5,
      minSats: 3_000_000n,
      maxSats: 9_000_000n,
      stepSats: 60_000n,
      fallsBelow: null,
      risesAt: null,
    };
    const edited = editInstantDraft(ORDINAL, {
      usedPrincipal: 0n,
      availablePrincipal: 5_940_000n,
      availableCollateral: 1n,
      maxLtv: 59.5,
      peg,
      acceptsNextTerm: true,
    });
    expect(edited.offer.peg).toEqual({ shareText: "59.5", leastText: "0.03", mostText: "0.09" });
    expect(reducer(edited, offer({ type: "pegSet", isPegged: false })).maxLtvText).toBe("69");
  });

  it("stays one when another term is chosen", () => {
    const other = { ...ORDINAL, subCollectionId: "1" };
    const draft = drafted(ORDINAL, ...pegged, { type: "targetChosen", target: other });
    expect(draft.offer.peg).toEqual({ shareText: "50", leastText: "0.025", mostText: "0.075" });
  });
});

describe("a rune offer", () => {
  it("starts from tokens worth about 0.02 BTC, at half of that", () => {
    const draft = drafted(RUNE);
    expect([draft.tokensText, draft.offer.amountText, draft.maxLtvText]).toEqual(["200000", "0.01", "60"]);
  });

  it("starts from the best offer where there is one", () => {
    const draft = drafted({ ...RUNE, bestQuote: { raw: 50_000_000n, principalSats: 3_000_000n } });
    expect([draft.tokensText, draft.offer.amountText]).toEqual(["500000", "0.03"]);
  });

  it.each([
    ["half of 500,000 tokens", [tokens("500000"), typed("0.025")], null, []],
    [
      "more than the max LTV",
      [tokens("500000"), maxLtv("60"), typed("0.0301")],
      null,
      ["LTV larger than 60%"],
    ],
    ["more than the ceiling", [tokens("500000"), typed("0.0495")], null, ["LTV larger than 98%"]],
    [
      "less than four percent below the max LTV",
      [tokens("500000"), maxLtv("60"), typed("0.0285")],
      null,
      ["Max LTV must be at least 61%"],
    ],
    ["four percent below the max LTV", [tokens("500000"), maxLtv("60"), typed("0.028")], null, []],
    ["the ceiling as max LTV, whatever the gap", [tokens("500000"), maxLtv("98"), typed("0.0485")], null, []],
    ["too little", [tokens("500000"), typed("0.00019")], null, ["Below min offer of ₿0.0002"]],
    [
      "more than the vault holds",
      [tokens("500000"), typed("0.025")],
      2_499_999n,
      ["Insufficient vault balance"],
    ],
  ] satisfies Array<[string, InstantAction[], bigint | null, string[]]>)(
    "of %s",
    (_, actions, usable, expected) => {
      expect(texts(drafted(RUNE, ...actions), usable)).toEqual(expected);
    },
  );

  it("lends at most the max LTV of fewer tokens, and the previous principal when they are more again", () => {
    const wanted = [tokens("500000"), maxLtv("60"), typed("0.03")];
    const amounts = ["", "2", "250000", "600000"].map(
      (text) => drafted(RUNE, ...wanted, tokens("9"), tokens(text)).offer.amountText,
    );
    expect(amounts).toEqual(["0.03", "", "0.015", "0.03"]);
  });

  it("keeps a typed principal regardless of later token changes", () => {
    const draft = drafted(RUNE, tokens("20000"), typed("0.0002"), typed("0.005"));
    expect(draft.offer.amountText).toBe("0.005");
    const moved = reducer(draft, { type: "marketMoved", target: { ...RUNE, price: 1n } });
    expect(moved.offer.amountText).toBe("0.005");
    expect(reducer(draft, offer({ type: "amountLeft" })).offer.amountText).toBe("0.005");
    expect(reducer(draft, tokens("30000")).offer.amountText).toBe("0.00294");
  });

  it("takes tokens with as many decimals as the rune has", () => {
    expect(drafted(RUNE, tokens("12.345")).tokensText).toBe("12.34");
    expect(drafted({ ...RUNE, decimals: 0 }, tokens("12.3")).tokensText).toBe("12");
    expect(drafted(RUNE, tokens("12"), tokens("many")).tokensText).toBe("12");
  });

  it("without tokens shows no error", () => {
    expect(isComplete(drafted(RUNE, tokens("")))).toBe(false);
    expect(offerRequestOf(drafted(RUNE, tokens("")), null)).toBeNull();
  });

  it("keeps its own amount when the price moves", () => {
    const draft = drafted(RUNE, tokens("500000"), typed("0.025"));
    const moved = reducer(draft, { type: "marketMoved", target: { ...RUNE, price: 8n * 100_000_000n } });
    expect([moved.tokensText, moved.offer.amountText, moved.offer.ltvPercent]).toEqual([
      "500000",
      "0.025",
      63,
    ]);
    expect(moved.maxLtvText).toBe("73");
  });

  const whole = {
    usedPrincipal: 0n,
    availablePrincipal: 1_234_567n,
    availableCollateral: 50_000_000n,
    maxLtv: 75,
    peg: null,
    acceptsNextTerm: false,
  };

  it("edited starts from the existing offer", () => {
    const draft = editInstantDraft(RUNE, whole);
    expect(draft.offer.amountText).toBe("0.01234567");
    expect([draft.tokensText, draft.maxLtvText, draft.acceptNextTerm]).toEqual(["500000", "75", false]);
    expect(lentSoFarText(whole)).toBeNull();
  });

  const partlyTaken = {
    ...whole,
    usedPrincipal: 2_050_000n,
    availablePrincipal: 450_000n,
    availableCollateral: 2_700_000n,
  };

  it("edited after a part was taken offers at most the remainder", () => {
    const draft = editInstantDraft(RUNE, partlyTaken);
    expect([draft.tokensText, draft.offer.amountText]).toEqual(["27000", "0.0045"]);
    const kept = {
      offerId: "of_1",
      conditions: null,
      goodUntil: null,
      isTimeSigned: false,
      isExpired: false,
    };
    expect(offerRequestOf(draft, kept)).toMatchObject({
      replaces: "of_1",
      principalSats: 450_000n,
      fungibleAmount: 2_700_000n,
    });
    expect(lentSoFarText(partlyTaken)).toBe(
      "0.0205 BTC of this offer is lent already and is not affected. What you enter replaces the remaining 0.0045 BTC.",
    );
  });

  it("edited keeps its borrower and, unless it has expired, its time in what is signed", () => {
    const goodUntil = 1_800_000_000_000;
    const conditions = { ...NO_CONDITIONS, borrowerAddress: "bcrt1q" };
    const draft = editInstantDraft(RUNE, partlyTaken);
    const named = { offerId: "of_1", conditions, goodUntil, isTimeSigned: true, isExpired: false };
    expect(offerRequestOf(draft, named)).toMatchObject({ borrower: "bcrt1q", goodUntilMs: goodUntil });
    expect(offerRequestOf(draft, { ...named, isExpired: true })).toMatchObject({ goodUntilMs: null });
    expect(offerRequestOf(draft, { ...named, isTimeSigned: false })).toMatchObject({ goodUntilMs: null });
    expect(offerRequestOf(draft, null)).toMatchObject({ borrower: null, goodUntilMs: null });
  });

  it("edited while more of it is taken is out of date", () => {
    const now = { ...partlyTaken, usedPrincipal: 2_100_000n, availablePrincipal: 400_000n };
    expect([isOverspent(partlyTaken, now), isOverspent(partlyTaken, partlyTaken)]).toEqual([true, false]);
    expect(isOverspent(partlyTaken, undefined)).toBe(false);
    expect(lentSoFarText(partlyTaken, now)).toContain("was taken while you edited it");
  });

  it("edited is checked against the vault with the newly offered sum only", () => {
    const draft = editInstantDraft({ ...RUNE, price: 100n * 100_000_000n }, partlyTaken);
    expect(texts(draft, 450_000n)).toEqual([]);
    expect(texts(draft, 449_999n)).toEqual(["Insufficient vault balance"]);
  });
});

describe("any actions on an instant draft", () => {
  const amounts = fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String));
  const lendActions: fc.Arbitrary<Exclude<LendAction, { type: "targetChosen" | "marketMoved" }>> = fc.oneof(
    amounts.map((text) => ({ type: "amountTyped", text }) as const),
    fc.double().map((steps) => ({ type: "amountStepped", steps }) as const),
    fc.constant({ type: "amountLeft" } as const),
    fc.double().map((percent) => ({ type: "ltvSet", percent }) as const),
    fc.double().map((count) => ({ type: "countSet", count }) as const),
  );
  const targets: fc.Arbitrary<InstantTarget> = fc.record({
    subCollectionId: fc.constantFrom("0", "1"),
    collectionSlug: fc.constant("slug"),
    price: fc.option(fc.bigInt(1n, 5n * 10n ** 18n)),
    raw: fc.constant(1n),
    decimals: fc.integer({ min: 0, max: 8 }),
    interestBps: fc.integer({ min: 0, max: 10_000 }),
    termDays: fc.integer({ min: 1, max: 365 }),
    platformFee: fc.option(fc.record({ percent: fc.constant(20), minSats: fc.constantFrom(294n, 330n) })),
    bestOfferSats: fc.option(fc.bigInt(0n, 2_000_000_000n)),
    minOfferSats: fc.bigInt(1n, 100_000n),
    maxOfferSats: fc.constant(2_000_000_000n),
    countMax: fc.constant(5),
    isRune: fc.boolean(),
    maxLtvOffset: fc.constant(10),
    minLtvGap: fc.constant(4),
    bestQuote: fc.option(
      fc.record({ raw: fc.bigInt(1n, 10n ** 20n), principalSats: fc.bigInt(1n, 2_000_000_000n) }),
    ),
  });
  const actions: fc.Arbitrary<InstantAction> = fc.oneof(
    lendActions.map(offer),
    amounts.map(tokens),
    fc.oneof(amounts, fc.integer({ min: 0, max: 130 }).map(String)).map(maxLtv),
    fc.constant<InstantAction>({ type: "maxLtvLeft" }),
    fc.boolean().map((accepted): InstantAction => ({ type: "acceptNextTermSet", accepted })),
  );

  it("lead to an offer that the server accepts, unless there is an error", () => {
    fc.assert(
      fc.property(targets, fc.array(actions, { maxLength: 30 }), (target, steps) => {
        const draft = drafted(target, ...steps);
        expect(draft.maxLtvText).toMatch(/^\d{0,3}$/);
        const offerRequest = offerRequestOf(draft, null);
        if (!offerRequest || getErrors(draft, null).length > 0) return;
        expect(offerRequest.principalSats).toBeGreaterThanOrEqual(target.minOfferSats);
        expect(offerRequest.principalSats).toBeLessThanOrEqual(2_000_000_000n);
        expect(offerRequest.ltvMax).toBeGreaterThanOrEqual(100);
        expect(offerRequest.ltvMax).toBeLessThanOrEqual(9_800);
        expect(offerRequest.fungibleAmount === null).toBe(!target.isRune);
        if (offerRequest.fungibleAmount !== null) {
          expect(offerRequest.fungibleAmount).toBeGreaterThan(0n);
          expect(offerRequest.fungibleAmount).toBeLessThan(1n << 127n);
        }
      }),
    );
  });
});
