import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { formatBtcExact } from "@/shared/format/sats";
import { type Session, useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { QuestionDialog } from "@/shared/ui/question-dialog";
import { EmptySection, FetchedSection, SettingsSection } from "@/shared/ui/settings-section";
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
  return (
    <FetchedSection query={query} what="your API keys" className="max-w-2xl">
      {(keys) => (
        <SettingsSection
          title="API keys"
          description="For programs that quote for you, within limits that your wallet signs. They stay valid when you sign out."
          action={
            <Button size="small" onClick={() => setIsCreating(true)}>
              Create a key
            </Button>
          }
          className="max-w-2xl"
        >
          {keys.length === 0 ? (
            <EmptySection>You have no API keys.</EmptySection>
          ) : (
            <ul className="mt-2">
              {keys.map((key) => (
                <ApiKeyRow key={key.keyId} apiKey={key} onRevoke={() => setRevoked(key)} />
              ))}
            </ul>
          )}
          {isCreating && <ApiKeyDialog session={session} onClose={() => setIsCreating(false)} />}
          {revoked && (
            <RevokeDialog apiKey={revoked} userId={session.userId} onClose={() => setRevoked(null)} />
          )}
        </SettingsSection>
      )}
    </FetchedSection>
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
    <QuestionDialog
      title={`Revoke ${apiKey.name}?`}
      answer="Revoke"
      isBusy={revocation.isPending}
      error={revocation.error}
      onYes={() => revocation.mutate()}
      onClose={onClose}
    >
      The program that uses it is refused from now on. Its offers stay open, and loans go on.
    </QuestionDialog>
  );
}
