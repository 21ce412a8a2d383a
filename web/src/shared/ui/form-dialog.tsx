import type { ReactNode } from "react";
import { errorText } from "@/shared/api/error-text";
import { DialogActions } from "./dialog-actions";
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
        <DialogActions
          leave="Cancel"
          go={submitLabel}
          variant="primary"
          isBusy={isBusy}
          isReady={isReady}
          onLeave={onClose}
          onGo={onSubmit}
        />
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
