import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CONDITIONS } from "@/shared/api/conditions-example";
import type { Wire } from "@/shared/api/operation";
import { FOR_USER, offer, row } from "./feed-fixtures";
import { ANY_BORROWER, type Borrower, bestOfferFor, rowFor } from "./taker";

const USER = "us_1";
const sub = (id: string, bundleSize: string | null) => ({
  id,
  slug: id,
  term: 7 + Number(id),
  interest: 1,
  apy: 60,
  bundleSize,
  manual: true,
  instant: true,
  collectionTypes: [],
  newTermChangeRequest: null,
});
/** A bundle of one, of five, and one whose lenders choose the amount. */
const TOKENS = row({
  collateralType: "rune",
  runeDecimals: 0,
  unitPrice: "1000.00000000",
  subCollections: [sub("0", "1"), sub("1", "5"), sub("2", null)],
});
const BUNDLES: Record<string, number | null> = { "0": 1, "1": 5, "2": null };

interface Sketch {
  lender: string;
  sub: string;
  principal: number;
  raw: number;
  isNamed: boolean;
  /** Whether the user meets its condition; null without one. */
  isMet?: boolean | null;
  isReserved: boolean;
  isAgreed: boolean;
}

const sketch: fc.Arbitrary<Sketch> = fc.record({
  lender: fc.constantFrom(USER, "us_2", "us_3"),
  sub: fc.constantFrom("0", "1", "2"),
  principal: fc.integer({ min: 1, max: 40 }),
  raw: fc.integer({ min: 1, max: 8 }),
  isNamed: fc.boolean(),
  isMet: fc.constantFrom(null, null, true, false),
  isReserved: fc.nat({ max: 5 }).map((number) => number === 0),
  isAgreed: fc.nat({ max: 5 }).map((number) => number === 0),
});

const rawOf = ({ sub: id, raw }: Sketch) => BUNDLES[id] ?? raw;
// Divisible by every amount, so that the naive quotient is exact.
const quoteOf = (one: Sketch) => (one.principal * 840) / rawOf(one);

/** Whether it asks for repaid loans. */
const isAsking = ({ isNamed, isMet }: Sketch) => !isNamed && isMet != null;

function offerOf(one: Sketch, index: number) {
  const sats = one.principal * 840;
  const changes: Partial<Wire["BookOffer"]> = {
    lender_id: one.lender,
    subCollectionId: one.sub,
    principal_amount_sats: sats,
    available_sats: sats,
    fungible_amount: String(rawOf(one)),
    isAgreed: one.isNamed && one.isAgreed,
    conditions: one.isNamed ? FOR_USER : isAsking(one) ? { ...NO_CONDITIONS, repaidMin: 2 } : null,
    state: one.isReserved ? "reserved" : one.isNamed || isAsking(one) ? "conditional" : "live",
  };
  return offer(index, changes);
}

/** The public row and what the user knows, with the highest quotes found naively. */
function marketOf(sketches: readonly Sketch[]) {
  const known = sketches
    .filter(({ isNamed, lender }) => !isNamed || lender !== USER)
    .map((one, index) => ({ one, offer: offerOf(one, index) }));
  const isOpen = ({ one }: (typeof known)[number]) => !one.isReserved && !(one.isNamed && one.isAgreed);
  const live = known.filter((each) => isOpen(each) && !each.one.isNamed && !isAsking(each.one));
  const highest = (each: typeof known) => Math.max(0, ...each.map(({ one }) => quoteOf(one)));
  const best = live.find(({ one }) => quoteOf(one) === highest(live));
  const manual: Wire["Row"]["manual"] = {
    offerCount: live.length,
    underOfferCount: 0,
    lenderCount: new Set(live.map(({ one }) => one.lender)).size,
    bestOffer: best ? Number(best.offer.principalSats) : null,
    bestOfferId: best?.offer.offerId ?? null,
    nextBestOffers: [],
    bestSubCollectionId: best?.one.sub ?? null,
    term: null,
    interest: null,
    apy: null,
    // In hundredths of a percent, rounded up like the server's.
    ltv: best ? Math.ceil(quoteOf(best.one) * 10) / 100 : null,
    maxLtv: null,
    minLtv: null,
    maxAPY: 0,
    minInterest: 0,
    liquiditySats: 0,
    instantBestOfferRange: null,
  };
  const isRefused = (one: Sketch) => isAsking(one) && one.isMet === false;
  const taken = known.filter((each) => isOpen(each) && each.one.lender !== USER && !isRefused(each.one));
  return {
    known,
    row: { ...TOKENS, manual: row({ manual }).manual },
    taker: {
      userId: USER,
      offers: new Map(
        known.filter(({ one }) => one.lender === USER).map((each) => [each.offer.offerId, each]),
      ),
      offersForMe: new Map(
        known
          .filter(({ one }) => one.isNamed)
          .map((each) => [each.offer.offerId, { groupId: "g_1", requestId: null, offer: each.offer }]),
      ),
      takeable: new Map(
        known
          .filter(({ one }) => isAsking(one) && one.isMet && one.lender !== USER)
          .map((each) => [each.offer.offerId, { groupId: "g_1", requestId: null, offer: each.offer }]),
      ),
    },
    publicQuote: highest(live),
    ownIsBest: best?.one.lender === USER,
    takeableQuote: highest(taken),
    isRivalled: live.some(({ one }) => one.lender !== USER),
  };
}

