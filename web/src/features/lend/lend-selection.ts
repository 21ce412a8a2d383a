import type { LendTarget } from "./lend-draft";

/** A draft for each selected bundle or term, in the order of selection. */
export interface Selection<Draft> {
  drafts: readonly Draft[];
  /** The one whose fields are shown; null when nothing is selected. */
  activeId: string | null;
}

interface HasSubCollection {
  target: { subCollectionId: string };
}

export type SelectionAction<Target, Action> =
  /** Selects another one, or shows it when it is selected already. */
  | { type: "chosen"; target: Target }
  /** Selects only this one. */
  | { type: "onlyChosen"; target: Target }
  /** Shows a selected one. */
  | { type: "shown"; subCollectionId: string }
  | { type: "removed"; subCollectionId: string }
  /** Applies an action to the shown draft. */
  | { type: "changed"; action: Action }
  | { type: "marketMoved"; targets: readonly Target[] };

/** The operations of one kind of draft. */
export interface DraftKind<Target, Draft, Action> {
  start: (target: Target) => Draft;
  reduce: (draft: Draft, action: Action) => Draft;
  move: (draft: Draft, target: Target) => Draft;
}

export function draftOf<Draft extends HasSubCollection>(
  { drafts }: Selection<Draft>,
  subCollectionId: string | null,
): Draft | null {
  return drafts.find(({ target }) => target.subCollectionId === subCollectionId) ?? null;
}

/** Applies an action to the selection, the only way to change it. */
export function selectionReducer<Target extends LendTarget, Draft extends HasSubCollection, Action>(
  kind: DraftKind<Target, Draft, Action>,
) {
  return (selection: Selection<Draft>, action: SelectionAction<Target, Action>): Selection<Draft> => {
    const { drafts, activeId } = selection;
    switch (action.type) {
      case "chosen": {
        const { subCollectionId } = action.target;
        const isKnown = draftOf(selection, subCollectionId) !== null;
        return {
          drafts: isKnown ? drafts : [...drafts, kind.start(action.target)],
          activeId: subCollectionId,
        };
      }
      case "onlyChosen": {
        const { subCollectionId } = action.target;
        const draft = draftOf(selection, subCollectionId) ?? kind.start(action.target);
        return { drafts: [draft], activeId: subCollectionId };
      }
      case "shown":
        return draftOf(selection, action.subCollectionId)
          ? { ...selection, activeId: action.subCollectionId }
          : selection;
      case "removed": {
        const kept = drafts.filter(({ target }) => target.subCollectionId !== action.subCollectionId);
        const isActive = activeId === action.subCollectionId;
        return {
          drafts: kept,
          activeId: isActive ? (kept.at(-1)?.target.subCollectionId ?? null) : activeId,
        };
      }
      case "changed":
        return {
          ...selection,
          drafts: drafts.map((draft) =>
            draft.target.subCollectionId === activeId ? kind.reduce(draft, action.action) : draft,
          ),
        };
      case "marketMoved":
        return {
          ...selection,
          drafts: drafts.map((draft) => {
            const { subCollectionId } = draft.target;
            const target = action.targets.find((moved) => moved.subCollectionId === subCollectionId);
            return target ? kind.move(draft, target) : draft;
          }),
        };
    }
  };
}
