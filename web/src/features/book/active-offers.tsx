import { Pencil, TrendingUpDown, Zap } from "lucide-react";
import type { BookOffer } from "@/shared/api/book";
import type { Collection } from "@/shared/api/collection";
import { type Conditions, conditionTexts } from "@/shared/api/conditions";
import type { Loan } from "@/shared/api/loan";
import { formatAge, formatMoment } from "@/shared/format/age";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { priceName } from "@/shared/price/peg-text";
import { Badge } from "@/shared/ui/badge";
import { buttonClass, IconButton } from "@/shared/ui/button";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { Hint } from "@/shared/ui/hint";
import { DESKTOP_SCREEN, useMediaQuery } from "@/shared/ui/use-media-query";
import { useNow } from "@/shared/ui/use-now";
import { type BookColumn, BookTable } from "./book-table";
import { collateralText, type OfferLine } from "./book-view";
import { reservationText } from "./reservation";

const AGE_RENEWED_MS = 10_000;
/**
 * The deepest bar ends slightly before the first column, so that the numbers next to it have a plain
 * background.
 */
const DEPTH_SHARE = 0.95;

const OTHER_COLUMNS_WIDTH = 74;

/** Below the number and without a background, where there is no space next to it. */
const INLINE_ON_PHONES = "max-md:h-4 max-md:bg-transparent max-md:px-0";

interface ActiveOffersProps {
  row: Collection;
  lines: readonly OfferLine[];
  /** The offer that a link was opened for, which is marked. */
  linkedOfferId: string | null;
  /** The user's own loans, which an offer may be reserved for. */
  ownLoans: ReadonlyMap<string, Loan>;
  /** The offers that the user negotiates about. */
  negotiatedIds: ReadonlySet<string>;
  /** Null while too little is known of the offer to edit it. */
  onEdit: (offer: BookOffer) => (() => void) | null;
  onBorrow: (offer: BookOffer) => void;
  /** The reason why the user cannot pledge the collateral; null when they can. */
  pledgeRefusal: string | null;
}

export function ActiveOffers({
  row,
  lines,
  linkedOfferId,
  ownLoans,
  negotiatedIds,
  onEdit,
  onBorrow,
  pledgeRefusal,
}: ActiveOffersProps) {
  const now = useNow(AGE_RENEWED_MS);
  const isDesktop = useMediaQuery(DESKTOP_SCREEN);
  // Wider with the tokens of an offer next to it.
  const principalWidth = isDesktop && row.collateralType === "rune" ? 60 : 34;
  const depthPercent = (100 * DEPTH_SHARE * principalWidth) / (principalWidth + OTHER_COLUMNS_WIDTH);
  const columns: BookColumn<OfferLine>[] = [
    {
      id: "principal",
      label: "Principal",
      width: principalWidth,
      align: "left",
      cell: (line) => (
        <Principal
          line={line}
          row={row}
          linked={line.offer.offerId === linkedOfferId}
          negotiating={negotiatedIds.has(line.offer.offerId)}
        />
      ),
    },
    {
      id: "ltv",
      label: "LTV",
      width: 18,
      cell: ({ ltv }) => <Changing value={ltv}>{ltv === null ? "–" : formatPercentFixed(ltv, 2)}</Changing>,
    },
    {
      id: "date",
      label: "Date",
      width: 14,
      cell: ({ offer }) => (
        <time
          dateTime={new Date(offer.updatedAt).toISOString()}
          title={formatMoment(offer.updatedAt)}
          className={offer.state === "reserved" ? undefined : "text-soft"}
        >
          {formatAge(offer.updatedAt, now)}
        </time>
      ),
    },
    { id: "rating", label: "Rating", width: 16, cell: ({ offer }) => <Rating rate={offer.acceptanceRate} /> },
    {
      id: "action",
      label: "Action",
      width: 26,
      cell: (line) => (
        <Action
          line={line}
          ownLoans={ownLoans}
          onEdit={onEdit}
          onBorrow={onBorrow}
          pledgeRefusal={pledgeRefusal}
        />
      ),
    },
  ];
  return (
    <BookTable
      caption="Active offers"
      lines={lines}
      columns={columns}
      idOf={idOfLine}
      openAt={linkedOfferId}
      empty="No active offers."
      rowProps={(line) => ({
        "data-own": line.own ? "true" : undefined,
        "data-best": line.best ? "true" : undefined,
        "data-state": line.offer.state,
        "aria-current": line.offer.offerId === linkedOfferId ? "true" : undefined,
      })}
      rowClass={(line) =>
        classNames(
          "transition-colors duration-(--calm)",
          line.offer.offerId === linkedOfferId && "bg-raised outline-2 -outline-offset-2 outline-line-strong",
          line.own && "shadow-[inset_3px_0_0_var(--text)]",
          line.offer.state === "reserved" && "text-muted",
        )
      }
      backdrop={(line) => (
        <span
          aria-hidden
          style={{ width: `${line.depth * depthPercent}%` }}
          className={classNames(
            "pointer-events-none absolute inset-y-1 left-0 -z-10 rounded-r-[4px] transition-[width] duration-(--calm)",
            line.own ? "bg-line" : line.best ? "bg-up-tint" : "bg-raised",
            line.offer.state === "reserved" && "opacity-40",
            // Offers that can be taken at once pulse; only the bar does, so that the numbers on it stay
            // readable.
            line.offer.process === "instant" && line.offer.state === "live" && !line.own && "animate-breathe",
          )}
        />
      )}
    />
  );
}

