import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Collection } from "@/shared/api/collection";
import type { Wire } from "@/shared/api/operation";
import { parseFavourites } from "@/shared/favourites/favourites-store";
import { namedOffer, row } from "@/shared/feed/feed-fixtures";
import {
  changeOf,
  hasPriceChanges,
  type Mode,
  type RowSelection,
  selectRows,
  termText,
  volumeOf,
} from "./market-rows";
import { DEFAULT_SORT, type MarketView, SORT_KEYS } from "./market-view";

const VIEW: MarketView = {
  process: "manual",
  q: "",
  filters: [],
  volume: "1d",
  change: "24h",
  sort: { key: "name", descending: false },
};

const QUOTES = {
  offerCount: 2,
  lenderCount: 1,
  underOfferCount: 0,
  bestOffer: 1_000_000,
  bestOfferId: "of_1",
  nextBestOffers: [],
  bestSubCollectionId: "0",
  term: 30,
  interest: 3,
  apy: 43,
  ltv: 40,
  maxLtv: 40,
  minLtv: 30,
  maxAPY: 60,
  minInterest: 2,
  liquiditySats: 2_000_000,
  instantBestOfferRange: null,
};
const NO_QUOTES = {
  ...QUOTES,
  offerCount: 0,
  lenderCount: 0,
  underOfferCount: 0,
  bestOffer: null,
  bestOfferId: null,
  ltv: null,
  term: null,
  interest: null,
  apy: null,
};

function group(id: string, name: string, overrides: Partial<Wire["Row"]> = {}): Collection {
  return row({ id, collectionName: name, collectionSymbol: name, manual: QUOTES, ...overrides });
}

function select(market: Collection[], view: Partial<MarketView> = {}, rest: Partial<RowSelection> = {}) {
  return selectRows(market, {
    mode: "borrow",
    category: "ordinals",
    favourites: new Set(),
    forYou: null,
    taker: null,
    ...rest,
    view: { ...VIEW, ...view },
  }).map((selected) => selected.collection.id);
}

describe("selectRows", () => {
  const market = [
    group("g_1", "Foxes"),
    group("g_2", "Bears", { manual: NO_QUOTES }),
    group("g_3", "Runey", { collateralType: "rune", runeName: "RUNE•Y" }),
    group("g_4", "Apes", { manual: null, instant: QUOTES }),
  ];

  it("keeps to the category and the process type", () => {
    expect(select(market)).toEqual(["g_2", "g_1"]);
    expect(select(market, {}, { category: "runes" })).toEqual(["g_3"]);
    expect(select(market, { process: "instant" })).toEqual(["g_4"]);
  });

  it("searches names case-insensitively", () => {
    expect(select(market, { q: "  FOX " })).toEqual(["g_1"]);
    expect(select(market, { q: "e•y" }, { category: "runes" })).toEqual(["g_3"]);
    expect(select(market, { q: "runey" }, { category: "runes" })).toEqual(["g_3"]);
    expect(select(market, { q: "nothing like it" })).toEqual([]);
  });

  it("filters by offers, and by neither when both are ticked", () => {
    expect(select(market, { filters: ["has-offers"] })).toEqual(["g_1"]);
    expect(select(market, { filters: ["no-offers"] })).toEqual(["g_2"]);
    expect(select(market, { filters: ["has-offers", "no-offers"] })).toEqual(["g_2", "g_1"]);
  });

  it("filters by stars and by what concerns the user", () => {
    expect(select(market, { filters: ["favorites"] }, { favourites: new Set(["g_1"]) })).toEqual(["g_1"]);
    expect(select(market, { filters: ["for-you"] }, { forYou: new Set(["g_2"]) })).toEqual(["g_2"]);
    expect(select(market, { filters: ["for-you"] }, { forYou: null })).toEqual(["g_2", "g_1"]);
  });

  it("puts unknown values last in both directions", () => {
    expect(select(market, { sort: { key: "offer", descending: false } })).toEqual(["g_1", "g_2"]);
    expect(select(market, { sort: { key: "offer", descending: true } })).toEqual(["g_1", "g_2"]);
  });

  it("orders the same rows the same way in any input order, by every column", () => {
    const groups = Array.from({ length: 12 }, (_, index) =>
      group(`g_${index}`, `N${index % 4}`, {
        manual:
          index % 3
            ? { ...QUOTES, bestOffer: (index % 5) * 1_000, ltv: index % 2 ? null : index }
            : NO_QUOTES,
        floor: index % 2 ? null : index * 7,
        unitPrice: null,
      }),
    );
    fc.assert(
      fc.property(
        fc.shuffledSubarray(groups, { minLength: groups.length }),
        fc.constantFrom(...SORT_KEYS),
        fc.boolean(),
        (shuffled, key, descending) => {
          const sort = { key, descending };
          expect(select(shuffled, { sort })).toEqual(select(groups, { sort }));
        },
      ),
    );
  });
});

