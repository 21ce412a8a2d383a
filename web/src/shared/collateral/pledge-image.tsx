import type { ComponentProps } from "react";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";

const LAYER = "absolute inset-0 rounded-control border border-line-strong bg-raised";

/** A collection's image: a stack with their number, where several inscriptions are pledged together. */
export function PledgeImage({
  inscriptionIds,
  ...image
}: ComponentProps<typeof CollectionImage> & { inscriptionIds: readonly string[] }) {
  const count = inscriptionIds.length;
  if (count < 2) return <CollectionImage {...image} />;
  return (
    // Hidden from screen readers: the text next to it has the number.
    <span aria-hidden data-stack={count} className="relative isolate flex shrink-0">
      {count > 2 && <span className={classNames(LAYER, "-z-20 translate-x-1 -translate-y-1")} />}
      <span className={classNames(LAYER, "-z-10 translate-x-0.5 -translate-y-0.5")} />
      <CollectionImage {...image} />
      <span className="absolute -right-2 -bottom-1.5 min-w-4 rounded-full bg-text px-1 text-center text-xs font-strong text-ground">
        {count}
      </span>
    </span>
  );
}
