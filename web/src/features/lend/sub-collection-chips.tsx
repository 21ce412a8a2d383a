import { Check } from "lucide-react";
import { useId } from "react";
import type { Collection } from "@/shared/api/collection";
import { classNames } from "@/shared/ui/class-names";
import { labelOf } from "./lend-target";

/** The bundles or terms to create offers for. Pressing a selected one shows it and does not deselect it. */
export function SubCollectionChips<Target extends { subCollectionId: string }>({
  label,
  row,
  targets,
  selectedIds,
  activeId,
  disabled,
  onChoose,
}: {
  label: string;
  row: Collection;
  targets: readonly Target[];
  selectedIds: readonly string[];
  activeId: string | null;
  disabled: boolean;
  onChoose: (target: Target) => void;
}) {
  const labelId = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={labelId} className="text-xs text-soft">
        {label}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out unlike the other controls. */}
      <div role="group" aria-labelledby={labelId} className="flex flex-wrap gap-2">
        {targets.map((target) => {
          const id = target.subCollectionId;
          const isSelected = selectedIds.includes(id);
          return (
            <button
              key={id}
              type="button"
              aria-pressed={isSelected}
              disabled={disabled}
              onClick={() => onChoose(target)}
              className={classNames(
                "flex h-9 items-center gap-1.5 rounded-control border px-3 text-sm transition-colors disabled:cursor-not-allowed disabled:opacity-45",
                id === activeId
                  ? "border-text bg-raised text-text"
                  : isSelected
                    ? "border-line-strong bg-raised text-text"
                    : "border-line text-soft hover:not-disabled:border-line-strong",
              )}
            >
              {isSelected && <Check size={14} aria-hidden />}
              {labelOf(row, id)}
            </button>
          );
        })}
      </div>
    </div>
  );
}
