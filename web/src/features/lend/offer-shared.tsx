import { Share2 } from "lucide-react";
import type { Collection } from "@/shared/api/collection";
import { withoutBundleNumber } from "@/shared/format/name";
import { offerLink, shareLink } from "@/shared/share/share-link";
import { SuccessAlert } from "@/shared/signing/success-alert";
import { Button } from "@/shared/ui/button";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";

/** After offers were made: where they are seen, and a link for those who may want to borrow. */
export function OfferShared({
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
  const link = isOne ? offerLink(row, first, location.origin) : shareLink(row, "borrow", location.origin);

  return (
    <SuccessAlert
      title={isOne ? "Your offer is in the book" : `${offerIds.length} offers are in the book`}
      onClose={onClose}
      action={
        <Button onClick={() => void copyToClipboard(link, "link")}>
          <Share2 size={16} aria-hidden />
          Share
        </Button>
      }
    >
      <p>
        Borrowers of {withoutBundleNumber(row.collectionName)} can take {isOne ? "it" : "them"} now. Where{" "}
        {isOne ? "it ranks" : "they rank"}, and the amount to the best offer, is in your portfolio.
      </p>
      <p className="font-mono text-xs break-all text-muted">{link}</p>
    </SuccessAlert>
  );
}
