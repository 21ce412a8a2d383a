const ROWS = 4;

/** A placeholder for loans that are loading. */
export function LoansSkeleton() {
  return (
    <div role="status" aria-label="Loading your loans" className="flex flex-col gap-2">
      {Array.from({ length: ROWS }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move.
          key={index}
          className="h-16 animate-shimmer rounded-card border border-line bg-surface max-lg:h-32"
        />
      ))}
    </div>
  );
}
