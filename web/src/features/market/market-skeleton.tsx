const ROWS = 10;

/** A placeholder for rows that are loading, at their exact height. */
export function MarketSkeleton({ cards }: { cards: boolean }) {
  return (
    <div
      role="status"
      aria-label="Loading the market"
      className={cards ? "grid gap-2 min-[600px]:grid-cols-2" : "pt-10"}
    >
      {Array.from({ length: ROWS }, (_, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move.
          key={index}
          className={
            cards
              ? "h-23 animate-shimmer rounded-card border border-line bg-surface"
              : "flex h-14 items-center gap-3 border-b border-line px-2"
          }
        >
          {!cards && (
            <>
              <span className="size-10 animate-shimmer rounded-control bg-raised" />
              <span className="h-3 w-36 animate-shimmer rounded-full bg-raised" />
              <span className="ml-auto h-3 w-[55%] animate-shimmer rounded-full bg-raised" />
            </>
          )}
        </div>
      ))}
    </div>
  );
}
