import type { Dispatch } from "react";
import { type Collection, decimalsOf } from "@/shared/api/collection";
import { daysText } from "@/shared/format/days";
import { formatBtc } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import type { BorrowAction, BorrowDraft, BorrowSummary } from "./borrow-draft";
import type { BorrowSubCollection } from "./borrow-offer";
import { OfferChoice } from "./offer-choice";

/**
 * The best offer of each term or bundle size, to choose from; or the one that was chosen in the order book.
 */
export function OfferChoices({
  row,
  draft,
  summary,
  dispatch,
  disabled,
}: {
  row: Collection;
  draft: BorrowDraft;
  summary: BorrowSummary;
  dispatch: Dispatch<BorrowAction>;
  disabled: boolean;
}) {
  const { subCollections, pinnedOfferId } = draft.target;
  // One that is gone has its own notice, which names the alternative.
  if (pinnedOfferId !== null && summary.offers.length === 0) return null;
  if (subCollections.length === 0) {
    return (
      <p className="rounded-control border border-line bg-ground px-3 py-4 text-center text-sm text-soft">
        No offers are currently available for this collection.
      </p>
    );
  }
  const shown =
    pinnedOfferId === null ? subCollections : summary.subCollection ? [summary.subCollection] : [];
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-2 text-xs text-soft">
        {row.collateralType === "inscription" ? "Term" : "Bundle size"}
      </legend>
      <div className="grid grid-cols-2 gap-2 md:grid-cols-3">
        {shown.map((subCollection) => (
          <SubCollectionCard
            key={subCollection.subCollectionId}
            row={row}
            subCollection={subCollection}
            offer={(pinnedOfferId !== null && summary.offers[0]) || subCollection.offers[0]}
            isChosen={subCollection.subCollectionId === summary.subCollection?.subCollectionId}
            onChoose={() => dispatch({ type: "placeChosen", subCollectionId: subCollection.subCollectionId })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function SubCollectionCard({
  row,
  subCollection,
  offer,
  isChosen,
  onChoose,
}: {
  row: Collection;
  subCollection: BorrowSubCollection;
  offer: BorrowSubCollection["offers"][number] | undefined;
  isChosen: boolean;
  onChoose: () => void;
}) {
  if (!offer) return null;
  const bundle =
    row.collateralType === "inscription"
      ? ""
      : `${formatTokenAmount(subCollection.raw, decimalsOf(row), 2)} tokens, `;
  return (
    <OfferChoice
      group={`place-${row.id}`}
      title={`${bundle}${daysText(offer.termDays)}`}
      principal={formatBtc(offer.principalSats)}
      ltvBps={offer.ltvBps}
      interestBps={offer.interestBps}
      conditions={offer.conditions}
      isChosen={isChosen}
      onChoose={onChoose}
    />
  );
}
