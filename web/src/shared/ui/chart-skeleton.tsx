/** The place of a chart and its read-out, until they are there. */
export function ChartSkeleton() {
  return (
    <div role="status" className="flex h-full flex-col gap-1">
      <span className="sr-only">Fetching</span>
      <div className="h-5 w-32 animate-shimmer rounded-[4px] bg-raised" />
      <div className="flex-1 animate-shimmer rounded-control bg-raised" />
    </div>
  );
}
