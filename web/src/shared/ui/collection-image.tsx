import { useState } from "react";
import { initials } from "@/shared/format/name";
import { classNames } from "./class-names";

const SIZE = { small: "size-8", medium: "size-10", large: "size-14" } as const;

/** A collection's image, or its initials on a colour that is derived from its id. */
export function CollectionImage({
  id,
  name,
  url,
  size = "medium",
}: {
  id: string;
  name: string;
  url: string | null;
  size?: keyof typeof SIZE;
}) {
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  const shape = classNames(SIZE[size], "shrink-0 rounded-control");
  if (url && url !== failedUrl) {
    return (
      <img
        src={url}
        alt=""
        loading="lazy"
        decoding="async"
        className={classNames(shape, "bg-raised object-cover")}
        onError={() => setFailedUrl(url)}
      />
    );
  }
  return (
    <svg viewBox="0 0 40 40" aria-hidden className={shape}>
      <rect width="40" height="40" fill={`hsl(${hueOf(id)} 38% 34%)`} />
      <text x="20" y="20" dy=".36em" textAnchor="middle" fontSize="15" fontWeight="600" fill="#fff">
        {initials(name)}
      </text>
    </svg>
  );
}

function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 3_600;
  // Neighbouring ids get distant hues.
  return (hash * 137) % 360;
}
