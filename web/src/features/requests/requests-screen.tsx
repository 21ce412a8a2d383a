import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Category, Collection } from "@/shared/api/collection";
import { useMarket, useRequests, useRetry } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { EmptyState } from "@/shared/ui/empty-state";
import { Input } from "@/shared/ui/input";
import { useNow } from "@/shared/ui/use-now";
import { FillDialog } from "./fill-dialog";
import { OwnRequests } from "./own-requests";
import { PlaceRequestDialog } from "./place-request-dialog";
import { RequestList } from "./request-list";
import { openLines } from "./requests-view";

const MINUTE_MS = 60_000;

const CATEGORIES: ReadonlyArray<{ value: Category | "all"; label: string }> = [
  { value: "all", label: "All" },
  { value: "ordinals", label: "Ordinals" },
  { value: "runes", label: "Runes" },
  { value: "brc-20", label: "BRC-20" },
];

/** What borrowers ask for, across all collections: lenders fill it, borrowers add to it. */
export function RequestsScreen() {
  const requests = useRequests();
  const market = useMarket();
  const retry = useRetry("requests");
  const userId = useSession((state) => state.session?.userId ?? null);
  const now = useNow(MINUTE_MS);
  const [category, setCategory] = useState<Category | "all">("all");
  const [q, setQ] = useState("");
  const [filling, setFilling] = useState<{ asked: BorrowRequest; row: Collection } | null>(null);
  const [isPlacing, setIsPlacing] = useState(false);

  const lines = useMemo(
    () =>
      requests.data && market.data
        ? openLines(requests.data.values(), market.data, userId, { category, q }, now)
        : null,
    [requests.data, market.data, userId, category, q, now],
  );
  const refusal = requests.refusal ?? market.refusal;

  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <Input
          aria-label="Search collections"
          placeholder="Search collections"
          leading={<Search size={16} aria-hidden />}
          value={q}
          onChange={(event) => setQ(event.target.value)}
          className="max-md:basis-full md:w-64"
        />
        <ChoiceMenu
          label="Collateral"
          value={category}
          choices={CATEGORIES}
          onChange={setCategory}
          className="max-md:h-10!"
        />
        <Button variant="primary" className="ml-auto max-md:flex-1" onClick={() => setIsPlacing(true)}>
          Request a loan
        </Button>
      </div>
      {lines === null && refusal === null && (
        <div aria-hidden className="h-48 animate-shimmer rounded-card border border-line bg-raised" />
      )}
      {lines === null && refusal !== null && (
        <EmptyState
          title="The requests could not be loaded"
          action={<Button onClick={retry}>Try again</Button>}
        >
          {refusal}. Your offers and loans are not affected.
        </EmptyState>
      )}
      {lines && (
        <div className="flex flex-col gap-6">
          <OwnRequests />
          <section aria-labelledby="open-requests" className={requests.live ? undefined : "stale"}>
            <h2 id="open-requests" className="mb-2 flex items-center gap-2 text-base font-strong">
              Open requests <Badge>{lines.length}</Badge>
            </h2>
            {lines.length === 0 ? (
              <EmptyState title={q === "" && category === "all" ? "No open requests" : "No results found"}>
                {q === "" && category === "all"
                  ? "Borrowers ask here for loans that no offer gives them. Requests of others appear as soon as they are signed."
                  : "No request matches the search and the filter together."}
              </EmptyState>
            ) : (
              <RequestList
                caption="Open requests"
                lines={lines}
                action={(line) => (
                  <Button size="small" onClick={() => setFilling(line)}>
                    Fill
                  </Button>
                )}
              />
            )}
          </section>
        </div>
      )}
      {filling && <FillDialog key={filling.asked.requestId} {...filling} onClose={() => setFilling(null)} />}
      {isPlacing && <PlaceRequestDialog groupId={null} onClose={() => setIsPlacing(false)} />}
    </>
  );
}
