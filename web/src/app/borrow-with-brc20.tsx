import type { ComponentProps } from "react";
import { BorrowDialog } from "@/features/borrow/borrow-dialog";
import { Brc20Panel } from "@/features/brc20/brc20-panel";

/** The borrow dialog with the panel that pledges BRC-20. */
export function BorrowWithBrc20(props: Omit<ComponentProps<typeof BorrowDialog>, "brc20Panel">) {
  return (
    <BorrowDialog {...props} brc20Panel={(slot) => <Brc20Panel key={slot.collectionSlug} {...slot} />} />
  );
}
