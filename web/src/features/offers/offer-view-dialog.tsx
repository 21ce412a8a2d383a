import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import { priceSourceQuery } from "@/shared/api/price-source";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { formatMoment } from "@/shared/format/age";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatApy, formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { FundWallet } from "@/shared/funding/fund-wallet";
import { FundingCoinNotice } from "@/shared/funding/funding-coin-notice";
import { OneSourceNote } from "@/shared/price/price-source-note";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { Changing } from "@/shared/ui/changing";
import { Modal } from "@/shared/ui/modal";
import { Notice } from "@/shared/ui/notice";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { editRefusal } from "./edit-refusal";
import { OfferAudience } from "./offer-audience";
import { filledPercent, offerCollateral } from "./offer-collateral";
import { OfferExpiry } from "./offer-expiry";
import { OfferHistoryPanel } from "./offer-history-panel";
import { OfferPegPanel } from "./offer-peg-panel";
import { OfferRankCell } from "./offer-rank-cell";
import { acceptableTerm, pauseNotices, termNotice } from "./offer-state";
import { priceNotice } from "./price-notice";

interface OfferViewDialogProps {
  /** The current state of the offer, which the dialog follows. */
  offer: MyOffer;
  onEdit: (offer: MyOffer) => void;
  onCancel: (offer: MyOffer) => void;
  onUpdate: (offer: MyOffer) => void;
  onClose: () => void;
}

/** The details of one of the user's own offers, live. */
export function OfferViewDialog({ offer, onEdit, onCancel, onUpdate, onClose }: OfferViewDialogProps) {
  const isTaken = isUnderOffer(offer);
  const refusal = editRefusal(offer);
  const kind = offer.loanProcessType === "Instant" ? "Instant offer" : "Manual offer";
  const notice = termNotice(offer);
  const pauses = pauseNotices(offer);
  const session = useSession((state) => state.session);
  // It outlives the notice that opened it: funding the vault ends the pause.
  const { VaultDialog } = useAppDialogs();
  const [isVaultOpen, setIsVaultOpen] = useState(false);
  return (
    <Modal
      open
      onClose={onClose}
      title={withoutBundleNumber(offer.collectionName)}
      description={`${kind}, ${offer.term} days at ${formatPercent(offer.interest)}`}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {isTaken && (
            <p className="mr-auto basis-full text-xs text-muted">
              A borrower is taking it, so it cannot be edited or cancelled.
            </p>
          )}
          <Button variant="danger" disabled={isTaken} onClick={() => onCancel(offer)}>
            Cancel offer
          </Button>
          {refusal !== null && !isTaken && (
            <p className="mr-auto basis-full text-xs text-muted">
              It can be cancelled and not edited, because {refusal}.
            </p>
          )}
          <Button disabled={refusal !== null} onClick={() => onEdit(offer)}>
            Edit offer
          </Button>
          {acceptableTerm(offer) && (
            <Button variant="primary" onClick={() => onUpdate(offer)}>
              Update
            </Button>
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <section
          aria-label="Best offer status"
          className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1"
        >
          <span className="text-base">
            <OfferRankCell offer={offer} />
          </span>
          <span className="text-sm text-muted">{bestOfferText(offer)}</span>
        </section>
        {pauses.map(({ title, next, action }) => (
          <Notice
            key={title}
            title={`Paused: ${title}`}
            action={
              action === "fund vault" && (
                <Button size="small" onClick={() => setIsVaultOpen(true)}>
                  Fund vault
                </Button>
              )
            }
          >
            {next}
          </Notice>
        ))}
        {session && (
          <FundWallet session={session} isNeeded={pauses.some(({ action }) => action === "fund wallet")} />
        )}
        <VaultDialog open={isVaultOpen} tab="fund" onClose={() => setIsVaultOpen(false)} />
        {notice && <Notice title={notice.title}>{notice.next}</Notice>}
        <FundingCoinNotice offer={offer} />
        <PriceNotice offer={offer} />
        <OfferPegPanel offer={offer} />
        {/* One that follows the floor is lent whole, so it is never filled in part. */}
        {offer.peg === null && <Filled offer={offer} />}
        <OfferAudience offer={offer} />
        <OfferExpiry offer={offer} />
        <OfferNumbers offer={offer} />
        <OfferHistoryPanel offer={offer} />
      </div>
    </Modal>
  );
}

function bestOfferText(offer: MyOffer): string {
  if (offer.isBestOffer) return "This is the best offer.";
  if (offer.bestOffer === null) return "There is no other offer.";
  return `Best offer ${formatBtc(offer.bestOffer)} BTC`;
}

/** Renders nothing while the source is unknown: the offer is shown regardless of it. */
function PriceNotice({ offer }: { offer: MyOffer }) {
  const { data } = useQuery(priceSourceQuery(offer.groupId));
  const notice = priceNotice(data?.hold ?? null, offer.collateralType);
  if (notice) return <Notice title={notice.title}>{notice.next}</Notice>;
  return <OneSourceNote groupId={offer.groupId} />;
}

function Filled({ offer }: { offer: MyOffer }) {
  const percent = filledPercent(offer);
  return (
    <div>
      <p className="mb-1.5 flex justify-between text-sm">
        <span className="text-soft">Filled</span>
        <span>{formatPercent(percent)}</span>
      </p>
      <div
        role="progressbar"
        aria-label="Filled"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div className="h-full rounded-full bg-soft" style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
    </div>
  );
}

function OfferNumbers({ offer }: { offer: MyOffer }) {
  return (
    <SumLines>
      <SumLine label="Collateral">{offerCollateral(offer, offer.fungibleAmount)}</SumLine>
      <SumLine label={offer.peg === null ? "Principal" : "Principal now"} strong>
        <Changing value={offer.principal}>
          <Btc>{formatBtc(offer.principal)}</Btc>
        </Changing>
      </SumLine>
      <SumLine label="Remaining">
        <Changing value={offer.availablePrincipal}>
          {formatBtc(offer.availablePrincipal)} <span className="text-muted">BTC</span>
        </Changing>
        {offer.collateralType !== "inscription" && (
          <span className="block text-xs text-muted">
            against {offerCollateral(offer, offer.availableCollateral)}
          </span>
        )}
      </SumLine>
      <SumLine label="Current LTV">
        <Changing value={offer.ltv}>{offer.ltv === null ? "–" : formatPercentFixed(offer.ltv, 2)}</Changing>
      </SumLine>
      {offer.loanProcessType === "Instant" && offer.peg === null && (
        <SumLine label="Auto pause LTV">{offer.maxLtv === null ? "–" : formatPercent(offer.maxLtv)}</SumLine>
      )}
      <SumLine label="APY">{formatApy(offer.apy)}</SumLine>
      <SumLine label="Created">{formatMoment(offer.createdAt)}</SumLine>
      {offer.updatedAt !== offer.createdAt && (
        <SumLine label="Last changed">{formatMoment(offer.updatedAt)}</SumLine>
      )}
    </SumLines>
  );
}
