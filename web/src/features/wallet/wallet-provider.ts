/** A wallet's object on `window` (WBIP004), called by JSON-RPC. */
export interface WalletProvider {
  request: (method: string, params?: unknown) => Promise<unknown>;
  addListener?: (...listener: unknown[]) => unknown;
}

/** An entry of `window.btc_providers`, by which wallets announce themselves. */
export interface ProviderEntry {
  /** Dotted path of the provider on `window`. */
  id: string;
  name: string;
  /** URL of an icon, usually a `data:` URL. */
  icon?: string;
  methods?: string[];
}

declare global {
  interface Window {
    btc_providers?: unknown;
  }
}

/** A path into `window` must not reach prototypes. */
const SAFE_SEGMENT = /^[A-Za-z_$][\w$]*$/;

function isEntry(value: unknown): value is ProviderEntry {
  if (typeof value !== "object" || value === null) return false;
  const { id, name } = value as Partial<ProviderEntry>;
  return typeof id === "string" && typeof name === "string" && id !== "" && name !== "";
}

/** The present wallets, each once, in the order in which they announced themselves. */
export function announcedWallets(root: Window = window): ProviderEntry[] {
  const announced = Array.isArray(root.btc_providers) ? root.btc_providers.filter(isEntry) : [];
  const present = announced.filter(({ id }) => findProvider(id, root) !== null);
  return present.filter(({ id }, index) => present.findIndex((other) => other.id === id) === index);
}

/** The provider at a dotted path on `window`, null when there is none. */
export function findProvider(id: string, root: Window = window): WalletProvider | null {
  let found: unknown = root;
  for (const segment of id.split(".")) {
    if (!SAFE_SEGMENT.test(segment) || typeof found !== "object" || found === null) return null;
    if (!Object.hasOwn(found, segment)) return null;
    found = (found as Record<string, unknown>)[segment];
  }
  const provider = found as Partial<WalletProvider> | null | undefined;
  return typeof provider?.request === "function" ? (provider as WalletProvider) : null;
}
