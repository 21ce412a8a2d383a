import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useEffect } from "react";
import { configQuery } from "@/shared/api/config";
import { chainQuery } from "@/shared/chain/chain-status";
import { upstreamOutage } from "@/shared/chain/upstream-outage";

/** Shows an upstream outage on every page, before the user signs a transaction that cannot be sent. */
export function UpstreamNotice() {
  const { data: config } = useQuery(configQuery);
  // A market without a node has no chain status.
  const { data: chain, error } = useQuery({ ...chainQuery, enabled: config?.hasNode === true });
  const outage = upstreamOutage(chain, error);
  useRecovery(outage !== null);
  return (
    <div role="status">
      {outage && (
        <div className="mb-5 flex items-center gap-3 rounded-card bg-warn-tint px-4 py-2.5 text-sm text-warn">
          <Unplug size={18} aria-hidden className="shrink-0 max-sm:hidden" />
          <p className="min-w-0 flex-1">
            <span className="font-strong">{outage.title}</span>
            <span className="block text-xs text-pretty">{outage.text}</span>
          </p>
        </div>
      )}
    </div>
  );
}

/** Retries failed queries once the outage is over. */
function useRecovery(isOutage: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOutage) return;
    return () =>
      void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  }, [client, isOutage]);
}
