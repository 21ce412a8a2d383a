import { useRouteError } from "react-router";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";

/** Shown in place of a page that failed. */
export function TroublePage() {
  const error = useRouteError();
  return (
    <div className="mx-auto max-w-xl pt-10">
      <title>Something went wrong · Lienbook</title>
      <EmptyState
        title="This page ran into an error"
        action={
          <Button variant="primary" onClick={() => location.reload()}>
            Reload the page
          </Button>
        }
      >
        Nothing you signed was lost: offers, loans and balances are kept by the server and the chain.
        Reloading usually helps.
      </EmptyState>
      <details className="rounded-card border border-line bg-surface p-4 text-xs text-muted">
        <summary className="cursor-pointer">Details for a report</summary>
        <pre className="mt-2 overflow-x-auto font-mono whitespace-pre-wrap">
          {error instanceof Error ? `${error.name}: ${error.message}` : "Unknown error"}
        </pre>
      </details>
    </div>
  );
}
