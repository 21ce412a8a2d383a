import type { ReactNode } from "react";
import { errorText } from "@/shared/api/error-text";
import { Button } from "./button";
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
        <div className="flex items-center justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Keep
          </Button>
          <Button variant="danger" disabled={isBusy} onClick={onYes}>
            {answer}
          </Button>
        </div>
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
