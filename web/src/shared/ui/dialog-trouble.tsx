import { Modal } from "./modal";
import { Trouble } from "./trouble";

/** Shown in place of a dialog that failed. */
export function DialogTrouble({ error, onClose }: { error: unknown; onClose: () => void }) {
  return (
    <Modal open onClose={onClose} title="Something went wrong">
      <div className="px-5 pb-5">
        <Trouble what="This dialog" error={error} />
      </div>
    </Modal>
  );
}