const market = fc.array(sketch, { maxLength: 8 }).map(marketOf);

describe("bestOfferFor", () => {
  it("has the highest quote that the user can take", () => {
    fc.assert(
      fc.property(market, ({ known, row: seen, taker, takeableQuote, publicQuote }) => {
        const offers = known.map((each) => each.offer);
        const quote = (borrower: Borrower) => {
          const best = bestOfferFor(offers, borrower, seen);
          return best === null ? 0 : Number(best.principalSats) / Number(best.fungibleAmount);
        };
        expect(quote(taker)).toBe(takeableQuote);
        expect(quote(ANY_BORROWER)).toBe(publicQuote);
      }),
    );
  });

  it("leaves out loans against several inscriptions", () => {
    const other = { ...ANY_BORROWER, userId: "us_2" };
    const several = offer(1, { state: "conditional", conditions: FOR_USER, fungible_amount: "3" });
    expect(bestOfferFor([several], other, row())).toBeNull();
    const one = offer(2, { state: "conditional", conditions: FOR_USER });
    expect(bestOfferFor([several, one], other, row())).toBe(one);
  });
});

describe("rowFor", () => {
  it("has the highest quote that the user can take, unless an own offer hides it", () => {
    fc.assert(
      fc.property(market, ({ known, row: seen, taker, ...naive }) => {
        const shown = rowFor(seen, "manual", taker);
        const best = known.find(({ offer: each }) => each.offerId === shown.manual?.bestOfferId);
        const quote = best ? quoteOf(best.one) : 0;
        const isHidden = naive.ownIsBest && naive.isRivalled && naive.takeableQuote <= naive.publicQuote;
        expect(quote).toBe(isHidden ? naive.publicQuote : naive.takeableQuote);
        expect(shown === seen).toBe(isHidden || (!naive.ownIsBest && quote === naive.publicQuote));
        if (shown !== seen && best) expect(shown.manual?.bestOffer).toBe(best.offer.availableSats);
      }),
    );
  });

  it.each(["0", "1", "2"])("stays public with an equal offer, in sub-collection %s", (id) => {
    const live = { lender: "us_2", sub: id, principal: 10, raw: 5, isReserved: false, isAgreed: false };
    const { row: seen, taker } = marketOf([
      { ...live, isNamed: false },
      { ...live, isNamed: true },
    ]);
    expect(rowFor(seen, "manual", taker)).toBe(seen);
  });

  it("has the terms and the LTV of the offer that names the user, and the public liquidity", () => {
    const { row: seen, taker } = marketOf([
      { lender: "us_2", sub: "0", principal: 1, raw: 1, isNamed: false, isReserved: false, isAgreed: false },
      { lender: "us_3", sub: "1", principal: 10, raw: 1, isNamed: true, isReserved: false, isAgreed: false },
    ]);
    expect(rowFor(seen, "manual", taker).manual).toMatchObject({
      bestOffer: 8_400n,
      term: 8,
      interest: 1,
      apy: 60,
      ltv: 168,
      offerCount: 1,
      liquiditySats: 0n,
    });
    expect(rowFor({ ...seen, id: "g_2" }, "manual", taker).manual).toBe(seen.manual);
    expect(rowFor(seen, "instant", taker)).toBe(seen);
  });
});
