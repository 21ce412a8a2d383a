import * as v from "valibot";
import { reading, type Wire } from "@/shared/api/operation";
import { request } from "@/shared/api/request";

const favourites = reading<Wire["Favourites"]>()(v.object({ collectionIds: v.array(v.string()) }));

/** The starred collections of the signed-in user. */
export async function fetchFavourites(): Promise<string[]> {
  return (await request("GET", "/api/v1/me/favourites", favourites)).collectionIds;
}

/** Stars a collection or removes the star; returns all stars. */
export async function saveFavourite(collectionId: string, isStarred: boolean): Promise<string[]> {
  const path = { collection_id: collectionId };
  const answer = isStarred
    ? await request("PUT", "/api/v1/me/favourites/{collection_id}", favourites, { path })
    : await request("DELETE", "/api/v1/me/favourites/{collection_id}", favourites, { path });
  return answer.collectionIds;
}
