import type { ReactNode } from "react";
import { errorText } from "@/shared/api/error-text";
import { DialogActions } from "./dialog-actions";
import { Modal } from "./modal";

/** Asks before something is taken away or replaced. */
export function QuestionDialog({
  title,
  answer,
  isBusy,
  error,
  onYes,
  onClose,
  children,
}: {
  title: string;
  /** The label of the button that goes on. */
  answer: string;
  isBusy: boolean;
  error: Error | null;
  onYes: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={title}
      footer={
        <DialogActions
          leave="Keep"
          go={answer}
          variant="danger"
          isBusy={isBusy}
          onLeave={onClose}
          onGo={onYes}
        />
      }
    >
      <div className="px-5 py-4 text-sm text-soft">
        <p>{children}</p>
        {error && (
          <p role="alert" className="mt-2 text-xs text-down">
            {errorText(error)}
          </p>
        )}
      </div>
    </Modal>
  );
}
