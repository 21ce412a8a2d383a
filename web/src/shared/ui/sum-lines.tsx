import type { ReactNode } from "react";

/** Lines of a sum, as it is read before something is decided. */
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
  children,
}: {
  label: string;
  strong?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="min-w-20 text-soft">{label}</dt>
      <dd className={strong ? "text-right font-strong" : "text-right"}>{children}</dd>
    </div>
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
