import type { ReactNode } from "react";

/** The title of a page, in the tab of the browser and on the page itself. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <title>{`${title} · Lienbook`}</title>
      <h1 className="text-lg">{title}</h1>
      {children}
    </div>
  );
}
