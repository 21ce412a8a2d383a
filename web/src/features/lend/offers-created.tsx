import { useQuery } from "@tanstack/react-query";
import { Share2 } from "lucide-react";
import type { Collection } from "@/shared/api/collection";
import { fundingCoinQuery } from "@/shared/api/funding-coin";
import type { MyOffer } from "@/shared/api/my-offer";
import { useMe } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { FundWallet } from "@/shared/funding/fund-wallet";
import { FundingCoinNotice } from "@/shared/funding/funding-coin-notice";
import { useSession } from "@/shared/session/session-store";
import { offerLink, shareLink } from "@/shared/share/share-link";
import { SuccessAlert } from "@/shared/signing/success-alert";
import { Button } from "@/shared/ui/button";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";
import { createdOffersText, fundingGapOf } from "./created-offers";

/**
 * The result of creating offers: what they still lack, where to see them, and a link for possible borrowers.
 */
export function OffersCreated({
  row,
  offerIds,
  onClose,
}: {
  row: Collection;
  offerIds: readonly string[];
  onClose: () => void;
}) {
  const [first = "", ...others] = offerIds;
  const isOne = others.length === 0;
  const session = useSession((state) => state.session);
  const all = useMe().data?.offers;
  const linkKey = all?.get(first)?.conditions?.linkKey ?? null;
  const link = isOne
    ? offerLink(row, first, location.origin, linkKey)
    : shareLink(row, "borrow", location.origin);
  const createdOffers = offerIds.flatMap((offerId) => all?.get(offerId) ?? []);
  const isBrc20 = row.collateralType === "brc20";
  const { data: coin } = useQuery({ ...fundingCoinQuery(first), enabled: isBrc20 });
  const fundingGap = fundingGapOf(
    isBrc20,
    createdOffers,
    coin && (coin.isThere || coin.fundingSats === null),
  );
  const { title, text } = createdOffersText(
    fundingGap,
    offerIds.length,
    withoutBundleNumber(row.collectionName),
    createdOffers[0]?.conditions ?? null,
  );

  return (
    <SuccessAlert
      title={title}
      onClose={onClose}
      action={
        <Button onClick={() => void copyToClipboard(link, "link")}>
          <Share2 size={16} aria-hidden />
          Share
        </Button>
      }
    >
      <p>{text}</p>
      {/* Offers of the same sum share one coin. */}
      {distinctAmounts(createdOffers).map((offer) => (
        <FundingCoinNotice key={offer.offerId} offer={offer} />
      ))}
      {session && <FundWallet session={session} isNeeded={fundingGap === "funds"} />}
      <p className="font-mono text-xs break-all text-muted">{link}</p>
    </SuccessAlert>
  );
}

function distinctAmounts(offers: readonly MyOffer[]): MyOffer[] {
  return [...new Map(offers.map((offer) => [`${offer.subCollectionId}/${offer.principal}`, offer])).values()];
}
