import { isApple, keyLabels } from "./shortcut";

/** Keys as they look on a keyboard. */
export function KeyCaps({ keys }: { keys: string }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keyLabels(keys, isApple()).map((label, index) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut never change their order.
          key={index}
          className="flex h-6 min-w-6 items-center justify-center rounded-[4px] border border-line-strong px-1.5 font-sans text-xs text-soft"
        >
          {label}
        </kbd>
      ))}
    </span>
  );
}
