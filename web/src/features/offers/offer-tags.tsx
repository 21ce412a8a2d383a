import { CalendarClock, ChevronRight, Hourglass, Lock, TrendingUpDown, Zap } from "lucide-react";
import { conditionTexts } from "@/shared/api/conditions";
import type { MyOffer } from "@/shared/api/my-offer";
import { formatDayMonth } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { boundsText } from "@/shared/price/peg-text";
import { Badge } from "@/shared/ui/badge";
import { classNames } from "@/shared/ui/class-names";
import { pegSummary, pegTag } from "./offer-peg";
import { expiryText, pauseReasons, termWarning } from "./offer-state";

/**
 * The special properties of an offer as tags. Process and collateral, which every offer has, are shown only
 * with `full`.
 */
export function OfferTags({
  offer,
  full = false,
  onOpen,
}: {
  offer: MyOffer;
  full?: boolean;
  /** Opens the offer, which shows how to end a pause. */
  onOpen: (offer: MyOffer) => void;
}) {
  const reasons = pauseReasons(offer);
  const collateral = { inscription: "ordinal", rune: "rune", brc20: "BRC-20" }[offer.collateralType];
  return (
    <span className={classNames("flex min-w-0 items-center gap-1", full && "flex-wrap")}>
      {reasons.length > 0 && (
        <button
          type="button"
          title={reasons.join("\n")}
          onClick={() => onOpen(offer)}
          className="relative inline-flex shrink-0 rounded-full transition-opacity before:absolute before:-inset-1.5 hover:opacity-80"
        >
          <Badge tone="warn">
            Paused<span className="sr-only">: {reasons.join(", ")}</span>
            <ChevronRight size={12} aria-hidden className="-mr-1" />
          </Badge>
        </button>
      )}
      <PegTag offer={offer} full={full} isAlone={reasons.length === 0} />
      <TermTag offer={offer} full={full} />
      <ExpiryTag offer={offer} full={full} />
      <ConditionsTag offer={offer} full={full} />
      {offer.isBestOffer && <Badge tone="own">best offer</Badge>}
      {offer.tags.includes("under offer") && <Badge tone="up">under offer</Badge>}
      {full ? (
        <Badge>{offer.loanProcessType === "Instant" ? "instant" : "manual"}</Badge>
      ) : (
        offer.loanProcessType === "Instant" && (
          <Badge title="instant" className="px-1!">
            <Zap size={12} aria-hidden />
            <span className="sr-only">instant</span>
          </Badge>
        )
      )}
      {full && <Badge>{collateral}</Badge>}
    </span>
  );
}

/**
 * The share of the floor that the principal follows: in words with `full`, in the table the percentage, and the
 * range where no other tag needs the space.
 */
function PegTag({ offer, full, isAlone }: { offer: MyOffer; full: boolean; isAlone: boolean }) {
  const summary = pegSummary(offer);
  if (summary === null || offer.peg === null) return null;
  return (
    <Badge title={summary} className={full ? undefined : "min-w-0 shrink! px-1.5!"}>
      <TrendingUpDown size={12} aria-hidden className="shrink-0" />
      {full ? (
        pegTag(offer)
      ) : (
        <>
          <span aria-hidden className="truncate">
            {formatPercent(offer.peg.ltv)}
            {isAlone && <span className="max-xl:hidden">, {boundsText(offer.peg)}</span>}
          </span>
          <span className="sr-only">{summary}</span>
        </>
      )}
    </Badge>
  );
}

/** The time until which the offer is good, if it has one: the date with `full`, an icon in the table. */
function ExpiryTag({ offer, full }: { offer: MyOffer; full: boolean }) {
  if (offer.goodUntil === null || offer.isExpired) return null;
  const text = expiryText(offer);
  if (full) return <Badge>{text}</Badge>;
  return (
    <Badge title={text} className="px-1!">
      <Hourglass size={12} aria-hidden />
      <span className="sr-only">{text}</span>
    </Badge>
  );
}

/** Who can take the offer, if not anyone: as text with `full`, an icon in the table. */
function ConditionsTag({ offer, full }: { offer: MyOffer; full: boolean }) {
  if (offer.conditions === null) return null;
  const text = conditionTexts(offer.conditions).join(", ");
  return (
    <Badge title={text} className="px-1!">
      <Lock size={12} aria-hidden />
      {full ? "conditions" : <span className="sr-only">{text}</span>}
    </Badge>
  );
}

/**
 * Pending terms that are not accepted: the full text with `full`; in the table an icon, with the date on a
 * wide screen.
 */
function TermTag({ offer, full }: { offer: MyOffer; full: boolean }) {
  const warning = termWarning(offer);
  const change = offer.newTermChangeRequest;
  if (warning === null || change === null) return null;
  const meaning = "The offer pauses on that day unless you accept the new terms";
  if (full) {
    return (
      <Badge tone="warn" title={meaning}>
        {warning}
      </Badge>
    );
  }
  return (
    <Badge tone="warn" title={`${warning}. ${meaning}.`} className="max-xl:px-1!">
      <CalendarClock size={12} aria-hidden />
      <span className="sr-only">{warning}</span>
      <span aria-hidden className="max-xl:hidden">
        {formatDayMonth(change.changeDate)}
      </span>
    </Badge>
  );
}
