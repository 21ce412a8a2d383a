import { describe, expect, it } from "vitest";
import type { OfferTag } from "@/shared/api/my-offer";
import { exampleOffer } from "./offer-example";
import {
  type OfferView,
  type SortColumn,
  toggledChip,
  toggledSort,
  UNFILTERED,
  viewedOffers,
} from "./offer-filter";

const offers = [
  exampleOffer({
    offerId: "a",
    collectionName: "Quiet Foxes",
    createdAt: 3,
    principal: 10n,
    ltv: 40,
    tags: ["manual", "ordinal", "best offer"],
  }),
  exampleOffer({
    offerId: "b",
    collectionName: "Bitmap Blocks",
    createdAt: 2,
    principal: 30n,
    ltv: null,
    tags: ["instant", "ordinal", "paused"],
  }),
  exampleOffer({
    offerId: "c",
    collectionName: "MOON•CHEESE",
    createdAt: 1,
    principal: 20n,
    ltv: 60,
    tags: ["manual", "rune", "under offer"],
  }),
];
const ids = (view: Partial<OfferView>) =>
  viewedOffers(offers, { ...UNFILTERED, ...view }).map(({ offerId }) => offerId);
const chips = (...tags: OfferTag[]) => ({ chips: new Set(tags) });

describe("the visible offers", () => {
  it.each([
    ["all, newest first", {}, ["a", "b", "c"]],
    ["those whose name contains the search", { search: " FOX " }, ["a"]],
    ["none when no name does", { search: "zz" }, []],
    ["those with the chip", chips("ordinal"), ["a", "b"]],
    ["alternatives of one kind", chips("paused", "best offer"), ["a", "b"]],
    ["all kinds at once", chips("ordinal", "instant"), ["b"]],
    ["chips and search together", { ...chips("manual"), search: "moon" }, ["c"]],
    ["nothing when the kinds exclude each other", chips("rune", "instant"), []],
  ] satisfies Array<[string, Partial<OfferView>, string[]]>)("are %s", (_, view, expected) => {
    expect(ids(view)).toEqual(expected);
  });

  it.each([
    ["collection", false, ["b", "c", "a"]],
    ["offer", true, ["b", "c", "a"]],
    ["offer", false, ["a", "c", "b"]],
    ["ltv", true, ["c", "a", "b"]],
    ["ltv", false, ["a", "c", "b"]],
    ["term", true, ["a", "b", "c"]],
  ] satisfies Array<[SortColumn, boolean, string[]]>)(
    "sorted by %s, descending %s, keep unknown values last",
    (column, descending, expected) => {
      expect(ids({ sort: { column, descending } })).toEqual(expected);
    },
  );
});

describe("a chip", () => {
  it("is deselected by a second press", () => {
    const once = toggledChip(UNFILTERED, "paused");
    expect([...once.chips]).toEqual(["paused"]);
    expect(toggledChip(once, "paused").chips.size).toBe(0);
    expect(UNFILTERED.chips.size).toBe(0);
  });
});

describe("a column heading", () => {
  it("reverses the order, then removes it", () => {
    const once = toggledSort(UNFILTERED, "apy");
    const twice = toggledSort(once, "apy");
    expect([once.sort?.descending, twice.sort?.descending, toggledSort(twice, "apy").sort]).toEqual([
      true,
      false,
      null,
    ]);
  });

  it("starts with A for names", () => {
    expect(toggledSort(toggledSort(UNFILTERED, "apy"), "collection").sort).toEqual({
      column: "collection",
      descending: false,
    });
  });
});
