import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";

/** Shows the result and the next step, for the user to acknowledge. */
export function SuccessAlert({
  title,
  children,
  action,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** Shown next to `Done`, for example a link or a share button. */
  action?: ReactNode;
  onClose: () => void;
}) {
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      footer={
        <div className="flex justify-end gap-2">
          {action}
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      }
    >
      <div className="flex items-start gap-3 px-5 py-6" role="status">
        <CircleCheck size={24} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-up" />
        <div className="flex flex-col gap-2 text-sm text-soft">{children}</div>
      </div>
    </Modal>
  );
}
