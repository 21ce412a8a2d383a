import { useEffect, useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { rankText } from "@/shared/bitcoin/offer-rank";

/** Changes within this time are announced as one, so that a busy book does not announce constantly. */
const SETTLE_MS = 1_500;

/** The rank of the user's best offer, live. A changed rank is announced, a changed distance is not. */
export function OwnRank({ offer }: { offer: MyOffer }) {
  const text = rankLabel(offer);
  const announced = useSettled(
    offer.offerRanking === null ? text : `Your offer ranks ${text}`,
    offer.offerRanking,
  );
  return (
    <p className="flex min-w-0 items-center gap-2 text-sm">
      <span className="text-muted max-sm:sr-only">Your best offer</span>
      <span data-testid="own-rank" className="truncate font-strong text-text">
        {text}
      </span>
      <span aria-live="polite" className="sr-only">
        {announced}
      </span>
    </p>
  );
}

function rankLabel({ offerRanking, rankedOffers, toLeadSats }: MyOffer): string {
  if (offerRanking === null) return "Paused, not ranked";
  return rankText({ rank: offerRanking, of: rankedOffers, toLeadSats: toLeadSats ?? 0n });
}

/** The `text` at the last change of `key` that was followed by a pause; empty until the first change. */
function useSettled(text: string, key: number | null): string {
  const [first] = useState(key);
  const [settled, setSettled] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed rank counts, not the text.
  useEffect(() => {
    if (settled === "" && key === first) return;
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
