import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { NoticeKind } from "@/shared/api/notice";
import { formatMoment } from "@/shared/format/age";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { QuestionDialog } from "@/shared/ui/question-dialog";
import { EmptySection, FetchedSection, SettingsSection } from "@/shared/ui/settings-section";
import { WebhookDeliveries } from "./webhook-deliveries";
import { WebhookDialog } from "./webhook-dialog";
import {
  removeWebhook,
  replayEvents,
  rotateSecret,
  setWebhook,
  type Webhook,
  webhooksQuery,
} from "./webhook-requests";
import { WebhookSecretDialog } from "./webhook-secret-dialog";
import { webhookState } from "./webhook-text";

type Dialog = { name: "add" } | { name: "events" | "deliveries" | "remove" | "secret"; webhook: Webhook };

/** The user's webhooks, and the buttons that add and change them. */
export function WebhookList({ userId, kinds }: { userId: string; kinds: readonly NoticeKind[] }) {
  const query = useQuery(webhooksQuery(userId));
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);
  return (
    <FetchedSection query={query} what="your webhooks" className="mt-5">
      {({ isAvailable, max, webhooks }) => (
        <SettingsSection
          title="Webhooks"
          description={
            isAvailable
              ? `For your own programs: signed requests to at most ${max} URLs of yours.`
              : "This server calls no webhooks."
          }
          action={
            isAvailable && (
              <Button
                size="small"
                disabled={webhooks.length >= max}
                onClick={() => setDialog({ name: "add" })}
              >
                Add a webhook
              </Button>
            )
          }
          className="mt-5"
        >
          {webhooks.length === 0 ? (
            isAvailable && <EmptySection>You have no webhooks.</EmptySection>
          ) : (
            <ul className="mt-2">
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.webhookId} userId={userId} webhook={webhook} onOpen={setDialog} />
              ))}
            </ul>
          )}
          {dialog?.name === "add" && (
            <WebhookDialog userId={userId} kinds={kinds} webhook={null} onClose={close} />
          )}
          {dialog?.name === "events" && (
            <WebhookDialog userId={userId} kinds={kinds} webhook={dialog.webhook} onClose={close} />
          )}
          {dialog?.name === "deliveries" && <WebhookDeliveries webhook={dialog.webhook} onClose={close} />}
          {dialog?.name === "secret" && (
            <SecretDialog userId={userId} webhook={dialog.webhook} onClose={close} />
          )}
          {dialog?.name === "remove" && (
            <RemoveDialog userId={userId} webhook={dialog.webhook} onClose={close} />
          )}
        </SettingsSection>
      )}
    </FetchedSection>
  );
}

function WebhookRow({
  userId,
  webhook,
  onOpen,
}: {
  userId: string;
  webhook: Webhook;
  onOpen: (dialog: Dialog) => void;
}) {
  const queries = useQueryClient();
  const { webhookId, url, kinds, pausedAt, previousSecretUntil } = webhook;
  const { label, tone, why } = webhookState(webhook);
  const action = useMutation({
    mutationFn: async (isPaused: boolean) => {
      await setWebhook(webhookId, kinds, isPaused);
      // What happened meanwhile is sent now.
      if (!isPaused && pausedAt !== null) await replayEvents(webhookId, pausedAt);
    },
    onSettled: () => queries.invalidateQueries(webhooksQuery(userId)),
  });
  const open = (name: "events" | "deliveries" | "remove" | "secret") => () => onOpen({ name, webhook });
  return (
    <li className="border-t border-line py-3 text-sm first:border-t-0">
      <div className="flex items-start gap-3">
        <h3 className="min-w-0 flex-1 text-sm break-all">{url}</h3>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p className="text-xs text-pretty text-muted">
        {kinds.length === 1 ? "1 kind of event" : `${kinds.length} kinds of events`}
        {previousSecretUntil !== null &&
          `, also signed by the secret before until ${formatMoment(previousSecretUntil)}`}
      </p>
      {why !== null && <p className="mt-1 text-xs text-pretty text-down">{why}</p>}
      {action.error && (
        <p role="alert" className="mt-1 text-xs text-down">
          {errorText(action.error)}
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="small" onClick={open("deliveries")} aria-label={`Deliveries to ${url}`}>
          Deliveries
        </Button>
        <Button size="small" onClick={open("events")} aria-label={`Events of ${url}`}>
          Events
        </Button>
        <Button size="small" onClick={open("secret")} aria-label={`Replace the secret of ${url}`}>
          New secret
        </Button>
        <Button
          size="small"
          disabled={action.isPending}
          onClick={() => action.mutate(pausedAt === null)}
          aria-label={pausedAt === null ? `Pause ${url}` : `Resume ${url}`}
        >
          {pausedAt === null ? "Pause" : "Resume"}
        </Button>
        <Button size="small" onClick={open("remove")} aria-label={`Remove ${url}`}>
          Remove
        </Button>
      </div>
    </li>
  );
}

function SecretDialog({
  userId,
  webhook,
  onClose,
}: {
  userId: string;
  webhook: Webhook;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const rotation = useMutation({
    mutationFn: () => rotateSecret(webhook.webhookId),
    onSuccess: () => queries.invalidateQueries(webhooksQuery(userId)),
    gcTime: 0,
  });
  if (rotation.data !== undefined)
    return <WebhookSecretDialog secret={rotation.data} isReplacement onClose={onClose} />;
  return (
    <QuestionDialog
      title="Replace the secret?"
      answer="Replace"
      isBusy={rotation.isPending}
      error={rotation.error}
      onYes={() => rotation.mutate()}
      onClose={onClose}
    >
      For 24 hours requests carry two signatures, by the new secret and by the one before.
    </QuestionDialog>
  );
}

function RemoveDialog({
  userId,
  webhook,
  onClose,
}: {
  userId: string;
  webhook: Webhook;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const removal = useMutation({
    mutationFn: () => removeWebhook(webhook.webhookId),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(webhooksQuery(userId)),
  });
  return (
    <QuestionDialog
      title="Remove the webhook?"
      answer="Remove"
      isBusy={removal.isPending}
      error={removal.error}
      onYes={() => removal.mutate()}
      onClose={onClose}
    >
      Nothing is sent to <span className="break-all">{webhook.url}</span> any more, and the record of its
      deliveries is gone.
    </QuestionDialog>
  );
}
