import type { ReactNode } from "react";
import { classNames } from "./class-names";

/** Lines of a sum, shown before a decision. */
export function SumLines({ children }: { children: ReactNode }) {
  return (
    <dl className="flex flex-col gap-2 rounded-card border border-line bg-ground px-4 py-3 text-sm">
      {children}
    </dl>
  );
}

export function SumLine({
  label,
  strong = false,
  stacked = false,
  whole = false,
  children,
}: {
  label: string;
  strong?: boolean;
  /** The label is above the value where several fit in one row. */
  stacked?: boolean;
  /** Spans a whole row of the grid. */
  whole?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={classNames(
        "flex min-w-0 items-baseline justify-between gap-3",
        stacked && "md:flex-col md:justify-start md:gap-0.5",
        whole && "md:col-span-3",
      )}
    >
      <dt className={classNames("min-w-20 text-soft", stacked && "md:text-xs")}>{label}</dt>
      <dd className={classNames("text-right", stacked && "md:text-left", strong && "font-strong")}>
        {children}
      </dd>
    </div>
  );
}

/** Lines of a decision: stacked on phones, three in a row where a dialog has its full width. */
export function SumGrid({ children }: { children: ReactNode }) {
  return (
    <dl className="flex flex-col gap-2 px-4 py-3 text-sm md:grid md:grid-cols-[1.3fr_1.2fr_1fr] md:gap-x-4">
      {children}
    </dl>
  );
}

/** The total of a decision, next to its button. */
export function FooterTotal({ label, children }: { label: string; children: ReactNode }) {
  return (
    <p className="mr-auto min-w-0 text-sm max-md:flex max-md:basis-full max-md:items-baseline max-md:justify-between">
      <span className="text-xs text-muted md:block">{label}</span>
      <span className="font-strong">{children}</span>
    </p>
  );
}

/** Bitcoin, with its unit muted. */
export function Btc({ children }: { children: string }) {
  return (
    <span className="whitespace-nowrap">
      {children} <span className="font-normal text-muted">BTC</span>
    </span>
  );
}
