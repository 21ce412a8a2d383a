import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Session, useSession } from "@/shared/session/session-store";
import { useFavourites } from "./favourites-store";

const session = { jwt: "t", userId: "us_1" } as Session;

/** A server that stores stars, and may refuse. */
function serve(stars: Set<string>, refuse = false) {
  const answer = (address: string, { method }: RequestInit) => {
    const id = address.split("/api/v1/me/favourites/")[1];
    if (refuse && id) return Promise.resolve(new Response("{}", { status: 503 }));
    if (id && method === "PUT") stars.add(id);
    if (id && method === "DELETE") stars.delete(id);
    return Promise.resolve(Response.json({ collectionIds: [...stars] }));
  };
  vi.stubGlobal("fetch", vi.fn(answer));
}

const shown = () => [...useFavourites.getState().ids].sort();
const settle = () => vi.waitFor(() => new Promise((resolve) => setTimeout(resolve, 5)));

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
  useSession.getState().clear();
  useFavourites.setState({ ids: new Set() });
});

afterEach(() => vi.unstubAllGlobals());

describe("favourites", () => {
  it("go to the account when their owner signs in, and stay there", async () => {
    const stars = new Set(["g_7"]);
    serve(stars);
    useFavourites.getState().toggle("g_1");
    expect(stars.has("g_1")).toBe(false);
    useSession.getState().setSession(session);
    await settle();
    expect(shown()).toEqual(["g_1", "g_7"]);
    expect([...stars].sort()).toEqual(["g_1", "g_7"]);
    useFavourites.getState().toggle("g_7");
    await settle();
    expect([...stars]).toEqual(["g_1"]);
    useSession.getState().clear();
    await settle();
    expect(shown()).toEqual([]);
  });

  it("are restored when the server refuses a change", async () => {
    serve(new Set(["g_7"]), true);
    useSession.getState().setSession(session);
    await settle();
    useFavourites.getState().toggle("g_2");
    useFavourites.getState().toggle("g_7");
    await settle();
    expect(shown()).toEqual(["g_7"]);
  });
});
