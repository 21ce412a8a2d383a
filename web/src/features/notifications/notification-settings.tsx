import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";
import { configQuery } from "@/shared/api/config";
import { ConnectButton } from "@/shared/session/connect-button";
import { renewPreferences } from "@/shared/session/notification-preferences";
import { useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button, buttonClass } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { lazyPart } from "@/shared/ui/lazy-part";
import { BrowserList } from "./browser-list";
import { Channel } from "./channel";
import { EmailChannel } from "./email-channel";
import { MailLinkNotice } from "./mail-link-notice";
import { NoticeChoices } from "./notice-choices";
import { isReached, notificationsQuery } from "./notification-requests";
import { pushQuery } from "./push-requests";
import { TelegramChannel } from "./telegram-channel";
import { WebhookList } from "./webhook-list";

// Lazy, and absent from other builds.
const DemoMessages =
  import.meta.env.VITE_DEV_WALLET === "1"
    ? lazyPart(() => import("./demo-messages").then((module) => module.DemoMessages))
    : null;

/** The notified events, and the channels. */
export function NotificationSettings() {
  const userId = useSession((state) => state.session?.userId);
  return (
    <>
      <MailLinkNotice />
      {userId === undefined ? (
        <EmptyState title="Connect a wallet to choose your notifications" action={<ConnectButton />}>
          You have 12 hours to counter-sign a loan, and a missed due date can cost the collateral. This server
          can notify this browser, write by email and Telegram if its operator has set them up, and call
          webhooks of yours.
        </EmptyState>
      ) : (
        <OwnSettings key={userId} userId={userId} />
      )}
    </>
  );
}

function OwnSettings({ userId }: { userId: string }) {
  const query = useQuery(notificationsQuery(userId));
  const { data: config } = useQuery(configQuery);
  const { data } = query;
  const { data: pushes } = useQuery(pushQuery(userId));
  const hasBrowser = pushes !== undefined && pushes.subscriptions.length > 0;
  const isAnyReached = data && (isReached(data) || hasBrowser);
  const isAlerted = data?.criticalAlerts;
  // The prompt elsewhere uses the preferences in the session.
  useEffect(() => {
    if (isAnyReached !== undefined && isAlerted !== undefined) void renewPreferences();
  }, [isAnyReached, isAlerted]);

  if (query.isPending) return <SettingsSkeleton />;
  if (!data) {
    return (
      <EmptyState
        title="Your settings could not be fetched"
        action={<Button onClick={() => void query.refetch()}>Try again</Button>}
      >
        {query.error?.message}
      </EmptyState>
    );
  }
  return (
    <div className="grid items-start gap-5 md:grid-cols-2">
      <div className="min-w-0">
        <section className="rounded-card border border-line bg-surface px-5 py-4">
          <h2 className="text-base">Notification channels</h2>
          <ul className="mt-2">
            <Channel name="In the app" badge={<Badge tone="up">On</Badge>}>
              Under the bell, live while you are signed in. Open tasks are in the portfolio under Pending.
            </Channel>
            <EmailChannel key={data.email.refusedAt} userId={userId} email={data.email} />
            <TelegramChannel userId={userId} telegram={data.telegram} />
          </ul>
          {!isAnyReached && (
            <div className="mt-2 border-t border-line pt-4">
              <p className="text-sm text-pretty text-soft">
                You get no notifications outside the app yet. Until you do, add the due dates of your loans to
                your own calendar.
              </p>
              <Link to="/portfolio?tab=loans" className={`${buttonClass()} mt-3`}>
                Go to my loans
              </Link>
            </div>
          )}
        </section>
        <BrowserList userId={userId} notifications={data} />
        <WebhookList userId={userId} kinds={data.choices.map(({ kind }) => kind)} />
        {DemoMessages && config?.demo === true && <DemoMessages userId={userId} />}
      </div>
      <NoticeChoices userId={userId} notifications={data} />
    </div>
  );
}

function SettingsSkeleton() {
  return (
    <div role="status" aria-label="Loading your settings" className="grid items-start gap-5 md:grid-cols-2">
      <div className="h-[360px] animate-shimmer rounded-card border border-line bg-surface" />
      <div className="h-[1120px] animate-shimmer rounded-card border border-line bg-surface" />
    </div>
  );
}
