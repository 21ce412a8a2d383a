import { useState } from "react";
import { Link } from "react-router";
import { errorText } from "@/shared/api/error-text";
import { useMe, useRequests } from "@/shared/feed/use-feed";
import { offerAddress } from "@/shared/share/share-link";
import { Badge } from "@/shared/ui/badge";
import { Button, buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { notify } from "@/shared/ui/notify";
import { withdrawRequest } from "./place-request";
import { type RequestLine, RequestList } from "./request-list";
import { useOwnRequests } from "./use-own-requests";

/** The user's own requests; renders nothing without any. */
export function OwnRequests({ className }: { className?: string }) {
  const lines = useOwnRequests();
  const { live } = useRequests();
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="own-requests" className={classNames(!live && "stale", className)}>
      <h2 id="own-requests" className="mb-2 flex items-center gap-2 text-base font-strong">
        Your requests <Badge>{lines.length}</Badge>
      </h2>
      <RequestList caption="Your requests" lines={lines} action={(line) => <OwnAction {...line} />} />
    </section>
  );
}

/** Withdraws an open request; leads to the lender's offer of a filled one. */
function OwnAction({ asked, row }: RequestLine) {
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
