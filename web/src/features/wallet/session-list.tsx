import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { formatMoment } from "@/shared/format/age";
import { agentName } from "@/shared/session/agent-name";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { FetchedSection, SettingsSection } from "@/shared/ui/settings-section";
import { endSession, type OwnSession, sessionsQuery } from "./session-list-requests";
import { signOut } from "./wallet-session";

/** The user's sessions, and the buttons that end them. */
export function SessionList() {
  const userId = useSession((state) => state.session?.userId);
  if (userId === undefined) {
    return (
      <EmptyState title="Connect a wallet to see where you are signed in" action={<ConnectButton />}>
        Each browser that you sign in with has a session of its own. It ends after 14 days without use, and
        after 30 days in any case.
      </EmptyState>
    );
  }
  return <OwnSessions key={userId} userId={userId} />;
}

function OwnSessions({ userId }: { userId: string }) {
  const query = useQuery(sessionsQuery(userId));
  const signOutAll = useMutation({ mutationFn: signOut });
  return (
    <FetchedSection query={query} what="your sessions" className="max-w-2xl">
      {(sessions) => (
        <SettingsSection
          title="Where you are signed in"
          description="A session ends after 14 days without use, and after 30 days in any case."
          className="max-w-2xl"
        >
          <ul className="mt-2">
            {sessions.map((session) => (
              <SessionRow key={session.sessionId} session={session} userId={userId} />
            ))}
          </ul>
          <div className="mt-2 border-t border-line pt-4">
            <Button disabled={signOutAll.isPending} onClick={() => signOutAll.mutate()}>
              Sign out everywhere
            </Button>
            {signOutAll.error && (
              <p role="alert" className="mt-2 text-xs text-down">
                {signOutAll.error.message}
              </p>
            )}
          </div>
        </SettingsSection>
      )}
    </FetchedSection>
  );
}

function SessionRow({ session, userId }: { session: OwnSession; userId: string }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSession(session.sessionId),
    // Also when it had ended already.
    onSettled: () => client.invalidateQueries({ queryKey: ["sessions", userId] }),
  });
  const name = agentName(session.agent);
  return (
    <li className="flex flex-wrap items-center gap-3 border-t border-line py-3 text-sm first:border-t-0">
      <div className="min-w-0 flex-1">
        <h3 className="truncate text-sm">{name}</h3>
        <p className="text-xs text-muted">
          Signed in {formatMoment(session.openedAt)}, last used {formatMoment(session.usedAt)}
        </p>
        {end.error && (
          <p role="alert" className="mt-1 text-xs text-down">
            {end.error.message}
          </p>
        )}
      </div>
      {session.isCurrent ? (
        <Badge tone="up">This browser</Badge>
      ) : (
        <Button
          size="small"
          disabled={end.isPending}
          onClick={() => end.mutate()}
          aria-label={`End the session of ${name}`}
        >
          End
        </Button>
      )}
    </li>
  );
}
