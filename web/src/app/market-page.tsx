import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { useCallback, useEffect, useState } from "react";
import { Link, useLocation } from "react-router";
import { MarketScreen } from "@/features/market/market-screen";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Category, Collection, ProcessType } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import { useMarket } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { TabBar } from "@/shared/ui/tab-bar";
import { CATEGORIES, CATEGORY_COOKIE } from "./last-category";
import {
  addressOf,
  DIALOG_VIEWS,
  type DialogView,
  dialogAt,
  keepAcrossCategories,
  type Mode,
  marketPath,
} from "./market-address";
import {
  BorrowDialog,
  CollectionDialog,
  CollectionGate,
  FillDialog,
  LendDialog,
  OrderBookDialog,
  PlaceRequestDialog,
  preloadDialogsOnFirstMove,
} from "./market-dialogs";
import { PageHead } from "./page-head";

/** A lend dialog over the book, about one of its sub-collections or offers. */
interface Lending {
  groupId: string;
  subCollectionId?: string;
  editOffer?: MyOffer;
}

/** A borrow dialog over the book, about one of its offers. */
interface Borrowing {
  groupId: string;
  offerId: string;
  process: ProcessType;
}

/** The table of one category, and the dialogs that open over it. */
export function MarketPage({ mode, category }: { mode: Mode; category: Category }) {
  const { dialog, open, close } = useDialogAddress(mode);
  // The table's process type is also the one to borrow by.
  const [process] = useQueryState("process", PROCESS);
  const [lending, setLending] = useState<Lending | null>(null);
  const [borrowing, setBorrowing] = useState<Borrowing | null>(null);
  const [filling, setFilling] = useState<BorrowRequest | null>(null);
  const [requesting, setRequesting] = useState<string | null>(null);
  const market = useMarket().data;
  const openDetail = useCallback((row: Collection) => open(row.groupSlug, "detail"), [open]);
  const openBook = useCallback((row: Collection) => open(row.groupSlug, "book"), [open]);
  const openRow = useCallback((row: Collection) => open(row.groupSlug, mode), [open, mode]);
  useEffect(preloadDialogsOnFirstMove, []);
  const filledRow = filling ? (market?.get(filling.groupId) ?? null) : null;
  const label = CATEGORIES.find((known) => known.category === category)?.label ?? "";

  return (
    <>
      <PageHead title={mode === "borrow" ? `Borrow against ${label}` : `Lend against ${label}`}>
        <CategoryTabs mode={mode} current={category} />
      </PageHead>
      <Introduction mode={mode} />
      <MarketScreen
        mode={mode}
        category={category}
        onOpen={openDetail}
        onOrders={openBook}
        onAction={openRow}
      />
      {dialog?.view === "book" && (
        <OrderBookDialog
          slug={dialog.slug}
          mode={mode}
          linkedOfferId={dialog.offer ?? null}
          onClose={close}
          onCreateOffer={(groupId, subCollectionId) => setLending({ groupId, subCollectionId })}
          onEditOffer={(editOffer) => setLending({ groupId: editOffer.groupId, editOffer })}
          onBorrow={(row, { offerId, process: offered }) =>
            setBorrowing({ groupId: row.id, offerId, process: offered })
          }
          onFill={setFilling}
          onRequest={setRequesting}
        >
          {/* Inside the book while that is open, so that each dialog knows which one is on top. */}
          {lending && <LendDialog open {...lending} onClose={() => setLending(null)} />}
          {borrowing && <BorrowDialog {...borrowing} onClose={() => setBorrowing(null)} />}
          {filledRow && filling && (
            <FillDialog asked={filling} row={filledRow} onClose={() => setFilling(null)} />
          )}
          {requesting !== null && (
            <PlaceRequestDialog groupId={requesting} onClose={() => setRequesting(null)} />
          )}
        </OrderBookDialog>
      )}
      {dialog && dialog.view !== "book" && (
        <CollectionGate key={dialog.slug} slug={dialog.slug} onClose={close}>
          {(row) => {
            if (dialog.view === "lend") return <LendDialog open groupId={row.id} onClose={close} />;
            if (dialog.view === "borrow") {
              return (
                <BorrowDialog
                  groupId={row.id}
                  process={process}
                  inscriptionId={dialog.inscription}
                  onClose={close}
                />
              );
            }
            return (
              <CollectionDialog
                row={row}
                mode={mode}
                process={process}
                onClose={close}
                onBorrow={() => open(dialog.slug, "borrow")}
                onLend={() => open(dialog.slug, "lend")}
                onOrders={() => open(dialog.slug, "book")}
              />
            );
          }}
        </CollectionGate>
      )}
    </>
  );
}

const INTRODUCTION: Record<Mode, string> = {
  borrow: "Pledge what you own, get bitcoin now, repay in time and get it back. No price ends a loan early.",
  lend: "Lend bitcoin against collateral. You are repaid with interest, or you receive the collateral.",
};

/** One line of introduction for users who are not signed in. */
function Introduction({ mode }: { mode: Mode }) {
  const isSignedIn = useSession((state) => state.session !== null);
  const isRestoring = useSession((state) => state.isRestoring);
  if (isSignedIn || isRestoring) return null;
  return (
    <p className="-mt-2 mb-3 text-sm text-soft max-md:text-xs">
      {INTRODUCTION[mode]}{" "}
      <Link to="/guide" className="underline underline-offset-4 hover:text-text">
        How it works
      </Link>
    </p>
  );
}

const PROCESS = parseAsStringLiteral(["manual", "instant"] as const).withDefault("manual");

const PARSERS = {
  collection: parseAsString,
  view: parseAsStringLiteral(DIALOG_VIEWS),
  offer: parseAsString,
  inscription: parseAsString,
};

/** The URL names the open dialog, so that it can be linked to and the back button closes it. */
function useDialogAddress(mode: Mode) {
  const [address, setAddress] = useQueryStates(PARSERS, { history: "push" });
  const open = useCallback(
    (slug: string, view: DialogView) => void setAddress(addressOf(mode, { slug, view })),
    [setAddress, mode],
  );
  const close = useCallback(
    () => void setAddress(addressOf(mode, null), { history: "replace" }),
    [setAddress, mode],
  );
  return { dialog: dialogAt(mode, address), open, close };
}

function CategoryTabs({ mode, current }: { mode: Mode; current: Category }) {
  const { search } = useLocation();
  return (
    <TabBar
      label="Category"
      variant="pill"
      current={current}
      tabs={[
        ...CATEGORIES.map(({ category, label }) => ({
          id: category,
          label,
          to: { pathname: marketPath(mode, category), search: keepAcrossCategories(search, category) },
          cookie: { name: CATEGORY_COOKIE, value: category },
        })),
        { id: "requests", label: "Requests", to: "/requests" },
      ]}
    />
  );
}
