import { interestOf } from "@/shared/api/loan-figures";
import type { FeeChoice } from "@/shared/chain/fee-rate";
import { FASTEST } from "@/shared/chain/fee-rate";
import { type BorrowOffer, type BorrowSubCollection, bundleOf, type PreparedLimits } from "./borrow-offer";

/** The kind of collateral: single inscriptions, token bundles, or a BRC-20 transfer inscription. */
export type PledgeKind = "inscription" | "rune" | "brc20";

export interface BorrowTarget {
  kind: PledgeKind;
  process: "manual" | "instant";
  subCollections: BorrowSubCollection[];
  /** The offer chosen in the order book; null to take the best ones. */
  pinnedOfferId: string | null;
  preparedLimits: PreparedLimits;
}

export interface BorrowDraft {
  target: BorrowTarget;
  /**
   * Sub-collection of the best offer when the draft began, or the user's later choice; null until there is an
   * offer.
   */
  subCollectionId: string | null;
  inscriptionIds: string[];
  /** Number of token bundles. */
  count: number;
  fee: FeeChoice;
}

export type BorrowAction =
  | { type: "marketMoved"; target: BorrowTarget }
  | { type: "placeChosen"; subCollectionId: string }
  | { type: "inscriptionToggled"; inscriptionId: string }
  /** The only inscription that can be pledged: selected unless the user has chosen already. */
  | { type: "loneInscriptionFound"; inscriptionId: string }
  | { type: "countSet"; count: number }
  | { type: "feeChosen"; fee: FeeChoice };

export interface BorrowSummary {
  subCollection: BorrowSubCollection | null;
  /** The offers that would be taken; empty when there is none, or when the chosen one has gone. */
  offers: BorrowOffer[];
  /** The number of offers that can be taken together. */
  countMax: number;
  /** The number of inscriptions that an offer takes together, which the request that it fills names; else 1. */
  inscriptionCount: number;
  principalSats: bigint;
  interestSats: bigint;
  /** The sum to repay. */
  payoutSats: bigint;
  /** Of the best offer, in basis points. */
  ltvBps: number | null;
  interestBps: number;
  termDays: number;
}

export function newDraft(target: BorrowTarget): BorrowDraft {
  return { target, subCollectionId: bestId(target), inscriptionIds: [], count: 1, fee: FASTEST };
}

/**
 * The sub-collection of the best offer by the measure of the market's rows: most sats per unit of collateral,
 * then the earlier one.
 */
function bestSubCollection(subCollections: readonly BorrowSubCollection[]): BorrowSubCollection | null {
  return subCollections.reduce<BorrowSubCollection | null>((best, next) => {
    const [leading, other] = [best?.offers[0], next.offers[0]];
    if (!leading || !other) return best ?? next;
    return other.principalSats * leading.raw > leading.principalSats * other.raw ? next : best;
  }, null);
}

function bestId({ subCollections }: BorrowTarget): string | null {
  return bestSubCollection(subCollections)?.subCollectionId ?? null;
}

/**
 * The draft's sub-collection: that of its pinned offer, else the initial or chosen one, else that of the best
 * offer.
 */
function subCollectionOf({ target, subCollectionId }: BorrowDraft): BorrowSubCollection | null {
  const { subCollections, pinnedOfferId } = target;
  if (pinnedOfferId !== null) {
    return (
      subCollections.find(({ offers }) => offers.some(({ offerId }) => offerId === pinnedOfferId)) ?? null
    );
  }
  return (
    subCollections.find((subCollection) => subCollection.subCollectionId === subCollectionId) ??
    bestSubCollection(subCollections)
  );
}

/**
 * The offers that can be taken together, best first. Instant loans are taken one by one, and so is a pinned
 * offer.
 */
function takeable(draft: BorrowDraft, subCollection: BorrowSubCollection | null): BorrowOffer[] {
  const { pinnedOfferId, preparedLimits, process, kind } = draft.target;
  if (!subCollection) return [];
  if (pinnedOfferId !== null) return subCollection.offers.filter(({ offerId }) => offerId === pinnedOfferId);
  // A BRC-20 transfer is inscribed for one bundle.
  if (process === "instant" || kind === "brc20") return subCollection.offers.slice(0, 1);
  return bundleOf(subCollection.offers, preparedLimits);
}

