import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { formatMoment } from "@/shared/format/age";
import { agentName } from "@/shared/session/agent-name";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { BrowserKindsDialog } from "./browser-kinds-dialog";
import { browserParts, readBrowser, subscribeBrowser, unsubscribeBrowser } from "./browser-push";
import { browserView, firstKinds, ownSubscription } from "./browser-text";
import { Channel } from "./channel";
import type { Notifications } from "./notification-requests";
import { addBrowser, pushQuery, removeBrowser, type Subscription } from "./push-requests";

const browserQuery = { queryKey: ["this-browser"], queryFn: () => readBrowser(browserParts()) };

/** Push messages to this browser, and the other browsers of the account. */
export function BrowserList({ userId, notifications }: { userId: string; notifications: Notifications }) {
  const known = useQuery(pushQuery(userId));
  const browser = useQuery(browserQuery);
  const [edited, setEdited] = useState<Subscription | null>(null);
  const problem = known.error ?? browser.error;
  if (problem) {
    return (
      <EmptyState
        title="Your browsers could not be fetched"
        action={
          <Button onClick={() => void Promise.all([known.refetch(), browser.refetch()])}>Try again</Button>
        }
      >
        {problem.message}
      </EmptyState>
    );
  }
  if (!known.data || !browser.data) {
    return (
      <div
        role="status"
        aria-label="Loading your browsers"
        className="mt-5 h-[132px] animate-shimmer rounded-card border border-line bg-surface"
      />
    );
  }
  const { publicKey, max, subscriptions } = known.data;
  const own = ownSubscription(browser.data, subscriptions);
  const others = subscriptions.filter((subscription) => subscription !== own);
  return (
    <section
      aria-labelledby="browsers-title"
      className="mt-5 rounded-card border border-line bg-surface px-5 py-4"
    >
      <h2 id="browsers-title" className="text-base">
        Browsers
      </h2>
      <ul className="mt-2">
        <ThisBrowser
          userId={userId}
          notifications={notifications}
          publicKey={publicKey}
          view={browserView(browser.data, publicKey, own)}
          own={own}
          isFull={own === null && subscriptions.length >= max}
          onEvents={setEdited}
        />
        {others.map((subscription) => (
          <OtherBrowser
            key={subscription.pushId}
            userId={userId}
            subscription={subscription}
            onEvents={() => setEdited(subscription)}
          />
        ))}
      </ul>
      {edited && (
        <BrowserKindsDialog
          userId={userId}
          kinds={notifications.choices.map(({ kind }) => kind)}
          subscription={edited}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

function ThisBrowser({
  userId,
  notifications,
  publicKey,
  view,
  own,
  isFull,
  onEvents,
}: {
  userId: string;
  notifications: Notifications;
  publicKey: string | null;
  view: ReturnType<typeof browserView>;
  own: Subscription | null;
  /** The account has as many browsers as it can. */
  isFull: boolean;
  onEvents: (own: Subscription) => void;
}) {
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all([queries.invalidateQueries(pushQuery(userId)), queries.invalidateQueries(browserQuery)]);
  const switching = useMutation({
    mutationFn: async (isOn: boolean) => {
      if (!isOn) {
        if (own) await removeBrowser(own.pushId);
        await unsubscribeBrowser(browserParts());
        return;
      }
      const keys = await subscribeBrowser(browserParts(), publicKey ?? "");
      // The one before is of a key that the server has no more.
      if (own && own.endpoint !== keys.endpoint) await removeBrowser(own.pushId);
      await addBrowser(keys, own?.kinds ?? firstKinds(notifications));
    },
    onSettled: refresh,
  });
  const isAsking = switching.isPending && switching.variables;
  // A refusal for good shows as the state of the browser.
  const problem = view.label === "Blocked" ? null : switching.error;
  const badge = isAsking
    ? ({ tone: "warn", label: "Asking" } as const)
    : problem
      ? ({ tone: "down", label: "Failed" } as const)
      : view;
  return (
    <Channel
      name="This browser"
      badge={<Badge tone={badge.tone}>{badge.label}</Badge>}
      problem={problem && `It was not changed: ${errorText(problem)}`}
      actions={
        view.action !== null && (
          <>
            <Button
              size="small"
              disabled={switching.isPending || (isFull && view.action === "on")}
              onClick={() => switching.mutate(view.action !== "off")}
            >
              {{ on: "Turn on", off: "Turn off", renew: "Renew" }[view.action]}
            </Button>
            {own && (
              <Button
                size="small"
                disabled={switching.isPending}
                onClick={() => onEvents(own)}
                aria-label="Events of this browser"
              >
                Events
              </Button>
            )}
          </>
        )
      }
    >
      {isAsking ? "Allow notifications where your browser asks." : view.text}
      {own && ` ${kindCount(own)}.`}
      {view.action === "on" && isFull && " Remove another browser first: an account has no more."}
    </Channel>
  );
}

function OtherBrowser({
  userId,
  subscription,
  onEvents,
}: {
  userId: string;
  subscription: Subscription;
  onEvents: () => void;
}) {
  const queries = useQueryClient();
  const removal = useMutation({
    mutationFn: () => removeBrowser(subscription.pushId),
    // Also when it was removed already.
    onSettled: () => queries.invalidateQueries(pushQuery(userId)),
  });
  const name = agentName(subscription.agent);
  return (
    <Channel
      name={name}
      badge={<Badge tone="up">On</Badge>}
      problem={removal.error && errorText(removal.error)}
      actions={
        <>
          <Button size="small" onClick={onEvents} aria-label={`Events of ${name}`}>
            Events
          </Button>
          <Button
            size="small"
            disabled={removal.isPending}
            onClick={() => removal.mutate()}
            aria-label={`Remove ${name}`}
          >
            Remove
          </Button>
        </>
      }
    >
      Added {formatMoment(subscription.addedAt)}. {kindCount(subscription)}.
    </Channel>
  );
}

function kindCount({ kinds }: Subscription): string {
  return kinds.length === 1 ? "1 kind of event" : `${kinds.length} kinds of events`;
}
