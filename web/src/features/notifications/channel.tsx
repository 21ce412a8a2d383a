import type { ReactNode } from "react";

/** One notification channel: whether it is on, and its actions. */
export function Channel({
  name,
  badge,
  problem = null,
  actions,
  children,
}: {
  name: string;
  badge: ReactNode;
  /** The error of the last action. */
  problem?: string | null;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="border-t border-line py-3 text-sm first:border-t-0">
      <div className="flex items-center gap-3">
        <h3 className="flex-1 text-sm">{name}</h3>
        {badge}
      </div>
      <div className="text-xs text-pretty text-muted">{children}</div>
      {problem !== null && (
        <p role="alert" className="mt-1 text-xs text-down">
          {problem}
        </p>
      )}
      {actions && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
    </li>
  );
}
