import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { capitalized } from "@/shared/format/capitalized";
import { Button } from "./button";
import { classNames } from "./class-names";
import { EmptyState } from "./empty-state";

/** A section of the settings about data that is fetched: a placeholder, the reason of a failure, or its content. */
export function FetchedSection<Data>({
  query,
  what,
  className,
  children,
}: {
  query: Pick<UseQueryResult<Data>, "data" | "isPending" | "error" | "refetch">;
  /** The data in a sentence: `your webhooks`. */
  what: string;
  className: string;
  children: (data: Data) => ReactNode;
}) {
  if (query.isPending) {
    return (
      <div
        role="status"
        aria-label={`Loading ${what}`}
        className={classNames("h-40 animate-shimmer rounded-card border border-line bg-surface", className)}
      />
    );
  }
  if (query.data === undefined) {
    return (
      <EmptyState
        title={`${capitalized(what)} could not be fetched`}
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      >
        {query.error?.message}
      </EmptyState>
    );
  }
  return children(query.data);
}

/** A titled card of the settings, with the button that adds to its list. */
export function SettingsSection({
  title,
  description,
  action,
  className,
  children,
}: {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  className: string;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={titleId}
      className={classNames("rounded-card border border-line bg-surface px-5 py-4", className)}
    >
      <div className="flex flex-col items-start justify-between gap-3 sm:flex-row">
        <div className="min-w-0">
          <h2 id={titleId} className="text-base">
            {title}
          </h2>
          {description && <p className="mt-1 text-xs text-pretty text-muted">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

/** What a section shows instead of an empty list. */
export function EmptySection({ children }: { children: ReactNode }) {
  return <p className="mt-4 border-t border-line pt-4 text-sm text-muted">{children}</p>;
}
