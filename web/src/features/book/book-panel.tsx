import { useMemo, useState } from "react";
import type { BookOffer } from "@/shared/api/book";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import type { MyOffer } from "@/shared/api/my-offer";
import { pledgeRefusal } from "@/shared/collateral/pledge-refusal";
import type { Book } from "@/shared/feed/book-channel";
import { bookChannelName } from "@/shared/feed/feed-store";
import { useTakeableOffers } from "@/shared/feed/takeable-offers";
import { useBook, useMe, useRequests } from "@/shared/feed/use-feed";
import { useNegotiatedIds } from "@/shared/negotiations/use-negotiated-ids";
import { byLadder } from "@/shared/requests/request-ladder";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { RefusableButton } from "@/shared/ui/refusable-button";
import { useNow } from "@/shared/ui/use-now";
import { ActiveLoans } from "./active-loans";
import { ActiveOffers } from "./active-offers";
import { ActiveRequests } from "./active-requests";
import { BookHead } from "./book-head";
import { BookParts } from "./book-parts";
import { BookError, BookLoading } from "./book-placeholder";
import {
  type BookSelection,
  bookSummary,
  initialSelection,
  loanLines,
  offerLines,
  offersForUser,
  ownBest,
} from "./book-view";
import { DepthPanel } from "./depth-panel";
import { LinkedOffer } from "./linked-offer";
import { linkedState, selectionOf } from "./linked-offer-state";
import { OffersForUser } from "./offers-for-user";
import { OwnRank } from "./own-rank";
import { reservationText } from "./reservation";
import { useUnlistedOffer } from "./use-unlisted-offer";

interface BookPanelProps {
  row: Collection;
  mode: "borrow" | "lend";
  linkedOfferId: string | null;
  onCreateOffer: (groupId: string, subCollectionId: string) => void;
  onEditOffer: (offer: MyOffer) => void;
  onBorrow: (row: Collection, offer: BookOffer) => void;
  /** Called to fill a borrower's request. */
  onFill: (asked: BorrowRequest) => void;
  /** Called to ask lenders for a loan. */
  onRequest: (groupId: string) => void;
}

const MINUTE_MS = 60_000;
const NO_LOANS: ReadonlyMap<string, Loan> = new Map();

/** The body of the order book, once its group is known. */
export function BookPanel({ row, ...actions }: BookPanelProps) {
  const book = useBook(row.id);
  if (book.data) return <LiveBook book={book.data} live={book.live} {...actions} />;
  return book.refusal === null ? <BookLoading /> : <BookError channel={bookChannelName(row.id)} />;
}

function LiveBook({
  book,
  live,
  mode,
  linkedOfferId,
  onCreateOffer,
  onEditOffer,
  onBorrow,
  onFill,
  onRequest,
}: Omit<BookPanelProps, "row"> & { book: Book; live: boolean }) {
  const session = useSession((state) => state.session);
  const me = useMe().data;
  const mine = me?.offers;
  const ownLoans = me?.loans ?? NO_LOANS;
  const negotiatedIds = useNegotiatedIds();
  const [chosen, setChosen] = useState<BookSelection | null>(null);
  const userId = session?.userId ?? null;
  const unlisted = useUnlistedOffer(book.row.id, linkedOfferId, userId);
  // The linked offer may arrive after the book, and stays chosen when it is gone again.
  const linked = selectionOf(book, linkedOfferId);
  if (chosen === null && linked !== null) setChosen(linked);
  const selection = chosen ?? linked ?? initialSelection(book.row, processInAddress());

  const takeable = useTakeableOffers();
  const offers = useMemo(
    () => (selection ? offerLines(book, selection, { userId, takeable }, mode) : []),
    [book, selection, userId, takeable, mode],
  );
  const loans = useMemo(
    () => (selection ? loanLines(book, selection.subCollectionId, userId) : []),
    [book, selection, userId],
  );
  const asked = useRequests().data;
  const now = useNow(MINUTE_MS);
  const requests = useMemo(() => {
    const open = [...(asked?.values() ?? [])].filter(
      ({ groupId, state, goodUntil }) => groupId === book.row.id && state === "open" && goodUntil > now,
    );
    return open.sort(byLadder(() => book.row));
  }, [asked, book.row, now]);
  if (!selection) return <p className="px-5 py-14 text-center text-sm text-muted">No active offers.</p>;

  const own = ownBest(mine?.values() ?? [], book.row.id, selection);
  const edit = (offer: BookOffer) => {
    const known = mine?.get(offer.offerId);
    return known ? () => onEditOffer(known) : null;
  };
  const offersTable = (
    <ActiveOffers
      row={book.row}
      lines={offers}
      linkedOfferId={linkedOfferId}
      ownLoans={ownLoans}
      negotiatedIds={negotiatedIds}
      onEdit={edit}
      onBorrow={(offer) => onBorrow(book.row, offer)}
      pledgeRefusal={pledgeRefusal(session, book.row)}
    />
  );
  const loansTable = <ActiveLoans lines={loans} />;
  const requestsTable = (
    <ActiveRequests
      row={book.row}
      lines={requests}
      userId={userId}
      negotiatedIds={negotiatedIds}
      onFill={onFill}
    />
  );

  return (
    <div className="flex h-full flex-col">
      <BookHead
        row={book.row}
        selection={selection}
        summary={bookSummary(book, selection, offers, mode)}
        onSelect={setChosen}
      />
      {linkedOfferId !== null && (
        <LinkedOffer
          state={linkedState(book, linkedOfferId, userId, unlisted)}
          reserved={reservationText(ownLoans.values(), linkedOfferId)}
        />
      )}
      <OffersForUser offers={offersForUser(book, selection, userId)} onShow={setChosen} />
      <div className={classNames("min-h-0 flex-1", !live && "stale")}>
        <BookParts
          offers={offersTable}
          loans={loansTable}
          requests={requestsTable}
          depth={<DepthPanel book={book} requests={requests} userId={userId} />}
          counts={{ offers: offers.length, loans: loans.length, requests: requests.length }}
        />
      </div>
      <div className="modal-foot flex shrink-0 items-center gap-4 border-t border-line px-5 pt-4">
        {own && <OwnRank offer={own} key={own.offerId} />}
        {mode === "borrow" && book.row.isLendingAllowed && (
          <Button className="ml-auto max-md:flex-1" onClick={() => onRequest(book.row.id)}>
            Request a loan
          </Button>
        )}
        <RefusableButton
          variant={mode === "lend" ? "primary" : "secondary"}
          className={classNames("max-md:flex-1", mode === "lend" && "ml-auto")}
          refusal={book.row.isLendingAllowed ? null : "New offers are not taken here"}
          onClick={() => onCreateOffer(book.row.id, selection.subCollectionId)}
        >
          Create offer
        </RefusableButton>
      </div>
    </div>
  );
}

/** The process type of the table behind the dialog, from the URL; the book opens at the same. */
function processInAddress(): "manual" | "instant" {
  return new URLSearchParams(location.search).get("process") === "instant" ? "instant" : "manual";
}
