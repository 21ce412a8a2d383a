import { Button } from "@/shared/ui/button";
import { CopyButton } from "@/shared/ui/copy-button";
import { Field, Input } from "@/shared/ui/input";
import { Modal } from "@/shared/ui/modal";
import { Notice } from "@/shared/ui/notice";

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
    <Modal
      open
      onClose={onClose}
      title="The secret of your webhook"
      footer={
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <Notice title="This secret is shown only now">
          Your server verifies with it that a request is from here.
          {isReplacement && " For 24 hours requests are also signed by the secret before."}
        </Notice>
        <Field label="Secret">
          {(ids) => <Input {...ids} value={secret} readOnly onFocus={(event) => event.target.select()} />}
        </Field>
        <div>
          <CopyButton text={secret} what="secret">
            Copy
          </CopyButton>
        </div>
      </div>
    </Modal>
  );
}
