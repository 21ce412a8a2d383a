import type { ReactNode } from "react";

/** A placeholder for an empty list, with the next action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <p className="text-sm font-strong text-text">{title}</p>
      {children && <p className="max-w-md text-sm text-pretty text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
