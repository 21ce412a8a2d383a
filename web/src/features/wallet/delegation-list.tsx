import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { type Session, useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { QuestionDialog } from "@/shared/ui/question-dialog";
import { EmptySection, FetchedSection, SettingsSection } from "@/shared/ui/settings-section";
import { useVault } from "@/shared/vault/use-vault";
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
  const vault = useVault();
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<Delegation | null>(null);
  return (
    <FetchedSection query={query} what="the programs that may quote from your vault" className="max-w-2xl">
      {(delegations) => (
        <SettingsSection
          title="Programs that may quote from your vault"
          description="Your wallet signs the limits once, and the vault's signer keeps to them. Loan-to-value is not among them: the signer knows no prices."
          action={
            <Button size="small" disabled={vault.status !== "open"} onClick={() => setIsCreating(true)}>
              Permit a program
            </Button>
          }
          className="max-w-2xl"
        >
          {delegations.length === 0 ? (
            <EmptySection>
              {vault.status === "none"
                ? "You have no vault yet. Once it is open, a program may lend from it."
                : "No program may quote for you."}
            </EmptySection>
          ) : (
            <ul className="mt-2">
              {delegations.map((own) => (
                <DelegationRow key={own.delegationId} own={own} onRevoke={() => setRevoked(own)} />
              ))}
            </ul>
          )}
          {isCreating && <DelegationDialog session={session} onClose={() => setIsCreating(false)} />}
          {revoked && <RevokeDialog own={revoked} userId={session.userId} onClose={() => setRevoked(null)} />}
        </SettingsSection>
      )}
    </FetchedSection>
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
    <QuestionDialog
      title={`Revoke program ${own.delegationId.slice(0, 8)}?`}
      answer="Revoke"
      isBusy={revocation.isPending}
      error={revocation.error}
      onYes={() => revocation.mutate()}
      onClose={onClose}
    >
      The program cannot quote any more, and its open offers are cancelled ({own.offerIds.length}). Loans go
      on. It is complete when the vault's signer has confirmed it.
    </QuestionDialog>
  );
}
