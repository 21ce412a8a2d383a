import { Share2 } from "lucide-react";
import { type Collection, categoryOf } from "@/shared/api/collection";
import { withoutBundleNumber } from "@/shared/format/name";
import { SuccessAlert } from "@/shared/signing/success-alert";
import { Button } from "@/shared/ui/button";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";

/** After offers were made: where they are seen, and a link for those who may want to borrow. */
export function OfferShared({
  row,
  count,
  onClose,
}: {
  row: Collection;
  count: number;
  onClose: () => void;
}) {
  const link = `${location.origin}/borrow/${categoryOf(row.collateralType)}?collection=${encodeURIComponent(row.groupSlug)}`;

  return (
    <SuccessAlert
      title={count > 1 ? `${count} offers are in the book` : "Your offer is in the book"}
      onClose={onClose}
      action={
        <Button onClick={() => void copyToClipboard(link, "link")}>
          <Share2 size={16} aria-hidden />
          Share
        </Button>
      }
    >
      <p>
        Borrowers of {withoutBundleNumber(row.collectionName)} can take it now. Its rank, and what it lacks to
        lead, is in your portfolio.
      </p>
      <p className="font-mono text-xs break-all text-muted">{link}</p>
    </SuccessAlert>
  );
}
