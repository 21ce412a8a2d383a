import type { ReactNode } from "react";

/**
 * A page of the guide: text of readable width. `diagram` summarizes the whole page and is next to it where there is
 * space; a page with a picture for each of its subjects gives them to its sections instead.
 */
export function Article({ diagram, children }: { diagram?: ReactNode; children: ReactNode }) {
  if (!diagram) return <article className="flex min-w-0 flex-col gap-7">{children}</article>;
  return (
    <div className="grid items-start gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,42rem)_minmax(0,1fr)]">
      <article className="flex min-w-0 flex-col gap-7">{children}</article>
      <div className="max-lg:order-first lg:sticky lg:top-20">{diagram}</div>
    </div>
  );
}

/** A part of a page, with its picture below it, or next to it where there is space. */
export function Section({
  title,
  diagram,
  children,
}: {
  title: string;
  diagram?: ReactNode;
  children: ReactNode;
}) {
  const text = (
    <section className="flex max-w-[42rem] min-w-0 flex-col gap-2 text-sm leading-6 text-pretty text-soft">
      <h2 className="text-base text-text">{title}</h2>
      {children}
    </section>
  );
  if (!diagram) return text;
  return (
    <div className="grid grid-cols-1 items-start gap-x-10 gap-y-4 lg:grid-cols-[minmax(0,42rem)_minmax(22rem,1fr)]">
      {text}
      {diagram}
    </div>
  );
}

/** A numbered list of actions. */
export function Steps({ steps }: { steps: ReadonlyArray<{ title: string; detail: ReactNode }> }) {
  return (
    <ol className="flex flex-col gap-3">
      {steps.map(({ title, detail }, index) => (
        <li key={title} className="flex gap-3">
          <span
            aria-hidden
            className="flex size-6 shrink-0 items-center justify-center rounded-full border border-line-strong text-xs text-text"
          >
            {index + 1}
          </span>
          <span className="min-w-0">
            <span className="font-strong text-text">{title}.</span> {detail}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function Points({ points }: { points: readonly string[] }) {
  return (
    <ul className="flex list-disc flex-col gap-1.5 pl-5 marker:text-muted">
      {points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  );
}

/** A command to type. A long one wraps and is never cut off. */
export function CommandLine({ children }: { children: string }) {
  return (
    <pre className="rounded-control border border-line bg-ground px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap text-text">
      {children}
    </pre>
  );
}
