import type { ReactNode } from "react";
import { formatBtc } from "@/shared/format/sats";

interface FigureProps {
  label: string;
  figure: ReactNode;
  /** What the figure consists of, in a line. */
  children: ReactNode;
}

/** A figure of the portfolio. On a phone it is next to its label, where every digit fits. */
export function Figure({ label, figure, children }: FigureProps) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 bg-surface px-4 py-3 sm:flex sm:flex-col">
      <dt className="text-xs text-soft">{label}</dt>
      <dd className="text-base font-strong whitespace-nowrap max-sm:col-start-2 max-sm:row-span-2 max-sm:row-start-1 max-sm:self-center sm:text-lg">
        {figure}
      </dd>
      <dd className="text-xs text-pretty text-muted">{children}</dd>
    </div>
  );
}

/** The same for an amount of bitcoin. */
export function SatsFigure({ sats, ...props }: Omit<FigureProps, "figure"> & { sats: bigint }) {
  return (
    <Figure
      {...props}
      figure={
        <>
          {formatBtc(sats, 8)} <span className="text-sm font-normal text-muted">BTC</span>
        </>
      }
    />
  );
}
