import type { ReactNode } from "react";

/** A part of the panel of a lender's day. */
export function LenderDayPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2.5 p-4">
      <h3 className="text-xs font-normal text-soft">{title}</h3>
      {children}
    </div>
  );
}