function wantedCount({ target, inscriptionIds, count }: BorrowDraft): number {
  return target.kind === "inscription" ? Math.max(1, inscriptionIds.length) : count;
}

/** The figures of a draft that the dialog shows. */
export function calculateSummary(draft: BorrowDraft): BorrowSummary {
  const subCollection = subCollectionOf(draft);
  const all = takeable(draft, subCollection);
  const offers = all.slice(0, wantedCount(draft));
  let [principalSats, interestSats] = [0n, 0n];
  for (const offer of offers) {
    principalSats += offer.principalSats;
    interestSats += interestOf(offer.principalSats, offer.interestBps);
  }
  return {
    subCollection,
    offers,
    countMax: all.length,
    inscriptionCount: draft.target.kind === "inscription" ? Number(offers[0]?.raw ?? 1n) : 1,
    principalSats,
    interestSats,
    payoutSats: principalSats + interestSats,
    ltvBps: offers[0]?.ltvBps ?? null,
    interestBps: offers[0]?.interestBps ?? 0,
    termDays: (offers[0] ?? subCollection)?.termDays ?? 0,
  };
}

/** Drops the oldest choices when there are more than can be taken together. */
function fitting(draft: BorrowDraft): BorrowDraft {
  const max = Math.max(1, takeable(draft, subCollectionOf(draft)).length);
  const inscriptionIds = draft.inscriptionIds.slice(-max);
  const count = Math.min(Math.max(1, draft.count), max);
  return { ...draft, inscriptionIds, count };
}

export function reducer(draft: BorrowDraft, action: BorrowAction): BorrowDraft {
  switch (action.type) {
    case "marketMoved":
      return fitting({
        ...draft,
        target: action.target,
        subCollectionId: draft.subCollectionId ?? bestId(action.target),
      });
    case "placeChosen":
      return fitting({ ...draft, subCollectionId: action.subCollectionId });
    case "inscriptionToggled": {
      const { inscriptionId } = action;
      const isChosen = draft.inscriptionIds.includes(inscriptionId);
      const others = draft.inscriptionIds.filter((id) => id !== inscriptionId);
      return fitting({ ...draft, inscriptionIds: isChosen ? others : [...others, inscriptionId] });
    }
    case "loneInscriptionFound":
      return draft.inscriptionIds.length > 0
        ? draft
        : fitting({ ...draft, inscriptionIds: [action.inscriptionId] });
    case "countSet":
      return fitting({ ...draft, count: Number.isSafeInteger(action.count) ? action.count : 1 });
    case "feeChosen":
      return { ...draft, fee: action.fee };
  }
}

/** The control that an error belongs to, next to which it is shown. */
export type ErrorField = "wallet" | "offers" | "collateral" | "fee";

export interface DraftError {
  at: ErrorField;
  text: string;
}

/**
 * The reasons why the draft cannot be submitted, in the order in which a user would fix them; empty when it
 * can.
 */
export function getErrors(
  draft: BorrowDraft,
  wallet: { addresses: readonly string[]; feeRate: number | null; isCollateralReady: boolean },
): DraftError[] {
  const errors: DraftError[] = [];
  const { offers, inscriptionCount } = calculateSummary(draft);
  if (wallet.addresses.length < 4 || wallet.addresses.some((address) => address === "")) {
    errors.push({ at: "wallet", text: "missing user addresses!" });
  }
  if (offers.length === 0) errors.push({ at: "offers", text: noOfferText(draft) });
  if (inscriptionCount > 1 && !wallet.isCollateralReady) {
    errors.push({
      at: "collateral",
      text: "Not all inscriptions of the request are known to be in your wallet",
    });
  }
  if (draft.target.kind === "inscription" && inscriptionCount === 1 && draft.inscriptionIds.length === 0) {
    errors.push({ at: "collateral", text: "No inscription selected" });
  }
  if (draft.target.kind === "brc20" && !wallet.isCollateralReady) {
    errors.push({ at: "collateral", text: "No collateral amount" });
  }
  if (wallet.feeRate === null) errors.push({ at: "fee", text: "Select a fee rate" });
  return errors;
}

function noOfferText({ target }: BorrowDraft): string {
  if (target.pinnedOfferId !== null) return "Selected offer is no longer available";
  return target.process === "manual" ? "No lender offer ID available" : "No offer selected";
}
