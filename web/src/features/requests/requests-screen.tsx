import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Category, Collection } from "@/shared/api/collection";
import { errorText } from "@/shared/api/error-text";
import { useMarket, useMe, useRequests, useRetry } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { offerAddress } from "@/shared/share/share-link";
import { Button, buttonClass } from "@/shared/ui/button";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { classNames } from "@/shared/ui/class-names";
import { EmptyState } from "@/shared/ui/empty-state";
import { Input } from "@/shared/ui/input";
import { notify } from "@/shared/ui/notify";
import { useNow } from "@/shared/ui/use-now";
import { FillDialog } from "./fill-dialog";
import { withdrawRequest } from "./place-request";
import { PlaceRequestDialog } from "./place-request-dialog";
import { RequestList } from "./request-list";
import { requestLines } from "./requests-view";

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
        ? requestLines(requests.data.values(), market.data, userId, { category, q }, now)
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
        <ChoiceMenu label="Collateral" value={category} choices={CATEGORIES} onChange={setCategory} />
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
        <div className={classNames("flex flex-col gap-6", !requests.live && "stale")}>
          {lines.own.length > 0 && (
            <section aria-labelledby="own-requests">
              <h2 id="own-requests" className="mb-2 text-sm font-strong">
                Your requests
              </h2>
              <RequestList
                caption="Your requests"
                lines={lines.own}
                own={null}
                action={({ asked, row }) => <OwnAction asked={asked} row={row} />}
              />
            </section>
          )}
          <section aria-labelledby="open-requests">
            <h2 id="open-requests" className="mb-2 text-sm font-strong">
              Open requests <span className="font-normal text-muted">{lines.open.length}</span>
            </h2>
            {lines.open.length === 0 ? (
              <EmptyState title={q === "" && category === "all" ? "No open requests" : "No results found"}>
                {q === "" && category === "all"
                  ? "Borrowers ask here for loans that no offer gives them. The first request is shown as soon as it is signed."
                  : "No request matches the search and the filter together."}
              </EmptyState>
            ) : (
              <RequestList
                caption="Open requests"
                lines={lines.open}
                own={userId}
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

/** Withdraws an open request; leads to the lender's offer of a filled one. */
function OwnAction({ asked, row }: { asked: BorrowRequest; row: Collection }) {
  const offers = useMe().data?.offersForMe;
  const [isBusy, setIsBusy] = useState(false);
  if (asked.state === "filled") {
    const found = [...(offers?.values() ?? [])].find(({ requestId }) => requestId === asked.requestId);
    // The offer and the request arrive on two channels.
    if (!found) return <span className="text-xs text-muted">A lender has filled it</span>;
    return (
      <Link
        to={offerAddress(row, found.offer.offerId)}
        className={buttonClass({ variant: "primary", size: "small" })}
      >
        Sign the loan
      </Link>
    );
  }
  const withdraw = async () => {
    setIsBusy(true);
    try {
      await withdrawRequest(asked.requestId);
      notify.success("Request withdrawn");
    } catch (reason) {
      notify.error("The request could not be withdrawn", errorText(reason));
      setIsBusy(false);
    }
  };
  return (
    <Button size="small" disabled={isBusy} onClick={() => void withdraw()}>
      Withdraw
    </Button>
  );
}
