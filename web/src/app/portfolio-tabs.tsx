import { Link } from "react-router";
import { Badge } from "@/shared/ui/badge";
import { classNames } from "@/shared/ui/class-names";

interface Tab {
  id: string;
  label: string;
  to: string;
  count?: number;
}

/** The parts of the portfolio. */
export function PortfolioTabs({ tabs, current }: { tabs: readonly Tab[]; current: string }) {
  return (
    <nav aria-label="Portfolio" className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ id, label, to, count = 0 }) => (
        <Link
          key={id}
          to={to}
          aria-current={id === current ? "page" : undefined}
          className={classNames(
            "-mb-px flex h-10 shrink-0 items-center gap-2 border-b-2 px-3 text-sm transition-colors -outline-offset-2",
            id === current ? "border-text text-text" : "border-transparent text-muted hover:text-text",
          )}
        >
          {label}
          {count > 0 && <Badge tone="warn">{count}</Badge>}
        </Link>
      ))}
    </nav>
  );
}
