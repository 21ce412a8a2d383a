import { ChevronRight } from "lucide-react";
import { Link } from "react-router";
import { classNames } from "@/shared/ui/class-names";
import { LenderDayPart } from "./lender-day-part";
import type { LenderTask } from "./lender-tasks";

/** What waits for a lender, with links to where it is done. */
export function LenderTaskList({ tasks }: { tasks: readonly LenderTask[] }) {
  return (
    <LenderDayPart title="To do">
      {tasks.length === 0 ? (
        <p className="text-sm text-muted">Nothing waits for you.</p>
      ) : (
        <ul className="-my-1.5 flex flex-col">
          {tasks.map(({ id, title, detail, to, isUrgent }) => (
            <li key={id}>
              <Link to={to} className="group flex items-center gap-3 rounded-control py-1.5">
                <span
                  aria-hidden
                  className={classNames(
                    "size-2 shrink-0 rounded-full",
                    isUrgent ? "bg-warn" : "bg-line-strong",
                  )}
                />
                <span className="min-w-0 flex-1">
                  <span className="block text-sm underline-offset-4 group-hover:underline">{title}</span>
                  {detail !== null && <span className="block text-xs text-pretty text-muted">{detail}</span>}
                </span>
                <ChevronRight size={16} aria-hidden className="shrink-0 text-muted" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </LenderDayPart>
  );
}
