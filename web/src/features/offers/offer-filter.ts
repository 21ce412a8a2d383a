import type { MyOffer, OfferTag } from "@/shared/api/my-offer";
import { unlentSats } from "./offer-collateral";

/** The filter chips and their labels. Chips of one group are alternatives; every group must match. */
export const CHIP_GROUPS: ReadonlyArray<ReadonlyArray<{ tag: OfferTag; label: string }>> = [
  [
    { tag: "best offer", label: "best offer" },
    { tag: "under offer", label: "under offer" },
    { tag: "paused", label: "paused" },
  ],
  [
    { tag: "ordinal", label: "ordinal" },
    { tag: "brc20", label: "BRC-20" },
    { tag: "rune", label: "rune" },
  ],
  [
    { tag: "instant", label: "instant" },
    { tag: "manual", label: "manual" },
  ],
];

export type SortColumn = "collection" | "offer" | "apy" | "term" | "ltv" | "floor";

/** The sortable columns, in the order of the table. */
export const COLUMNS: ReadonlyArray<{ column: SortColumn; label: string }> = [
  { column: "collection", label: "Collection" },
  { column: "offer", label: "Offer" },
  { column: "apy", label: "APY" },
  { column: "term", label: "Term" },
  { column: "ltv", label: "LTV" },
  { column: "floor", label: "Floor" },
];

export interface OfferView {
  search: string;
  chips: ReadonlySet<OfferTag>;
  /** Newest first while null. */
  sort: { column: SortColumn; descending: boolean } | null;
}

export const UNFILTERED: OfferView = { search: "", chips: new Set(), sort: null };

export function toggledChip(view: OfferView, tag: OfferTag): OfferView {
  const chips = new Set(view.chips);
  if (!chips.delete(tag)) chips.add(tag);
  return { ...view, chips };
}

/** A column goes from unsorted to largest first, to smallest first, and back; names start with A. */
export function toggledSort(view: OfferView, column: SortColumn): OfferView {
  const first = column !== "collection";
  if (view.sort?.column !== column) return { ...view, sort: { column, descending: first } };
  if (view.sort.descending === first) return { ...view, sort: { column, descending: !first } };
  return { ...view, sort: null };
}

/** The floor of a collection of inscriptions, the unit price of tokens; one number to sort by, times 10^8. */
function floorOf({ floor, unitPrice }: MyOffer): bigint | null {
  return unitPrice ?? (floor === null ? null : floor * 100_000_000n);
}

function sortValue(offer: MyOffer, column: Exclude<SortColumn, "collection">): bigint | number | null {
  switch (column) {
    case "offer":
      return unlentSats(offer);
    case "apy":
      return offer.apy;
    case "term":
      return offer.term;
    case "ltv":
      return offer.ltv;
    case "floor":
      return floorOf(offer);
  }
}

/** Ties are broken by id, so that rows never swap without a reason. */
function newestFirst(a: MyOffer, b: MyOffer): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.offerId < b.offerId ? 1 : -1;
}

function comparison(sort: OfferView["sort"]): (a: MyOffer, b: MyOffer) => number {
  if (!sort) return newestFirst;
  const { column, descending } = sort;
  const turn = descending ? -1 : 1;
  if (column === "collection") {
    return (a, b) => turn * a.collectionName.localeCompare(b.collectionName, "en") || newestFirst(a, b);
  }
  return (a, b) => {
    const left = sortValue(a, column);
    const right = sortValue(b, column);
    if (left === right) return newestFirst(a, b);
    // Unknown values are last in both directions.
    if (left === null) return 1;
    if (right === null) return -1;
    return turn * (left < right ? -1 : 1);
  };
}

/** The filtered offers in display order. */
export function viewedOffers(offers: Iterable<MyOffer>, { search, chips, sort }: OfferView): MyOffer[] {
  const query = search.trim().toLocaleLowerCase("en");
  const chosen = CHIP_GROUPS.map((group) => group.filter(({ tag }) => chips.has(tag))).filter(
    (group) => group.length > 0,
  );
  const kept = [...offers].filter(
    (offer) =>
      (query === "" || offer.collectionName.toLocaleLowerCase("en").includes(query)) &&
      chosen.every((group) => group.some(({ tag }) => offer.tags.includes(tag))),
  );
  return kept.sort(comparison(sort));
}
