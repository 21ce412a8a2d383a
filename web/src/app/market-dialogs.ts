import { lazyDialog } from "@/shared/ui/lazy-dialog";

// The table is the first thing a person sees; what opens over it comes when the table stands.
export const CollectionGate = lazyDialog(() =>
  import("./collection-gate").then((module) => module.CollectionGate),
);
export const OrderBookDialog = lazyDialog(() =>
  import("@/features/book/order-book-dialog").then((module) => module.OrderBookDialog),
);
export const CollectionDialog = lazyDialog(() =>
  import("@/features/collection/collection-dialog").then((module) => module.CollectionDialog),
);
export const LendDialog = lazyDialog(() =>
  import("@/features/lend/lend-dialog").then((module) => module.LendDialog),
);
export const BorrowDialog = lazyDialog(() =>
  import("./borrow-with-notes").then((module) => module.BorrowWithNotes),
);

const DIALOGS = [CollectionGate, CollectionDialog, OrderBookDialog, LendDialog, BorrowDialog];

/** With the first sign of a person: by the time they choose a row, its dialogs are here. */
export function preloadDialogsOnFirstMove(): () => void {
  const leave = new AbortController();
  const load = () => {
    leave.abort();
    for (const dialog of DIALOGS) dialog.preload();
  };
  for (const sign of ["pointermove", "pointerdown", "keydown"]) {
    document.addEventListener(sign, load, { signal: leave.signal, passive: true });
  }
  return () => leave.abort();
}
