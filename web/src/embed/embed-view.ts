import { daysText } from "@/shared/format/days";
import { formatPercent } from "@/shared/format/percent";
import { formatBtcExact } from "@/shared/format/sats";
import type { EmbedAddress } from "./embed-address";
import type { EmbedState } from "./embed-state";
import type { BestQuote, Quote } from "./quote";

/** The texts of the page. An absent one is empty. */
export type Slot =
  | "title"
  | "collection"
  | "principal"
  | "source"
  | "interest"
  | "term"
  | "ltv"
  | "repayment"
  | "promise"
  | "noticeTitle"
  | "noticeText"
  | "freshness";

/** What the page shows. */
export interface EmbedView {
  state: "loading" | "quote" | "notice";
  freshness: "waiting" | "live" | "stale";
  change: "up" | "down" | null;
  texts: Partial<Record<Slot, string>>;
  /** The one link to the app; null where trying again is all that helps. */
  act: { label: string; href: string } | null;
}

type Act = EmbedView["act"];
/** A view without figures, about a reason. */
type ToNotice = (title: string, text: string, act: Act) => EmbedView;

const MARKET: Act = { label: "See all collections", href: "/borrow/ordinals" };

/** The page of a state. `clock` formats the time of the last answer. */
export function viewOf(state: EmbedState, clock: (time: number) => string): EmbedView {
  const { address, quote, unknown, failures, answeredAt, change } = state;
  const isStale = failures > 0;
  const freshness = isStale ? "stale" : answeredAt === null ? "waiting" : "live";
  const base = { freshness, change } as const;
  const texts = {
    title: titleOf(address),
    collection: quote?.collectionName ?? "",
    freshness: freshnessText(state, clock),
  };
  const notice: ToNotice = (noticeTitle, noticeText, act) => ({
    ...base,
    state: "notice",
    texts: { ...texts, noticeTitle, noticeText },
    act,
  });
  if (address.collection === null) {
    return notice("No collection to show", "The address of this frame names none of inscriptions.", MARKET);
  }
  if (unknown === "inscription") {
    const text = "It does not belong to a collection that lenders quote for here.";
    return notice("This inscription cannot be pledged", text, MARKET);
  }
  if (unknown === "collection") {
    return notice("This collection is not listed", "No lender quotes for it here.", MARKET);
  }
  if (quote?.best) {
    const act = {
      label: `Borrow ${formatBtcExact(quote.best.principalSats)} BTC`,
      href: borrowHref(quote.slug, quote.best.process, address),
    };
    return { ...base, state: "quote", texts: { ...texts, ...figures(quote.best, address) }, act };
  }
  if (quote) return withoutOffers(quote, notice);
  if (isStale) {
    const text = "The market did not answer. It is asked again by itself.";
    return notice("The offers could not be loaded", text, null);
  }
  // As high as the quote that follows, so that nothing around the frame moves.
  const promise = promiseOf("its term", address);
  const act = { label: "Borrow", href: borrowHref(address.collection, "manual", address) };
  return { ...base, state: "loading", texts: { ...texts, promise }, act };
}

function freshnessText(
  { address, quote, failures, answeredAt }: EmbedState,
  clock: (time: number) => string,
) {
  if (address.collection === null) return "";
  if (failures > 0) return answeredAt === null ? "Not reached" : `Not reached since ${clock(answeredAt)}`;
  if (answeredAt === null) return "Fetching the best offer";
  return quote?.best ? "Live quote" : "Up to date";
}

function titleOf({ inscriptionId }: EmbedAddress): string {
  return inscriptionId === null ? "Borrow against an inscription" : "Borrow against this inscription";
}

function withoutOffers({ slug, collectionName, isLendingAllowed }: Quote, notice: ToNotice): EmbedView {
  const href = `/borrow/ordinals?collection=${encodeURIComponent(slug)}&view=book`;
  if (!isLendingAllowed) {
    const text = `New offers against ${collectionName} are not taken at present. Running loans go on.`;
    return notice("Lending is paused", text, { label: "Open the order book", href });
  }
  const text = `The best offer against ${collectionName} appears here as soon as a lender quotes.`;
  return notice("No offers now", text, { label: "Request a loan", href });
}

function figures(best: BestQuote, address: EmbedAddress): Partial<Record<Slot, string>> {
  const term = daysText(best.termDays);
  return {
    principal: formatBtcExact(best.principalSats),
    source:
      best.process === "instant"
        ? "Best offer, lent from a vault"
        : "Best offer, counter-signed by its lender",
    interest: formatPercent(best.interestPercent),
    term,
    ltv: best.ltvPercent === null ? "unknown" : formatPercent(best.ltvPercent),
    repayment: `${formatBtcExact(best.repaymentSats)} BTC`,
    promise: promiseOf(term, address),
  };
}

function promiseOf(term: string, { inscriptionId }: EmbedAddress): string {
  const collateral = inscriptionId === null ? "the inscription" : "this inscription";
  return `No price liquidates the loan. Repay within ${term} and ${collateral} is yours again; otherwise the lender receives it.`;
}

/** The app's address that opens the borrow dialog. */
function borrowHref(slug: string, process: BestQuote["process"], { inscriptionId }: EmbedAddress): string {
  const query = new URLSearchParams([["collection", slug]]);
  if (process === "instant") query.append("process", process);
  if (inscriptionId !== null) query.append("inscription", inscriptionId);
  return `/borrow/ordinals?${query}`;
}
