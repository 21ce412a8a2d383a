import { type ComponentType, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "react-router";
import type { MyOffer } from "@/shared/api/my-offer";
import { useMe } from "@/shared/feed/use-feed";
import { ConnectButton } from "@/shared/session/connect-button";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button, buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { EmptyState } from "@/shared/ui/empty-state";
import { DESKTOP_SCREEN, useMediaQuery } from "@/shared/ui/use-media-query";
import { AcceptTermsDialog } from "./accept-terms-dialog";
import { CancelDialog } from "./cancel-dialog";
import { DeleteDialog } from "./delete-dialog";
import { LimitsPanel } from "./limits-panel";
import { OfferCards } from "./offer-cards";
import { UNFILTERED, viewedOffers } from "./offer-filter";
import { acceptableTerm } from "./offer-state";
import { OfferTable } from "./offer-table";
import { OfferToolbar } from "./offer-toolbar";
import { OfferViewDialog } from "./offer-view-dialog";
import { type Ranks, rankChangeText, ranksOf } from "./rank-change";
import { watchRanks } from "./rank-history";
import { useViewedOffer } from "./viewed-offer";

/** The dialog that edits an offer. */
type EditOfferDialog = ComponentType<{ offer: MyOffer; onClose: () => void }>;

/** The lender's own offers, live: their ranks and actions. */
export function OffersList({ EditDialog }: { EditDialog: EditOfferDialog }) {
  const session = useSession((state) => state.session);
  const me = useMe();
  useEffect(watchRanks, []);
  if (!session) {
    return (
      <EmptyState title="Connect to see your offers" action={<ConnectButton variant="secondary" />}>
        Your offers appear here live, each with its rank and the amount to the best offer.
      </EmptyState>
    );
  }
  if (!me.data) {
    return <EmptyState title={me.refusal ?? "Fetching"}>Loading your offers.</EmptyState>;
  }
  return <Offers session={session} offers={me.data.offers} isLive={me.live} EditDialog={EditDialog} />;
}

function Offers({
  session,
  offers,
  isLive,
  EditDialog,
}: {
  session: Session;
  offers: ReadonlyMap<string, MyOffer>;
  isLive: boolean;
  EditDialog: EditOfferDialog;
}) {
  const [view, setView] = useState(UNFILTERED);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<OpenAction | null>(null);
  const viewing = useViewedOffer(offers, isLive);
  const isDesktop = useMediaQuery(DESKTOP_SCREEN);
  const shown = useMemo(() => viewedOffers(offers.values(), view), [offers, view]);
  // An offer that has gone is no longer selected, even though it was not deselected.
  const chosen = useMemo(() => [...selected].flatMap((id) => offers.get(id) ?? []), [offers, selected]);

  const select = useCallback((offerId: string, isSelected: boolean) => {
    setSelected((before) => withSelection(before, [offerId], isSelected));
  }, []);
  const edit = useCallback((offer: MyOffer) => setOpen({ action: "edit", offer }), []);
  const cancel = useCallback((offer: MyOffer) => setOpen({ action: "cancel", offer }), []);
  const update = useCallback((offer: MyOffer) => setOpen({ action: "update", offer }), []);
  const close = useCallback(() => setOpen(null), []);

  const selectAll = (isSelected: boolean) => {
    const ids = shown.map(({ offerId }) => offerId);
    setSelected((before) => withSelection(before, ids, isSelected));
  };
  const handlers = { onEdit: edit, onCancel: cancel, onUpdate: update, onOpen: viewing.view };
  const list = { offers: shown, selected, onSelect: select, ...handlers };

  return (
    <section aria-label="Your offers" className="flex flex-col gap-4">
      <RankAnnouncer offers={offers} />
      <LimitsPanel session={session} offers={offers} onCancelAll={() => setOpen({ action: "cancel all" })} />
      {offers.size === 0 ? (
        <EmptyState
          title="No offers."
          action={
            <Link to="/lend/ordinals" className={buttonClass({ variant: "primary" })}>
              Make an offer
            </Link>
          }
        >
          Offers you make appear here with their rank. Start with a collection you would be glad to own.
        </EmptyState>
      ) : (
        <>
          <OfferToolbar
            view={view}
            onView={setView}
            selectedCount={chosen.length}
            onDelete={() => setOpen({ action: "delete" })}
            showSort={!isDesktop}
          />
          {shown.length === 0 ? (
            <EmptyState
              title="No results found"
              action={<Button onClick={() => setView(UNFILTERED)}>Show all {offers.size} offers</Button>}
            />
          ) : (
            <div className={classNames(!isLive && "stale")}>
              {isDesktop ? (
                <OfferTable {...list} view={view} onView={setView} onSelectAll={selectAll} />
              ) : (
                <OfferCards {...list} />
              )}
            </div>
          )}
        </>
      )}
      {viewing.offer && open === null && (
        <DialogBoundary onClose={viewing.leave}>
          <OfferViewDialog offer={viewing.offer} {...handlers} onClose={viewing.leave} />
        </DialogBoundary>
      )}
      <DialogBoundary onClose={close}>
        <OpenActionDialog
          open={open}
          chosen={open?.action === "cancel all" ? [...offers.values()] : chosen}
          EditDialog={EditDialog}
          onDeleted={(gone) => setSelected((before) => withSelection(before, gone, false))}
          onClose={close}
        />
      </DialogBoundary>
    </section>
  );
}

type OpenAction =
  | { action: "edit" | "cancel" | "update"; offer: MyOffer }
  | { action: "delete" | "cancel all" };

interface OpenActionDialogProps {
  open: OpenAction | null;
  chosen: MyOffer[];
  EditDialog: EditOfferDialog;
  onDeleted: (offerIds: string[]) => void;
  onClose: () => void;
}

function OpenActionDialog({ open, chosen, EditDialog, onDeleted, onClose }: OpenActionDialogProps) {
  switch (open?.action) {
    case undefined:
      return null;
    case "delete":
    case "cancel all":
      return (
        <DeleteDialog
          offers={chosen}
          areAll={open.action === "cancel all"}
          onDeleted={onDeleted}
          onClose={onClose}
        />
      );
    case "edit":
      return <EditDialog offer={open.offer} onClose={onClose} />;
    case "cancel":
      return <CancelDialog offer={open.offer} onClose={onClose} />;
    case "update": {
      const change = acceptableTerm(open.offer);
      return change && <AcceptTermsDialog offer={open.offer} change={change} onClose={onClose} />;
    }
  }
}

function withSelection(before: ReadonlySet<string>, offerIds: string[], isSelected: boolean): Set<string> {
  const after = new Set(before);
  for (const offerId of offerIds) {
    if (isSelected) after.add(offerId);
    else after.delete(offerId);
  }
  return after;
}

/** Announces a changed rank to screen readers, at the next pause. */
function RankAnnouncer({ offers }: { offers: ReadonlyMap<string, MyOffer> }) {
  const known = useRef<Ranks>(new Map());
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    const text = rankChangeText(known.current, offers.values());
    known.current = ranksOf(offers.values());
    if (text) setAnnouncement(text);
  }, [offers]);
  return (
    <p role="status" className="sr-only" data-testid="rank-change">
      {announcement}
    </p>
  );
}
