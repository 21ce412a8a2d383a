import { ErrorFallback } from "./error-fallback";
import { Modal } from "./modal";

/** Shown in place of a dialog that failed. */
export function DialogErrorFallback({ error, onClose }: { error: unknown; onClose: () => void }) {
  return (
    <Modal open onClose={onClose} title="Something went wrong">
      <div className="px-5 pb-5">
        <ErrorFallback what="This dialog" error={error} />
      </div>
    </Modal>
  );
}