describe("the contents of a row", () => {
  const rowsOf = (collection: Collection, mode: Mode) =>
    selectRows([collection], {
      mode,
      category: "ordinals",
      view: VIEW,
      favourites: new Set(),
      forYou: null,
      taker: null,
    });

  it("come from one offer: length, interest and yield belong together", () => {
    const [borrow] = rowsOf(group("g_1", "Foxes"), "borrow");
    const terms = { term: 30, interest: 3, apy: 43 };
    expect(borrow?.terms).toEqual(terms);
    expect(rowsOf(group("g_1", "Foxes"), "lend")[0]?.terms).toEqual(terms);
  });

  it("without an offer come from one term: the cheapest for a borrower, the best paid for a lender", () => {
    const sub = (term: number, interest: number, apy: number) => ({
      id: String(term),
      slug: `foxes-${term}d`,
      term,
      interest,
      apy,
      bundleSize: "1",
      manual: true,
      instant: false,
      collectionTypes: ["MANUAL_FIXED" as const],
      newTermChangeRequest: null,
    });
    const subCollections = [sub(7, 1, 68), sub(30, 3, 43), sub(60, 9, 69)];
    const empty = group("g_1", "Foxes", { manual: NO_QUOTES, subCollections });
    expect(rowsOf(empty, "borrow")[0]?.terms).toEqual({ term: 7, interest: 1, apy: 68 });
    expect(rowsOf(empty, "lend")[0]?.terms).toEqual({ term: 60, interest: 9, apy: 69 });
  });

  it("fall back to own volumes while the marketplaces' are unknown", () => {
    const own = { totalVolume: 9, volume24h: 1, volume7d: 2, volume30d: 3 };
    expect(volumeOf(group("g_1", "Foxes", { internalVolumeStats: own }), "7d")).toBe(2n);
    const known = { internalVolumeStats: own, marketVolumeStats: { ...own, volume7d: 20 } };
    expect(volumeOf(group("g_1", "Foxes", known), "7d")).toBe(20n);
  });

  it("have no price change while too little is known", () => {
    expect(changeOf(group("g_1", "Foxes"), "24h")).toBeNull();
  });

  it("name the length of its terms", () => {
    const [shown] = rowsOf(group("g_1", "Foxes"), "borrow");
    expect(shown && termText(shown)).toBe("30d");
    const [none] = rowsOf(group("g_1", "Foxes", { manual: NO_QUOTES, subCollections: [] }), "borrow");
    expect(none && termText(none)).toBe("–");
  });

  it("have price changes everywhere but for manual runes and BRC-20", () => {
    expect(hasPriceChanges("ordinals", "manual")).toBe(true);
    expect(hasPriceChanges("runes", "instant")).toBe(true);
    expect(hasPriceChanges("runes", "manual")).toBe(false);
    expect(hasPriceChanges("brc-20", "manual")).toBe(false);
  });

  it("start with the busiest collections", () => {
    expect(DEFAULT_SORT).toEqual({ key: "volume", descending: true });
  });
});

describe("the best offer of a row", () => {
  const named = namedOffer(1, { principal_amount_sats: 1_500_000, available_sats: 1_500_000 });
  const taker = {
    userId: "us_b",
    takeable: new Map(),
    offers: new Map(),
    offersForMe: new Map([[named.offerId, { groupId: "g_1", requestId: null, offer: named }]]),
  };
  const market = [
    group("g_1", "Foxes", { manual: NO_QUOTES }),
    group("g_2", "Bears", { manual: { ...QUOTES, bestOffer: 1_200_000 } }),
  ];
  const rows = (rest: Partial<RowSelection>, view: Partial<MarketView> = {}) =>
    selectRows(market, {
      mode: "borrow",
      category: "ordinals",
      favourites: new Set(),
      forYou: null,
      taker,
      ...rest,
      view: { ...VIEW, sort: { key: "offer", descending: true }, ...view },
    }).map(({ collection, quotes, isForUser }) => [collection.id, quotes.bestOffer, isForUser]);

  it("counts for a borrower the offers that name them, also in the order and the filter", () => {
    const expected = [
      ["g_1", 1_500_000n, true],
      ["g_2", 1_200_000n, false],
    ];
    expect(rows({})).toEqual(expected);
    expect(rows({}, { filters: ["has-offers"] })).toEqual(expected);
  });

  it("is public for a lender and while signed out", () => {
    const expected = [
      ["g_2", 1_200_000n, false],
      ["g_1", null, false],
    ];
    expect(rows({ mode: "lend" })).toEqual(expected);
    expect(rows({ taker: null })).toEqual(expected);
  });
});

describe("stored favourites", () => {
  it("survive any other content of the storage", () => {
    expect(parseFavourites('["g_1","g_2"]')).toEqual(new Set(["g_1", "g_2"]));
    for (const stored of [null, "", "{", "{}", "7", '[1,null,{"a":1}]']) {
      expect(parseFavourites(stored).size).toBe(0);
    }
  });
});
