import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import { NavLink, useLocation } from "react-router";
import { OrderBookDialog } from "@/features/book/order-book-dialog";
import { LendDialog } from "@/features/lend/lend-dialog";
import { MarketScreen } from "@/features/market/market-screen";
import type { Category, Collection } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import { classNames } from "@/shared/ui/class-names";
import { PageHead } from "./page-head";

const CATEGORIES: ReadonlyArray<{ category: Category; label: string }> = [
  { category: "ordinals", label: "Ordinals" },
  { category: "runes", label: "Runes" },
  { category: "brc-20", label: "BRC-20" },
];

interface Lending {
  groupId: string;
  subCollectionId?: string;
  editOffer?: MyOffer;
}

/** The table of one category, and the dialogs that open over it. */
export function MarketPage({ mode, category }: { mode: "borrow" | "lend"; category: Category }) {
  // The address names the open book, so that it can be linked to and the back button closes it.
  const [slug, setSlug] = useQueryState("collection", parseAsString.withOptions({ history: "push" }));
  const [lending, setLending] = useState<Lending | null>(null);
  const openBook = useCallback((collection: Collection) => void setSlug(collection.groupSlug), [setSlug]);
  const lend = useCallback((collection: Collection) => setLending({ groupId: collection.id }), []);
  const label = CATEGORIES.find((known) => known.category === category)?.label ?? "";

  const lendDialog = lending && <LendDialog open {...lending} onClose={() => setLending(null)} />;
  return (
    <>
      <PageHead title={mode === "borrow" ? `Borrow against ${label}` : `Lend against ${label}`}>
        <CategoryTabs mode={mode} />
      </PageHead>
      <MarketScreen
        mode={mode}
        category={category}
        onOrders={openBook}
        onAct={mode === "lend" ? lend : openBook}
      />
      <OrderBookDialog
        slug={slug}
        onClose={() => void setSlug(null, { history: "replace" })}
        onCreateOffer={(groupId, subCollectionId) => setLending({ groupId, subCollectionId })}
        onEditOffer={(editOffer) => setLending({ groupId: editOffer.groupId, editOffer })}
      >
        {/* Inside of the book while that is open, so that each dialog knows which one is on top. */}
        {slug !== null && lendDialog}
      </OrderBookDialog>
      {slug === null && lendDialog}
    </>
  );
}

function CategoryTabs({ mode }: { mode: "borrow" | "lend" }) {
  const { search } = useLocation();
  const kept = keepAcrossCategories(search);
  return (
    <nav aria-label="Category" className="flex gap-1">
      {CATEGORIES.map(({ category, label }) => (
        <NavLink
          key={category}
          to={{ pathname: `/${mode}/${category}`, search: kept }}
          className={({ isActive }) =>
            classNames(
              "flex h-9 items-center rounded-full border px-3.5 text-sm transition-colors",
              isActive
                ? "border-line-strong bg-raised text-text"
                : "border-transparent text-muted hover:text-text",
            )
          }
        >
          {label}
        </NavLink>
      ))}
    </nav>
  );
}

/** How a person likes the table goes along to another category; what they looked for in this one does not. */
function keepAcrossCategories(search: string): string {
  const kept = new URLSearchParams(search);
  for (const name of ["collection", "q", "filters"]) kept.delete(name);
  return kept.toString();
}
