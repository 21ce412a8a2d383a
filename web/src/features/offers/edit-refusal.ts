import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";

/** The reason why an offer cannot be edited, as the end of a sentence; null when it can. */
export function editRefusal(offer: MyOffer): string | null {
  if (offer.isAgreed) return "its terms were agreed on with the borrower";
  if (takesSeveral(offer)) return "it is against the inscriptions of a request";
  return isUnderOffer(offer) ? "a borrower is taking it" : null;
}

/** Whether it takes several inscriptions together: only an offer that fills a request for them does. */
function takesSeveral({ collateralType, fungibleAmount, bundleSize }: MyOffer): boolean {
  return collateralType === "inscription" && fungibleAmount > (bundleSize ?? 1n);
}
