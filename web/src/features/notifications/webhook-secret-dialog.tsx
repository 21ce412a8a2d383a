import { SecretDialog } from "@/shared/ui/secret-dialog";

/** Shows the secret of a webhook once. */
export function WebhookSecretDialog({
  secret,
  isReplacement,
  onClose,
}: {
  secret: string;
  isReplacement: boolean;
  onClose: () => void;
}) {
  return (
    <SecretDialog title="The secret of your webhook" secret={secret} what="secret" onClose={onClose}>
      Your server verifies with it that a request is from here.
      {isReplacement && " For 24 hours requests are also signed by the secret before."}
    </SecretDialog>
  );
}
