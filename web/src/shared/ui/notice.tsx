import type { ReactNode } from "react";

/** A notice about an item of the user's, and its consequence. */
export function Notice({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div role="status" className="rounded-control bg-warn-tint px-3 py-2 text-sm">
      <p className="text-warn">{title}</p>
      <p className="text-soft">{children}</p>
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
