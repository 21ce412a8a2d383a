import { Modal } from "@/shared/ui/modal";
import type { Action } from "./action";
import { KeyCaps } from "./key-caps";

/** Keys of single parts of a screen. */
const LOCAL: ReadonlyArray<{ keys: string; label: string }> = [
  { keys: "↑ ↓", label: "Move between the rows of a table" },
  { keys: "Enter", label: "Open the row" },
  { keys: "= -", label: "Raise or lower the LTV of an offer by 1" },
  { keys: "← →", label: "Read a chart from price to price" },
  { keys: "Esc", label: "Close what is open" },
];

/** A list of all shortcuts. */
export function ShortcutHelp({ actions, onClose }: { actions: readonly Action[]; onClose: () => void }) {
  const everywhere = actions.flatMap(({ keys, label }) => (keys ? [{ keys, label }] : []));
  return (
    <Modal open onClose={onClose} title="Keyboard shortcuts">
      <div className="flex flex-col gap-5 px-5 pt-4 pb-6">
        <KeyList title="Everywhere" entries={everywhere} />
        <KeyList title="Where they apply" entries={LOCAL} />
      </div>
    </Modal>
  );
}

function KeyList({
  title,
  entries,
}: {
  title: string;
  entries: ReadonlyArray<{ keys: string; label: string }>;
}) {
  return (
    <section>
      <h3 className="pb-1 text-xs font-normal text-muted">{title}</h3>
      <dl>
        {entries.map(({ keys, label }) => (
          <div key={label} className="flex min-h-10 items-center gap-3 border-t border-line text-sm">
            <dt className="flex-1">{label}</dt>
            <dd>
              <KeyCaps keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
