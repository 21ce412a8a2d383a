const BLOCKS = ["h-7 w-40", "h-10 w-full", "h-24 w-full", "h-56 w-full"];

/** A placeholder for a page whose code is loading. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading the page" className="flex min-h-[70dvh] flex-col gap-4">
      {BLOCKS.map((size) => (
        <div key={size} className={`animate-shimmer rounded-card bg-surface ${size}`} />
      ))}
    </div>
  );
}
