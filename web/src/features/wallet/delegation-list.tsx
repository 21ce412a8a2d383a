import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { formatMoment } from "@/shared/format/age";
import { type Session, useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { DelegationDialog } from "./delegation-dialog";
import { type Delegation, delegationsQuery, revokeDelegation } from "./delegation-requests";
import { delegationFacts, STATE_TEXT } from "./delegation-text";

/** The programs that may quote from the user's vault, and the buttons that permit and revoke; nothing while signed out. */
export function DelegationList() {
  const session = useSession((state) => state.session);
  return session && <OwnDelegations key={session.userId} session={session} />;
}

function OwnDelegations({ session }: { session: Session }) {
  const query = useQuery(delegationsQuery(session.userId));
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<Delegation | null>(null);
  if (query.isPending) {
    return (
      <div
        role="status"
        aria-label="Loading the programs that may quote from your vault"
        className="h-[160px] max-w-2xl animate-shimmer rounded-card border border-line bg-surface"
      />
    );
  }
  if (!query.data) {
    return (
      <EmptyState
        title="The programs that may quote from your vault could not be fetched"
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      >
        {query.error?.message}
      </EmptyState>
    );
  }
  return (
    <section
      aria-labelledby="delegations-title"
      className="max-w-2xl rounded-card border border-line bg-surface px-5 py-4"
    >
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 id="delegations-title" className="text-base">
            Programs that may quote from your vault
          </h2>
          <p className="mt-1 text-xs text-pretty text-muted">
            Your wallet signs the limits once, and the vault's signer keeps to them. Loan-to-value is not
            among them: the signer knows no prices.
          </p>
        </div>
        <Button size="small" onClick={() => setIsCreating(true)}>
          Permit a program
        </Button>
      </div>
      {query.data.length === 0 ? (
        <p className="mt-4 border-t border-line pt-4 text-sm text-muted">No program may.</p>
      ) : (
        <ul className="mt-2">
          {query.data.map((own) => (
            <DelegationRow key={own.delegationId} own={own} onRevoke={() => setRevoked(own)} />
          ))}
        </ul>
      )}
      {isCreating && <DelegationDialog session={session} onClose={() => setIsCreating(false)} />}
      {revoked && <RevokeDialog own={revoked} userId={session.userId} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function DelegationRow({ own, onRevoke }: { own: Delegation; onRevoke: () => void }) {
  const name = own.delegationId.slice(0, 8);
  return (
    <li className="flex flex-wrap items-start gap-3 border-t border-line py-3 text-sm first:border-t-0">
      <div className="min-w-0 flex-1">
        <h3 className="truncate text-sm">Program {name}</h3>
        {delegationFacts(own).map((fact) => (
          <p key={fact} className="text-xs break-words text-muted">
            {fact}
          </p>
        ))}
        <p className="text-xs break-all text-muted">Key {own.programKey}</p>
        <p className="text-xs text-muted">Valid until {formatMoment(own.validUntil)}</p>
      </div>
      {own.state === "open" ? (
        <Button size="small" onClick={onRevoke} aria-label={`Revoke program ${name}`}>
          Revoke
        </Button>
      ) : (
        <Badge>{STATE_TEXT[own.state]}</Badge>
      )}
    </li>
  );
}

function RevokeDialog({ own, userId, onClose }: { own: Delegation; userId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const revocation = useMutation({
    mutationFn: () => revokeDelegation(own.delegationId),
    onSuccess: onClose,
    // Also when it was revoked elsewhere.
    onSettled: () => queries.invalidateQueries(delegationsQuery(userId)),
  });
  return (
    <Modal
      open
      onClose={onClose}
      busy={revocation.isPending}
      title={`Revoke program ${own.delegationId.slice(0, 8)}?`}
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={revocation.isPending}>
            Keep
          </Button>
          <Button variant="danger" disabled={revocation.isPending} onClick={() => revocation.mutate()}>
            Revoke
          </Button>
        </div>
      }
    >
      <div className="px-5 py-4 text-sm text-soft">
        <p>
          The program cannot quote any more, and its open offers are cancelled ({own.offerIds.length}). Loans
          go on. It is complete when the vault's signer has confirmed it.
        </p>
        {revocation.error && (
          <p role="alert" className="mt-2 text-xs text-down">
            {errorText(revocation.error)}
          </p>
        )}
      </div>
    </Modal>
  );
}