function idOfLine(line: OfferLine): string {
  return line.offer.offerId;
}

function Principal({
  line,
  row,
  linked,
  negotiating,
}: {
  line: OfferLine;
  row: Collection;
  linked: boolean;
  negotiating: boolean;
}) {
  const { offer, best, own, sats } = line;
  const partly = offer.usedSats > 0n;
  const isReserved = offer.state === "reserved";
  const collateral = collateralText(offer, row);
  const hasOwnTerms = offer.isAgreed;
  // A phone has space for one label of a row; the one that is least known from elsewhere.
  const isLabelled = hasOwnTerms || negotiating;
  return (
    <span className="flex items-center gap-2 max-md:flex-col max-md:items-start max-md:gap-0">
      <span className="flex flex-col items-start">
        <span className="flex items-center gap-1">
          <Changing value={sats} className={best ? "font-strong" : undefined}>
            <span title={partly ? `${formatBtc(sats)} of ${formatBtc(offer.principalSats)} left` : undefined}>
              {formatBtc(sats)}
              <span className="text-muted"> ₿</span>
            </span>
          </Changing>
          {offer.isPegged && <PegMark row={row} />}
        </span>
        {hasOwnTerms && (
          <span className="text-xs text-muted max-md:text-up">
            {formatPercent(offer.interestPercent)} for {offer.termDays} d
          </span>
        )}
      </span>
      <span className="flex items-center gap-2 empty:hidden max-md:gap-1.5">
        {own && (
          <Badge
            tone="own"
            className={classNames("md:bg-surface!", INLINE_ON_PHONES, isLabelled && "max-md:sr-only")}
          >
            Yours
          </Badge>
        )}
        {best && !own && (
          <Badge
            tone="up"
            className={classNames("md:bg-surface!", INLINE_ON_PHONES, isLabelled && "max-md:sr-only")}
          >
            Best
          </Badge>
        )}
        {linked && (
          // A phone has no space for another badge; its row has an outline too.
          <Badge
            className={classNames(
              "md:bg-surface!",
              INLINE_ON_PHONES,
              (own || best || isReserved || isLabelled) && "max-md:sr-only",
            )}
          >
            Linked
          </Badge>
        )}
        {offer.conditions && (
          <ConditionsBadge
            conditions={offer.conditions}
            isForMe={line.isForMe}
            isHiddenOnPhones={isLabelled}
          />
        )}
        {isReserved && <Badge className={INLINE_ON_PHONES}>Reserved</Badge>}
        {negotiating && (
          <Badge tone="warn" className={classNames("md:bg-surface!", INLINE_ON_PHONES)}>
            Negotiating
          </Badge>
        )}
      </span>
      {collateral !== null && (
        <span className="truncate text-xs text-muted max-lg:hidden">for {collateral}</span>
      )}
    </span>
  );
}

/** Marks a principal that moves with the floor. */
function PegMark({ row }: { row: Collection }) {
  const text = `Follows the ${priceName(row.collateralType)}`;
  return (
    <span title={text} className="flex text-muted">
      <TrendingUpDown size={14} aria-hidden />
      <span className="sr-only">{text}</span>
    </span>
  );
}

/** The conditions of the offer, or that it is for the user alone. */
function ConditionsBadge({
  conditions,
  isForMe,
  isHiddenOnPhones,
}: {
  conditions: Conditions;
  isForMe: boolean;
  isHiddenOnPhones: boolean;
}) {
  const texts = conditionTexts(conditions);
  return (
    <Badge
      tone={isForMe ? "up" : "neutral"}
      title={texts.join(", ")}
      className={classNames("md:bg-surface!", INLINE_ON_PHONES, isHiddenOnPhones && "max-md:sr-only")}
    >
      {isForMe ? "Only for you" : "Conditions"}
      {!isForMe && <span className="sr-only">: {texts.join(", ")}</span>}
    </Badge>
  );
}

/** The lender's rate of counter-signing borrowers' requests. */
function Rating({ rate }: { rate: number | null }) {
  if (rate === null) return <span className="text-muted">new</span>;
  return (
    <span title="Share of accepted offers this lender counter-signed">{formatPercent(Math.round(rate))}</span>
  );
}

interface ActionProps extends Pick<ActiveOffersProps, "ownLoans" | "onEdit" | "onBorrow" | "pledgeRefusal"> {
  line: OfferLine;
}

function Action({ line, ownLoans, onEdit, onBorrow, pledgeRefusal }: ActionProps) {
  if (line.own) {
    const edit = onEdit(line.offer);
    const button = (
      <IconButton label="Edit offer" size="small" aria-disabled={!edit} onClick={edit ?? undefined}>
        <Pencil size={15} aria-hidden />
      </IconButton>
    );
    return <Hint text={edit ? null : "Your offers are still loading."}>{button}</Hint>;
  }
  const reason =
    pledgeRefusal ??
    (line.offer.state === "reserved" ? reservationText(ownLoans.values(), line.offer.offerId) : null);
  const button = (
    <button
      type="button"
      aria-disabled={reason !== null}
      onClick={reason === null ? () => onBorrow(line.offer) : undefined}
      className={classNames(buttonClass({ variant: "secondary", size: "small" }), "max-md:px-2")}
    >
      {line.offer.process === "instant" && (
        <Zap
          size={12}
          aria-hidden
          className={classNames("max-md:hidden", reason === null && "animate-breathe")}
        />
      )}
      Borrow
    </button>
  );
  return <Hint text={reason}>{button}</Hint>;
}
