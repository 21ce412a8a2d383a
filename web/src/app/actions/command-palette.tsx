import { Command } from "cmdk";
import { useRef } from "react";
import type { Collection } from "@/shared/api/collection";
import { useMarket } from "@/shared/feed/use-feed";
import { detailAddress } from "@/shared/share/share-link";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Modal } from "@/shared/ui/modal";
import type { Action, ActionContext, ActionGroup } from "./action";
import { KeyCaps } from "./key-caps";
import { foundCollections } from "./palette-collections";

const GROUPS: readonly ActionGroup[] = ["Go to", "Actions", "Appearance"];
const ITEM =
  "flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-3 text-sm text-text select-none data-[selected=true]:bg-raised";

/** All actions and all collections, found by typing. */
export function CommandPalette({
  actions,
  context,
  search,
  onSearch,
  onClose,
}: {
  actions: readonly Action[];
  context: ActionContext;
  /** Text of the field; it may have been typed before the field was rendered. */
  search: string;
  onSearch: (search: string) => void;
  onClose: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const offered = actions.filter(({ id, isOffered }) => id !== "palette" && (isOffered?.(context) ?? true));
  // Requested here, because most pages do not need it.
  const market = useMarket();
  const labels = offered.map(({ label }) => label);
  const found = foundCollections(market.data?.values() ?? [], search, labels);
  const choose = (run: () => void) => {
    onClose();
    // After the dialog has returned the focus, which would otherwise override the action's.
    requestAnimationFrame(() => requestAnimationFrame(run));
  };
  const collections = (
    <Collections rows={found.rows} onChoose={(address) => choose(() => context.goTo(address))} />
  );
  return (
    <Modal open onClose={onClose} title="Search commands and collections" initialFocus={input}>
      <Command label="Commands" className="flex flex-col" loop>
        <Command.Input
          ref={input}
          value={search}
          onValueChange={onSearch}
          placeholder="Type what you want to do, or a collection"
          className="h-12 border-b border-line bg-transparent px-5 text-sm text-text -outline-offset-2"
        />
        <Command.List label="Results" className="h-80 overflow-y-auto p-2">
          <Command.Empty className="px-3 py-8 text-center text-sm text-muted">
            {market.data || market.refusal !== null ? "No results found" : "Fetching collections..."}
          </Command.Empty>
          {found.lead && collections}
          {GROUPS.map((group) => (
            <Command.Group key={group} heading={group} className={GROUP}>
              {offered
                .filter((action) => action.group === group)
                .map((action) => (
                  <Command.Item
                    key={action.id}
                    value={action.label}
                    keywords={action.keywords?.split(" ")}
                    onSelect={() => choose(() => action.run(context))}
                    className={ITEM}
                  >
                    <action.icon size={16} aria-hidden className="shrink-0 text-muted" />
                    <span className="min-w-0 flex-1 truncate">{action.label}</span>
                    {action.keys && <KeyCaps keys={action.keys} />}
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
          {!found.lead && collections}
        </Command.List>
      </Command>
    </Modal>
  );
}

const GROUP =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted";

function Collections({
  rows,
  onChoose,
}: {
  rows: readonly Collection[];
  onChoose: (address: string) => void;
}) {
  if (rows.length === 0) return null;
  return (
    <Command.Group heading="Collections" className={GROUP}>
      {rows.map((row) => (
        <Command.Item
          key={row.id}
          value={`${row.collectionName} ${row.id}`}
          onSelect={() => onChoose(detailAddress(row))}
          className={ITEM}
        >
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
          <span className="min-w-0 flex-1 truncate">{row.collectionName}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
