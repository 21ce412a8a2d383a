import type { ReactNode } from "react";

/** A page of the guide: text of readable width, with its picture next to it where there is space. */
export function Article({ diagram, children }: { diagram?: ReactNode; children: ReactNode }) {
  return (
    <div className="grid items-start gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,42rem)_minmax(0,1fr)]">
      <article className="flex min-w-0 flex-col gap-7">{children}</article>
      {diagram && <div className="flex flex-col gap-4 max-lg:order-first lg:sticky lg:top-20">{diagram}</div>}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2 text-sm leading-6 text-pretty text-soft">
      <h2 className="text-base text-text">{title}</h2>
      {children}
    </section>
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
