import { lazy, Suspense, useMemo } from "react";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Book } from "@/shared/feed/book-channel";
import { priceName } from "@/shared/price/peg-text";
import { EmptyState } from "@/shared/ui/empty-state";
import { depthLevels } from "./book-depth";
import { offerEntries, requestEntries } from "./depth-entries";

// Lazy, because only this picture needs the chart library.
const DepthChart = lazy(() => import("./depth-chart"));

interface DepthPanelProps {
  book: Book;
  /** The open requests of the collection. */
  requests: readonly BorrowRequest[];
  userId: string | null;
}

/** The depth of a collection's whole book. */
export function DepthPanel({ book, requests, userId }: DepthPanelProps) {
  const levels = useMemo(
    () => depthLevels(offerEntries(book, userId), requestEntries(requests, book.row, userId)),
    [book, requests, userId],
  );
  const { unitPrice, collateralType } = book.row;
  if (unitPrice === null) {
    return (
      <EmptyState title="No price now">
        LTV is the principal against the {priceName(collateralType)}. The depth appears here with the next
        price.
      </EmptyState>
    );
  }
  if (levels.length === 0) {
    return (
      <EmptyState title="No open offers or requests.">
        What lenders offer and what borrowers request is added up here, by LTV.
      </EmptyState>
    );
  }
  return (
    <div className="h-full overflow-y-auto overscroll-contain px-5 py-3 lg:px-3">
      <Suspense fallback={<DepthSkeleton />}>
        <DepthChart levels={levels} />
      </Suspense>
      <p className="mt-2 text-xs text-pretty text-muted">
        In BTC, for all terms: manual and instant offers that anyone can take now, and open requests.
      </p>
    </div>
  );
}

/** As high as the read-out and the picture. */
function DepthSkeleton() {
  return (
    <div role="status" className="h-80 animate-shimmer rounded-control bg-raised">
      <span className="sr-only">Fetching</span>
    </div>
  );
}
