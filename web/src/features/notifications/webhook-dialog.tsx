import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NoticeKind } from "@/shared/api/notice";
import { FormDialog } from "@/shared/ui/form-dialog";
import { Field, Input } from "@/shared/ui/input";
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
    <FormDialog
      title={webhook === null ? "Add a webhook" : "Events of the webhook"}
      description="This server calls the URL when an event happens."
      submitLabel={webhook === null ? "Add" : "Save"}
      isBusy={saving.isPending}
      error={saving.error}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
