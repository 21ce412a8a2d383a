import { ArrowDownUp, Search, X } from "lucide-react";
import type { Category } from "@/shared/api/collection";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { Input } from "@/shared/ui/input";
import { Segmented } from "@/shared/ui/segmented";
import { FilterPopover } from "./filter-popover";
import { CHANGE_LABEL, sortChoices, VOLUME_LABEL } from "./market-columns";
import type { Mode } from "./market-rows";
import { CHANGES, FILTER_LABEL, type Filter, type MarketView, type SortKey, VOLUMES } from "./market-view";

interface MarketToolbarProps {
  mode: Mode;
  category: Category;
  view: MarketView;
  onChange: (change: Partial<MarketView>) => void;
  hasChanges: boolean;
  /** The applicable filters. */
  filters: readonly Filter[];
  /** Cards have no headings to press, so sorting has its own menu. */
  cards: boolean;
}

const PROCESSES = [
  { value: "manual", label: "Manual" },
  { value: "instant", label: "Instant" },
] as const;

export function MarketToolbar({
  mode,
  category,
  view,
  onChange,
  hasChanges,
  filters,
  cards,
}: MarketToolbarProps) {
  const remove = (filter: Filter) => onChange({ filters: view.filters.filter((kept) => kept !== filter) });
  const selected = view.filters.filter((filter) => filters.includes(filter));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Offer type"
          value={view.process}
          choices={PROCESSES}
          onChange={(process) => onChange({ process })}
          className="max-md:flex-1"
        />
        <SearchBox value={view.q} onChange={(q) => onChange({ q })} />
        {/* A scroll container clips its overflow, so it leaves space for the focus ring. */}
        <div className="flex gap-2 max-md:-m-1 max-md:w-[calc(100%+8px)] max-md:gap-1.5 max-md:overflow-x-auto max-md:p-1 md:ml-auto">
          <FilterPopover
            filters={filters}
            selected={view.filters}
            onChange={(next) => onChange({ filters: next })}
          />
          <ChoiceMenu
            label="Volumes"
            value={view.volume}
            choices={VOLUMES.map((value) => ({ value, label: VOLUME_LABEL[value] }))}
            onChange={(volume) => onChange({ volume })}
            hideValue={cards}
          />
          {hasChanges && (
            <ChoiceMenu
              label="Price Changes"
              value={view.change}
              choices={CHANGES.map((value) => ({ value, label: CHANGE_LABEL[value] }))}
              onChange={(change) => onChange({ change })}
              hideValue={cards}
            />
          )}
          {cards && (
            <SortMenu
              mode={mode}
              category={category}
              view={view}
              onChange={onChange}
              hasChanges={hasChanges}
            />
          )}
        </div>
      </div>
      {selected.length > 0 && (
        <ul aria-label="Selected filters" className="flex flex-wrap gap-2">
          {selected.map((filter) => (
            <li key={filter}>
              <button
                type="button"
                aria-label={`Remove filter ${FILTER_LABEL[filter]}`}
                onClick={() => remove(filter)}
                className="inline-flex h-7 items-center gap-1.5 rounded-full bg-raised pr-2 pl-3 text-xs text-text hover:bg-line"
              >
                {FILTER_LABEL[filter]}
                <X size={12} aria-hidden className="text-muted" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Input
      type="search"
      value={value}
      placeholder="Search..."
      aria-label="Search collections"
      aria-keyshortcuts="/"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && value !== "") {
          event.preventDefault();
          onChange("");
        }
      }}
      leading={<Search size={16} aria-hidden />}
      trailing={
        <kbd aria-hidden className="rounded-[4px] border border-line px-1.5 font-sans text-xs max-md:hidden">
          /
        </kbd>
      }
      className="min-w-40 flex-1 md:max-w-72"
    />
  );
}

function SortMenu({
  mode,
  category,
  view,
  onChange,
  hasChanges,
}: Pick<MarketToolbarProps, "mode" | "category" | "view" | "onChange" | "hasChanges">) {
  const choices = sortChoices(mode, category, hasChanges).flatMap(([key, label]) => [
    { value: `-${key}`, label: key === "name" ? "Collection, Z to A" : `${label}, highest first` },
    { value: key as string, label: key === "name" ? "Collection, A to Z" : `${label}, lowest first` },
  ]);
  const value = `${view.sort.descending ? "-" : ""}${view.sort.key}`;
  return (
    <ChoiceMenu
      label="Sort"
      icon={<ArrowDownUp size={14} aria-hidden />}
      value={value}
      choices={choices}
      hideValue
      onChange={(next) =>
        onChange({ sort: { key: next.replace("-", "") as SortKey, descending: next.startsWith("-") } })
      }
    />
  );
}
