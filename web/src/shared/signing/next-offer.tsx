import { formatPercent } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";

/** The figures by which an offer is chosen. */
export interface OfferFigures {
  principalSats: bigint;
  termDays: number;
  interestPercent: number;
}

/** `The next offer is 0.00310 BTC for 14 days at 1.5 %.` */
export function nextOfferText({ principalSats, termDays, interestPercent }: OfferFigures): string {
  return `The next offer is ${formatBtc(principalSats)} BTC for ${termDays} days at ${formatPercent(interestPercent)}.`;
}

/** A refused offer: the reason, and the next one with a button that takes it. */
export function NextOffer({
  reason,
  next,
  disabled,
  onTake,
}: {
  reason: string;
  /** Null without another offer for the same collateral. */
  next: OfferFigures | null;
  disabled: boolean;
  onTake: () => void;
}) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded-control bg-warn-tint px-3 py-2 text-sm text-warn"
    >
      <p>
        This offer cannot be taken now: {reason.replace(/\.+$/, "")}.{" "}
        {next ? nextOfferText(next) : "There is no other offer for it now."}
      </p>
      {next && (
        <Button size="small" className="self-start" disabled={disabled} onClick={onTake}>
          Take the next offer
        </Button>
      )}
    </div>
  );
}
