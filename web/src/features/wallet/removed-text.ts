import type { RemovedData } from "./personal-data-requests";

/** What was removed, in a sentence. */
export function removedText(data: RemovedData): string {
  const several = (number: number, one: string, more: string) =>
    number === 0 ? [] : [`${number} ${number === 1 ? one : more}`];
  const parts = [
    ...(data.email ? ["your mail address"] : []),
    ...(data.telegram ? ["your Telegram chat"] : []),
    ...several(data.webhooks, "webhook", "webhooks"),
    ...several(data.pushSubscriptions, "browser", "browsers"),
    ...several(data.favourites, "favourite", "favourites"),
  ];
  if (parts.length === 0) return "There was nothing to remove.";
  return `Removed: ${parts.join(", ")}. No notice is sent outside of the app any more.`;
}
