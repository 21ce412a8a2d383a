import { useMemo } from "react";
import { useMe } from "@/shared/feed/use-feed";
import { negotiatedIds } from "./negotiated";

/** The offers and requests that the user negotiates about, by id. */
export function useNegotiatedIds(): ReadonlySet<string> {
  const negotiations = useMe().data?.negotiations;
  return useMemo(() => negotiatedIds(negotiations?.values() ?? []), [negotiations]);
}
