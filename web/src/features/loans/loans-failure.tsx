import { errorText } from "@/shared/api/error-text";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";

/** An error in place of a list that could not be loaded. */
export function LoansFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <EmptyState title="Your loans could not be fetched" action={<Button onClick={onRetry}>Try again</Button>}>
      {errorText(error)}. Nothing about them has changed: they are on the chain, and your loan kits work
      without this site.
    </EmptyState>
  );
}
