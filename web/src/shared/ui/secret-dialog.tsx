import type { ReactNode } from "react";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { Field, Input } from "./input";
import { Modal } from "./modal";
import { Notice } from "./notice";

/** Shows a secret that is shown once; `what` names it after "Copy", the children say what it is for. */
export function SecretDialog({
  title,
  secret,
  what,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  what: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      footer={
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <Notice title="This secret is shown only now">{children}</Notice>
        <Field label="Secret">
          {(ids) => <Input {...ids} value={secret} readOnly onFocus={(event) => event.target.select()} />}
        </Field>
        <div>
          <CopyButton text={secret} what={what}>
            Copy
          </CopyButton>
        </div>
      </div>
    </Modal>
  );
}
