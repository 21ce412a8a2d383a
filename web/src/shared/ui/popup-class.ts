export const POPUP_CLASS =
  "z-50 min-w-44 max-w-[calc(100vw-32px)] max-h-[min(440px,var(--available-height))] overflow-y-auto rounded-card border border-line bg-surface p-1 shadow-float outline-none transition-[opacity,transform] duration-(--quick) data-ending-style:opacity-0 data-starting-style:-translate-y-1 data-starting-style:opacity-0";

export const ITEM_CLASS =
  "flex min-h-9 cursor-pointer items-center gap-2 rounded-control px-2.5 text-sm text-text outline-none select-none data-highlighted:bg-raised data-disabled:cursor-not-allowed data-disabled:opacity-45";
