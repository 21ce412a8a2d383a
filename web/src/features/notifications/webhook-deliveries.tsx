import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { errorText } from "@/shared/api/error-text";
import { formatMoment } from "@/shared/format/age";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { CHOICE_TEXTS } from "./notice-choice-text";
import {
  type Delivery,
  deliveriesQuery,
  redeliver,
  replayEvents,
  sendTestEvent,
  type Webhook,
} from "./webhook-requests";
import { deliveryBadge, lastResult } from "./webhook-text";

const DAY_MS = 86_400_000;

/** The latest deliveries to a webhook, and the buttons that send events again. */
export function WebhookDeliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { webhookId, url, pausedAt } = webhook;
  const queries = useQueryClient();
  const query = useQuery(deliveriesQuery(webhookId));
  const action = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => queries.invalidateQueries(deliveriesQuery(webhookId)),
  });
  const isPaused = pausedAt !== null;
  return (
    <Modal
      open
      onClose={onClose}
      title="Deliveries"
      description={<span className="break-all">{url}</span>}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button
            disabled={action.isPending || isPaused}
            onClick={() => action.mutate(() => replayEvents(webhookId, Date.now() - DAY_MS))}
          >
            Send the last day again
          </Button>
          <Button
            variant="primary"
            disabled={action.isPending}
            onClick={() => action.mutate(() => sendTestEvent(webhookId))}
          >
            Send a test event
          </Button>
        </div>
      }
    >
      <div className="px-5 py-4">
        {action.error && (
          <p role="alert" className="mb-3 text-xs text-down">
            {errorText(action.error)}
          </p>
        )}
        {query.isPending ? (
          <div
            role="status"
            aria-label="Loading the deliveries"
            className="h-[160px] animate-shimmer rounded-card bg-raised"
          />
        ) : !query.data ? (
          <EmptyState
            title="The deliveries could not be fetched"
            action={<Button onClick={() => void query.refetch()}>Try again</Button>}
          >
            {query.error?.message}
          </EmptyState>
        ) : query.data.length === 0 ? (
          <p className="text-sm text-muted">Nothing has been sent to it yet.</p>
        ) : (
          <ul aria-label="Latest deliveries">
            {query.data.map((delivery) => (
              <DeliveryRow
                key={delivery.deliveryId}
                delivery={delivery}
                isDisabled={action.isPending || isPaused}
                onRedeliver={() => action.mutate(() => redeliver(webhookId, delivery.deliveryId))}
              />
            ))}
          </ul>
        )}
      </div>
    </Modal>
  );
}

function DeliveryRow({
  delivery,
  isDisabled,
  onRedeliver,
}: {
  delivery: Delivery;
  isDisabled: boolean;
  onRedeliver: () => void;
}) {
  const { kind, eventId, attempts, nextAttemptAt, lastAttemptAt, queuedAt, answer, state } = delivery;
  const [{ label, tone }, result] = [deliveryBadge(delivery), lastResult(delivery)];
  const what = kind === null ? "Test event" : CHOICE_TEXTS[kind].what;
  const isEnded = state !== "waiting" && state !== "in_flight";
  return (
    <li className="flex flex-wrap items-start gap-3 border-t border-line py-3 text-sm first:border-t-0">
      <div className="min-w-0 flex-1">
        <h3 className="flex flex-wrap items-center gap-2 text-sm">
          {what} <Badge tone={tone}>{label}</Badge>
        </h3>
        <p className="text-xs break-all text-muted">{eventId}</p>
        <p className="text-xs text-muted">
          {formatMoment(lastAttemptAt ?? queuedAt)}
          {result !== null && `: ${result}`}
          {attempts > 1 && `, attempt ${attempts}`}
        </p>
        {nextAttemptAt !== null && attempts > 0 && (
          <p className="text-xs text-muted">Next attempt {formatMoment(nextAttemptAt)}</p>
        )}
        {answer !== null && (
          <pre className="mt-1 max-h-24 overflow-auto rounded-control bg-raised px-2 py-1 text-xs break-all whitespace-pre-wrap text-soft">
            {answer}
          </pre>
        )}
      </div>
      {isEnded && (
        <Button
          size="small"
          disabled={isDisabled}
          onClick={onRedeliver}
          aria-label={`Send again: ${what}, ${eventId}`}
        >
          Send again
        </Button>
      )}
    </li>
  );
}
