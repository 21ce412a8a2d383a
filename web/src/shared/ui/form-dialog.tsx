import type { ReactNode } from "react";
import { errorText } from "@/shared/api/error-text";
import { Button } from "./button";
import { Modal } from "./modal";

/** Fields that are sent together, with the error of sending them. */
export function FormDialog({
  title,
  description,
  submitLabel,
  isBusy,
  isReady = true,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  description: string;
  submitLabel: string;
  isBusy: boolean;
  /** What is needed to submit has been loaded. */
  isReady?: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={title}
      description={description}
      footer={
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="primary" disabled={isBusy || !isReady} onClick={onSubmit}>
            {submitLabel}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">{children}</div>
      {error && (
        <p role="alert" className="px-5 pb-4 text-xs text-down">
          {errorText(error)}
        </p>
      )}
    </Modal>
  );
}
