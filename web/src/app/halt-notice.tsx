import { CirclePause } from "lucide-react";
import { useHalts } from "@/shared/feed/use-feed";
import { formatMoment } from "@/shared/format/age";
import { haltText } from "@/shared/halts/halt-text";

/** Shows on every page what the operator has halted, since when, and what works meanwhile. */
export function HaltNotice() {
  const halts = useHalts();
  return (
    <div role="status">
      {[...halts.values()].map((halt) => {
        const { title, works } = haltText(halt);
        return (
          <div
            key={halt.scope}
            data-testid="halt"
            className="mb-5 flex items-start gap-3 rounded-card bg-warn-tint px-4 py-2.5 text-sm text-warn"
          >
            <CirclePause size={18} aria-hidden className="mt-0.5 shrink-0 max-sm:hidden" />
            <div className="min-w-0 flex-1">
              <p className="font-strong">
                {title} since{" "}
                <time dateTime={new Date(halt.since).toISOString()}>{formatMoment(halt.since)}</time>
              </p>
              <p className="text-xs text-pretty wrap-anywhere">The operator’s reason: {halt.reason}</p>
              <p className="text-xs text-pretty">{works}</p>
            </div>
          </div>
        );
      })}
    </div>
  );
}
