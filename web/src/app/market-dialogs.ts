import { lazyDialog } from "@/shared/ui/lazy-dialog";

// Lazy: the table is rendered first, and the dialogs over it are loaded afterwards.
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
  import("./borrow-with-brc20").then((module) => module.BorrowWithBrc20),
);

export const FillDialog = lazyDialog(() =>
  import("@/features/requests/fill-dialog").then((module) => module.FillDialog),
);
export const PlaceRequestDialog = lazyDialog(() =>
  import("@/features/requests/place-request-dialog").then((module) => module.PlaceRequestDialog),
);

const DIALOGS = [CollectionGate, CollectionDialog, OrderBookDialog, LendDialog, BorrowDialog];

/** Preloads the dialogs at the first user input, so that they are ready when a row is chosen. */
export function preloadDialogsOnFirstMove(): () => void {
  const controller = new AbortController();
  const load = () => {
    controller.abort();
    for (const dialog of DIALOGS) dialog.preload();
  };
  for (const sign of ["pointermove", "pointerdown", "keydown"]) {
    document.addEventListener(sign, load, { signal: controller.signal, passive: true });
  }
  return () => controller.abort();
}
