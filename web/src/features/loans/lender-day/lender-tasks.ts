import type { Loan } from "@/shared/api/loan";
import type { MyOffer } from "@/shared/api/my-offer";
import { formatRemaining } from "@/shared/format/countdown";
import { loansText } from "../loans-text";

/** Something for a lender to do, and the screen where it is done. */
export interface LenderTask {
  id: "counter_signatures" | "claims" | "expired" | "paused";
  title: string;
  /** The deadline or the cause; null if there is none to name. */
  detail: string | null;
  to: string;
  isUrgent: boolean;
}

/** The parts of an offer that say whether it waits for its lender. */
type OfferState = Pick<
  MyOffer,
  | "offerId"
  | "tags"
  | "isExpired"
  | "isPausedByLender"
  | "isPausedFromTerms"
  | "isPausedFromMissingFunds"
  | "isPausedFromInsufficientBalance"
>;

const PENDING = "/portfolio/pending";
const OFFERS = "/portfolio?tab=offers";

/** What waits for a lender, the most urgent first: a signature lapses, a claim can wait. */
export function lenderTasks(
  loans: readonly Loan[],
  offers: readonly OfferState[],
  nowMs: number,
): LenderTask[] {
  const lent = loans.filter(({ role }) => role === "lender");
  const toSign = lent.filter(({ waitsFor }) => waitsFor === "counter_signature");
  const toClaim = lent.filter(({ waitsFor }) => waitsFor === "claim");
  const expired = offers.filter(({ isExpired }) => isExpired);
  const paused = offers.filter(({ tags, isExpired }) => tags.includes("paused") && !isExpired);
  const tasks: Array<LenderTask | false> = [
    toSign.length > 0 && {
      id: "counter_signatures",
      title: `Counter-sign ${loansText(toSign.length)}`,
      detail: firstDeadlineText(toSign, nowMs),
      to: PENDING,
      isUrgent: true,
    },
    toClaim.length > 0 && {
      id: "claims",
      title: `Claim the collateral of ${loansText(toClaim.length)}`,
      detail: "Borrowers can still repay until you do",
      to: PENDING,
      isUrgent: true,
    },
    expired.length > 0 && {
      id: "expired",
      title: expired.length === 1 ? "1 offer has expired" : `${expired.length} offers have expired`,
      detail: "Choose how long they are good, or cancel them",
      to: offersLink(expired),
      isUrgent: false,
    },
    paused.length > 0 && {
      id: "paused",
      title: paused.length === 1 ? "1 offer is paused" : `${paused.length} offers are paused`,
      detail: pausesText(paused),
      to: offersLink(paused),
      isUrgent: false,
    },
  ];
  return tasks.filter((task) => task !== false);
}

/** A single offer opens at once. */
function offersLink(offers: readonly OfferState[]): string {
  const [only, ...others] = offers;
  return only && others.length === 0 ? `${OFFERS}&offer=${encodeURIComponent(only.offerId)}` : OFFERS;
}

function firstDeadlineText(loans: readonly Loan[], nowMs: number): string | null {
  const deadlines = loans.flatMap(({ expiresAt }) => expiresAt ?? []);
  if (deadlines.length === 0) return null;
  const left = formatRemaining(Math.min(...deadlines), nowMs);
  if (left === null) return null;
  return loans.length === 1 ? `${left} to sign` : `${left} to sign the first`;
}

/** The causes that the lender can end; the others end by themselves. */
function pausesText(paused: readonly OfferState[]): string | null {
  const byLender = paused.filter(({ isPausedByLender }) => isPausedByLender).length;
  const unfunded = paused.filter(
    (offer) => offer.isPausedFromMissingFunds || offer.isPausedFromInsufficientBalance,
  ).length;
  const terms = paused.filter(({ isPausedFromTerms }) => isPausedFromTerms).length;
  const texts = [
    byLender > 0 && `${byLender} by you`,
    unfunded > 0 && `${unfunded} for lack of bitcoin`,
    terms > 0 && `${terms} until you accept new terms`,
  ].filter((text) => text !== false);
  return texts.length > 0 ? texts.join(", ") : null;
}
