import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { useRetry } from "@/shared/feed/use-feed";
import { useGroup } from "@/shared/feed/use-group";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";

/** Opens a dialog about the group in the URL, or shows why there is none. */
export function CollectionGate({
  slug,
  onClose,
  children,
}: {
  slug: string;
  onClose: () => void;
  children: (row: Collection) => ReactNode;
}) {
  const { row, missing } = useGroup(slug);
  const retry = useRetry("market");
  if (row) return children(row);
  return (
    <Modal open onClose={onClose} title="Collection">
      {missing === "waiting" && (
        <p role="status" className="h-72 px-5 py-14 text-center text-sm text-muted">
          Fetching
        </p>
      )}
      {missing === "unlisted" && (
        <EmptyState title="This collection is not listed">
          The link may be out of date. Close this to see all collections.
        </EmptyState>
      )}
      {missing === "refused" && (
        <EmptyState
          title="The market could not be loaded"
          action={<Button onClick={retry}>Try again</Button>}
        >
          Your offers and loans are not affected.
        </EmptyState>
      )}
    </Modal>
  );
}
