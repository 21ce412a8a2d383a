import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { NoticeKind } from "@/shared/api/notice";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import { Modal } from "@/shared/ui/modal";
import { KindPicker } from "./kind-picker";
import { registerWebhook, setWebhook, type Webhook, webhooksQuery } from "./webhook-requests";
import { WebhookSecretDialog } from "./webhook-secret-dialog";
import { urlProblem } from "./webhook-text";

/** Registers a webhook and shows its secret once; or chooses the events of one that exists. */
export function WebhookDialog({
  userId,
  kinds,
  webhook,
  onClose,
}: {
  userId: string;
  /** The kinds of events to choose from. */
  kinds: readonly NoticeKind[];
  /** Null to register one. */
  webhook: Webhook | null;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [chosen, setChosen] = useState<readonly NoticeKind[]>(webhook?.kinds ?? kinds);
  const [isChecked, setIsChecked] = useState(false);
  const problem = webhook === null ? urlProblem(url) : null;
  const saving = useMutation({
    mutationFn: async () => {
      if (webhook === null) return registerWebhook(url.trim(), chosen);
      await setWebhook(webhook.webhookId, chosen, webhook.pausedAt !== null);
      return null;
    },
    onSuccess: (secret) => {
      if (secret === null) onClose();
      return queries.invalidateQueries(webhooksQuery(userId));
    },
    // The secret stays in this dialog, and in no cache of the page.
    gcTime: 0,
  });
  if (typeof saving.data === "string")
    return <WebhookSecretDialog secret={saving.data} isReplacement={false} onClose={onClose} />;
  const submit = () => {
    setIsChecked(true);
    if (problem === null) saving.mutate();
  };
  return (
    <Modal
      open
      onClose={onClose}
      busy={saving.isPending}
      title={webhook === null ? "Add a webhook" : "Events of the webhook"}
      description="This server calls the URL when an event happens."
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={saving.isPending}>
            Cancel
          </Button>
          <Button variant="primary" disabled={saving.isPending} onClick={submit}>
            {webhook === null ? "Add" : "Save"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <Field
          label="URL"
          hint="Of your own server, over https and reachable from the Internet."
          error={isChecked ? problem : null}
        >
          {(ids) => (
            <Input
              {...ids}
              type="url"
              value={url}
              maxLength={512}
              placeholder="https://example.org/hook"
              disabled={saving.isPending}
              readOnly={webhook !== null}
              invalid={isChecked && problem !== null}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <KindPicker kinds={kinds} chosen={chosen} disabled={saving.isPending} onChange={setChosen} />
      </div>
      {saving.error && (
        <p role="alert" className="px-5 pb-4 text-xs text-down">
          {errorText(saving.error)}
        </p>
      )}
    </Modal>
  );
}
