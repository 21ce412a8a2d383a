import { Button } from "./button";
import { EmptyState } from "./empty-state";

/** Shown in place of a part of the app that failed: nothing is lost, and what to do next. */
export function ErrorFallback({ what, error }: { what: string; error: unknown }) {
  return (
    <>
      <EmptyState
        title={`${what} ran into an error`}
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
    </>
  );
}
