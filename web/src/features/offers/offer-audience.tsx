import { Share2 } from "lucide-react";
import { conditionTexts } from "@/shared/api/conditions";
import type { MyOffer } from "@/shared/api/my-offer";
import { offerLink } from "@/shared/share/share-link";
import { Button } from "@/shared/ui/button";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";

/** Who can take the offer, with the link of one that others find by it alone; nothing if anyone can. */
export function OfferAudience({ offer }: { offer: MyOffer }) {
  const { conditions } = offer;
  if (conditions === null) return null;
  const isByLink = conditions.linkKey !== null;
  return (
    <section
      aria-label="Who can take it"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm"
    >
      <div className="min-w-0">
        <h3 className="text-soft">Who can take it</h3>
        <ul>
          {conditionTexts(conditions).map((text) => (
            <li key={text} className="break-words first-letter:uppercase">
              {text}
            </li>
          ))}
        </ul>
      </div>
      {isByLink && (
        <Button
          size="small"
          onClick={() => {
            const link = offerLink(offer, offer.offerId, location.origin, conditions.linkKey);
            void copyToClipboard(link, "link");
          }}
        >
          <Share2 size={14} aria-hidden />
          Copy link
        </Button>
      )}
    </section>
  );
}
