import * as v from "valibot";
import { request, requestFile } from "@/shared/api/request";
import { count } from "@/shared/api/wire";
import { saveFile } from "@/shared/ui/save-file";

const removed = v.object({
  email: v.boolean(),
  telegram: v.boolean(),
  webhooks: count,
  pushSubscriptions: count,
  favourites: count,
});
/** What was removed of a user's contacts and favourites. */
export type RemovedData = v.InferOutput<typeof removed>;

/** Saves everything that is stored about the user as a file. */
export async function saveMyData(): Promise<void> {
  saveFile("lienbook-my-data.json", "application/json", await requestFile("/api/v1/me/export"));
}

export function removePersonalData(): Promise<RemovedData> {
  return request("DELETE", "/api/v1/me/personal-data", removed);
}
