import { ArrowDownUp, Search } from "lucide-react";
import { Button } from "@/shared/ui/button";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { classNames } from "@/shared/ui/class-names";
import { Input } from "@/shared/ui/input";
import { CHIP_GROUPS, COLUMNS, type OfferView, type SortColumn, toggledChip } from "./offer-filter";

interface OfferToolbarProps {
  view: OfferView;
  onView: (view: OfferView) => void;
  selectedCount: number;
  onDelete: () => void;
  /** The table's own headings sort on a wide screen. */
  showSort: boolean;
}

/** Search, chips, and the actions on the selection. */
export function OfferToolbar({ view, onView, selectedCount, onDelete, showSort }: OfferToolbarProps) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          leading={<Search size={16} aria-hidden />}
          type="search"
          aria-label="Search by collection name"
          placeholder="Search..."
          value={view.search}
          onChange={(event) => onView({ ...view, search: event.target.value })}
          className="min-w-0 flex-1 md:max-w-72"
        />
        {showSort && <SortMenu view={view} onView={onView} />}
        {selectedCount > 0 && (
          // On a phone it floats above the tabs: the selection may be far from the top.
          <div className="max-md:fixed max-md:inset-x-4 max-md:bottom-18 max-md:z-20 max-md:rounded-control max-md:bg-surface max-md:shadow-float md:ml-auto">
            <Button variant="danger" wide onClick={onDelete}>
              Delete {selectedCount} {selectedCount === 1 ? "offer" : "offers"}
            </Button>
          </div>
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out unlike the rest. */}
      <div role="group" aria-label="Show only" className="flex flex-wrap gap-1.5">
        {CHIP_GROUPS.flat().map(({ tag, label }) => {
          const isOn = view.chips.has(tag);
          return (
            <button
              key={tag}
              type="button"
              aria-pressed={isOn}
              onClick={() => onView(toggledChip(view, tag))}
              className={classNames(
                "h-7 rounded-full border px-3 text-xs transition-colors",
                isOn
                  ? "border-text bg-text text-ground"
                  : "border-line text-soft hover:border-line-strong hover:text-text",
              )}
            >
              {label}
            </button>
          );
        })}
      </div>
    </div>
  );
}

const SORTS = [
  { value: "newest", label: "Newest" },
  ...COLUMNS.map(({ column, label }) => ({ value: column, label })),
] as const;

function SortMenu({ view, onView }: Pick<OfferToolbarProps, "view" | "onView">) {
  return (
    <ChoiceMenu<SortColumn | "newest">
      label="Sort"
      icon={<ArrowDownUp size={14} aria-hidden className="text-muted" />}
      value={view.sort?.column ?? "newest"}
      choices={SORTS}
      hideValue
      onChange={(chosen) =>
        onView({
          ...view,
          sort: chosen === "newest" ? null : { column: chosen, descending: chosen !== "collection" },
        })
      }
    />
  );
}
