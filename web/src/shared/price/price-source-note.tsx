import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { priceSourceQuery } from "@/shared/api/price-source";
import { oneSourceText } from "./price-source";

/** Renders a line next to a price that comes from a single marketplace; nothing otherwise. */
export function OneSourceNote({ groupId }: { groupId: string }) {
  const { data } = useQuery(priceSourceQuery(groupId));
  const text = oneSourceText(data);
  if (text === null) return null;
  return (
    <p className="flex items-start gap-2 text-sm text-soft">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      {text}
    </p>
  );
}
