import { ErrorFallback } from "@/shared/ui/error-fallback";

/** An error in place of a page that failed. */
export function ErrorPage({ error }: { error: unknown }) {
  return (
    <div className="mx-auto max-w-xl pt-10">
      <title>Something went wrong · Lienbook</title>
      <ErrorFallback what="This page" error={error} />
    </div>
  );
}
