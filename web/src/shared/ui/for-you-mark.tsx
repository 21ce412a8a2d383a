import { classNames } from "./class-names";

/** The label of a figure that counts what the user can take, where that differs from the public figure. */
export function ForYouMark({ className }: { className?: string }) {
  return (
    <span
      title="Counts what you can take. Others see another figure."
      className={classNames("text-xs font-normal whitespace-nowrap text-up", className)}
    >
      For you<span className="sr-only">: counts what you can take, others see another figure</span>
    </span>
  );
}
