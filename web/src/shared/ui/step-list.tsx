import { Check, LoaderCircle } from "lucide-react";
import { classNames } from "./class-names";

export interface NamedStep<Id extends string> {
  id: Id;
  label: string;
}

/** A list of steps: done, current and next, by name. */
export function StepList<Id extends string>({
  steps,
  current,
}: {
  steps: ReadonlyArray<NamedStep<Id>>;
  current: Id;
}) {
  const position = steps.findIndex(({ id }) => id === current);
  return (
    <ol className="flex flex-col gap-3" aria-live="polite">
      {steps.map(({ id, label }, index) => (
        <li
          key={id}
          aria-current={index === position ? "step" : undefined}
          className={classNames(
            "flex items-center gap-3 text-sm",
            index === position ? "text-text" : "text-muted",
          )}
        >
          <span className="flex size-5 items-center justify-center">
            {index < position && <Check size={16} aria-hidden className="text-up" />}
            {index === position && <LoaderCircle size={16} aria-hidden className="animate-spin" />}
            {index > position && <span className="size-1.5 rounded-full bg-line-strong" />}
          </span>
          {label}
        </li>
      ))}
    </ol>
  );
}
