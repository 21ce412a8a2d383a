import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { formatMoment } from "@/shared/format/age";
import { formatBtcExact } from "@/shared/format/sats";
import { type Session, useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { ApiKeyDialog } from "./api-key-dialog";
import { type ApiKey, apiKeysQuery, revokeApiKey } from "./api-key-requests";
import { keyFacts, scopesText } from "./api-key-text";

/** The user's API keys, and the buttons that create and revoke them; nothing while signed out. */
export function ApiKeyList() {
  const session = useSession((state) => state.session);
  return session && <OwnApiKeys key={session.userId} session={session} />;
}

function OwnApiKeys({ session }: { session: Session }) {
  const query = useQuery(apiKeysQuery(session.userId));
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  if (query.isPending) {
    return (
      <div
        role="status"
        aria-label="Loading your API keys"
        className="h-[160px] max-w-2xl animate-shimmer rounded-card border border-line bg-surface"
      />
    );
  }
  if (!query.data) {
    return (
      <EmptyState
        title="Your API keys could not be fetched"
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      >
        {query.error?.message}
      </EmptyState>
    );
  }
  return (
    <section
      aria-labelledby="api-keys-title"
      className="max-w-2xl rounded-card border border-line bg-surface px-5 py-4"
    >
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 id="api-keys-title" className="text-base">
            API keys
          </h2>
          <p className="mt-1 text-xs text-pretty text-muted">
            For programs that quote for you, within limits that your wallet signs. They stay valid when you
            sign out.
          </p>
        </div>
        <Button size="small" onClick={() => setIsCreating(true)}>
          Create a key
        </Button>
      </div>
      {query.data.length === 0 ? (
        <p className="mt-4 border-t border-line pt-4 text-sm text-muted">You have no API keys.</p>
      ) : (
        <ul className="mt-2">
          {query.data.map((key) => (
            <ApiKeyRow key={key.keyId} apiKey={key} onRevoke={() => setRevoked(key)} />
          ))}
        </ul>
      )}
      {isCreating && <ApiKeyDialog session={session} onClose={() => setIsCreating(false)} />}
      {revoked && <RevokeDialog apiKey={revoked} userId={session.userId} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function ApiKeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  return (
    <li className="flex flex-wrap items-start gap-3 border-t border-line py-3 text-sm first:border-t-0">
      <div className="min-w-0 flex-1">
        <h3 className="truncate text-sm">{apiKey.name}</h3>
        <p className="text-xs text-pretty text-muted">{scopesText(apiKey.scopes)}</p>
        <p className="text-xs text-pretty text-muted">
          At most {formatBtcExact(apiKey.principalMaxSats)} BTC an offer,{" "}
          {formatBtcExact(apiKey.outstandingMaxSats)} BTC open, {formatBtcExact(apiKey.quotedTodaySats)} of{" "}
          {formatBtcExact(apiKey.dailyMaxSats)} BTC today
        </p>
        {keyFacts(apiKey).map((fact) => (
          <p key={fact} className="text-xs break-words text-muted">
            {fact}
          </p>
        ))}
        <p className="text-xs text-muted">
          Valid until {formatMoment(apiKey.validUntil)}
          {apiKey.lastUsedAt !== null && `, last used ${formatMoment(apiKey.lastUsedAt)}`}
        </p>
      </div>
      {apiKey.state === "open" ? (
        <Button size="small" onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
          Revoke
        </Button>
      ) : (
        <Badge>{apiKey.state === "revoked" ? "Revoked" : "Expired"}</Badge>
      )}
    </li>
  );
}

function RevokeDialog({ apiKey, userId, onClose }: { apiKey: ApiKey; userId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const revocation = useMutation({
    mutationFn: () => revokeApiKey(apiKey.keyId),
    onSuccess: onClose,
    // Also when it was revoked elsewhere.
    onSettled: () => queries.invalidateQueries(apiKeysQuery(userId)),
  });
  return (
    <Modal
      open
      onClose={onClose}
      busy={revocation.isPending}
      title={`Revoke ${apiKey.name}?`}
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
        <p>The program that uses it is refused from now on. Its offers stay open, and loans go on.</p>
        {revocation.error && (
          <p role="alert" className="mt-2 text-xs text-down">
            {errorText(revocation.error)}
          </p>
        )}
      </div>
    </Modal>
  );
}
