import { useState } from "react";
import type { Collection } from "@/shared/api/collection";
import type { Negotiation } from "@/shared/api/negotiation";
import { useMe } from "@/shared/feed/use-feed";
import { Badge } from "@/shared/ui/badge";
import { classNames } from "@/shared/ui/class-names";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { useNow } from "@/shared/ui/use-now";
import { AcceptDialog } from "./accept-dialog";
import { answeredBy } from "./answered-by";
import { CounterOfferDialog } from "./counter-offer-dialog";
import { NegotiationCard } from "./negotiation-card";
import { canRunOn, isToSign, signedLoan } from "./negotiation-view";
import { useNegotiations } from "./use-negotiations";

const TICK_MS = 5_000;

/** The answer that the user is giving. */
interface Answering {
  by: "accept" | "counter";
  negotiation: Negotiation;
  row: Collection;
}

/** The user's negotiations; renders nothing without any. */
export function Negotiations({ className }: { className?: string }) {
  const lines = useNegotiations();
  const { data: me, live } = useMe();
  const now = useNow(TICK_MS);
  const [answering, setAnswering] = useState<Answering | null>(null);
  const close = () => setAnswering(null);
  if (!me || (lines.length === 0 && answering === null)) return null;
  return (
    <section aria-labelledby="negotiations" className={classNames(!live && "stale", className)}>
      <h2 id="negotiations" className="flex items-center gap-2 text-base font-strong">
        Negotiations <Badge>{lines.length}</Badge>
      </h2>
      <p className="mb-3 text-sm text-muted">
        Counter-offers to accept, answer or decline. Nothing is pledged or lent before both sides have signed
        the loan.
      </p>
      <ul aria-labelledby="negotiations" className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-2">
        {lines.map(({ negotiation, row }) => (
          <NegotiationCard
            key={negotiation.negotiationId}
            negotiation={negotiation}
            row={row}
            before={answeredBy(negotiation, me)}
            loan={signedLoan(negotiation, me.loans.values())}
            isToSign={isToSign(negotiation, me)}
            canRunOn={canRunOn(negotiation, me)}
            now={now}
            onAccept={() => setAnswering({ by: "accept", negotiation, row })}
            onCounter={() => setAnswering({ by: "counter", negotiation, row })}
          />
        ))}
      </ul>
      {answering && (
        <DialogBoundary onClose={close}>
          {answering.by === "accept" ? (
            <AcceptDialog negotiation={answering.negotiation} row={answering.row} onClose={close} />
          ) : (
            <CounterOfferDialog
              subject={{ kind: "proposal", negotiation: answering.negotiation }}
              row={answering.row}
              onClose={close}
            />
          )}
        </DialogBoundary>
      )}
    </section>
  );
}
