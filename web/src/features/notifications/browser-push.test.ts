import { describe, expect, test, vi } from "vitest";
import { type BrowserParts, readBrowser, subscribeBrowser, unsubscribeBrowser } from "./browser-push";

const KEY = "-_8A";
const KEY_BYTES = new Uint8Array([251, 255, 0]).buffer;

function browser({
  permission = "granted" as NotificationPermission,
  answer = "granted" as NotificationPermission,
  subscribedWith = null as ArrayBuffer | null,
  keys = { p256dh: "p", auth: "a" } as Record<string, string>,
} = {}) {
  const unsubscribe = vi.fn(async () => true);
  const found = {
    endpoint: "https://push.example.org/1",
    options: { applicationServerKey: subscribedWith, userVisibleOnly: true },
    unsubscribe,
    toJSON: () => ({ endpoint: "https://push.example.org/1", keys }),
  };
  const subscribe = vi.fn(async (_: unknown) => found);
  const pushManager = { getSubscription: async () => (subscribedWith ? found : null), subscribe };
  const registration = { active: {}, pushManager } as unknown as ServiceWorkerRegistration;
  const register = vi.fn(async (_: unknown) => registration);
  const parts: BrowserParts = {
    workers: { getRegistration: async () => registration, register },
    notification: { permission, requestPermission: async () => answer },
    hasPush: true,
  };
  return { parts, subscribe, register, unsubscribe };
}

describe("the state of the browser", () => {
  test("is unsupported without any of the parts", async () => {
    const { parts } = browser();
    for (const lacking of [{ workers: null }, { notification: null }, { hasPush: false }]) {
      expect(await readBrowser({ ...parts, ...lacking })).toEqual({ name: "unsupported" });
    }
  });

  test("is denied, off or subscribed", async () => {
    expect(await readBrowser(browser({ permission: "denied" }).parts)).toEqual({ name: "denied" });
    expect(await readBrowser(browser().parts)).toEqual({ name: "off" });
    // The permission was reset in the browser's settings.
    const reset = browser({ permission: "default", subscribedWith: KEY_BYTES });
    expect(await readBrowser(reset.parts)).toEqual({ name: "off" });
    const { parts } = browser({ subscribedWith: KEY_BYTES });
    const endpoint = "https://push.example.org/1";
    expect(await readBrowser(parts)).toEqual({ name: "subscribed", endpoint, key: KEY });
  });
});

describe("a subscription", () => {
  test("is made with the server's key after the permission", async () => {
    const { parts, subscribe, register, unsubscribe } = browser();
    const expected = { endpoint: "https://push.example.org/1", p256dh: "p", auth: "a" };
    expect(await subscribeBrowser(parts, KEY)).toEqual(expected);
    expect(register).toHaveBeenCalledWith("/sw.js");
    expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: KEY });
    expect(unsubscribe).not.toHaveBeenCalled();
  });

  test("with another key is replaced, with the same key it stays", async () => {
    for (const [key, count] of [
      [KEY, 0],
      ["AAAA", 1],
    ] as const) {
      const { parts, unsubscribe } = browser({ subscribedWith: KEY_BYTES });
      await subscribeBrowser(parts, key);
      expect(unsubscribe).toHaveBeenCalledTimes(count);
    }
  });

  test("is not made without the permission, and is refused without keys", async () => {
    for (const answer of ["denied", "default"] as const) {
      const { parts, register } = browser({ answer });
      await expect(subscribeBrowser(parts, KEY)).rejects.toThrow("not allowed");
      expect(register).not.toHaveBeenCalled();
    }
    await expect(subscribeBrowser(browser({ keys: {} }).parts, KEY)).rejects.toThrow("no keys");
  });

  test("is ended", async () => {
    const { parts, unsubscribe } = browser({ subscribedWith: KEY_BYTES });
    await unsubscribeBrowser(parts);
    expect(unsubscribe).toHaveBeenCalledTimes(1);
    await unsubscribeBrowser(browser().parts);
    await unsubscribeBrowser({ ...parts, workers: null });
  });
});
