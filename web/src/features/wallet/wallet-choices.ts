import { walletObject } from "./wallet-call";
import type { WalletConnector } from "./wallet-connector";
import { announcedWallets } from "./wallet-provider";

/** A wallet to choose from. */
export interface WalletChoice {
  id: string;
  name: string;
  /** Embedded image data; other icons are not shown. */
  icon?: string;
  isInstalled: boolean;
  /** Page to install it from. */
  home: string | null;
}

interface KnownWallet {
  id: string;
  name: string;
  /** `null` for one that is not recommended any more: it is shown where it is installed. */
  home: string | null;
  /** Loaded only when it is chosen. */
  connector: () => Promise<WalletConnector>;
}

async function providerConnector(id: string): Promise<WalletConnector> {
  const { ProviderConnector } = await import("./provider-connector");
  return new ProviderConnector(id);
}

/** The wallets with a connector of their own, by their path on `window`. */
const KNOWN: readonly KnownWallet[] = [
  {
    id: "XverseProviders.BitcoinProvider",
    name: "Xverse",
    home: "https://www.xverse.app/download",
    connector: () => providerConnector("XverseProviders.BitcoinProvider"),
  },
  {
    id: "LeatherProvider",
    name: "Leather",
    home: "https://leather.io/wallet",
    connector: async () => new (await import("./leather-connector")).LeatherConnector(),
  },
  {
    id: "unisat",
    name: "UniSat",
    home: "https://unisat.io/download",
    connector: async () => new (await import("./unisat-connector")).UnisatConnector("unisat"),
  },
  {
    id: "okxwallet.bitcoin",
    name: "OKX Wallet",
    home: "https://www.okx.com/web3",
    connector: async () => new (await import("./okx-connector")).OkxConnector(),
  },
  {
    id: "phantom.bitcoin",
    name: "Phantom",
    // Its documentation calls its Bitcoin provider deprecated.
    home: null,
    connector: async () => new (await import("./phantom-connector")).PhantomConnector(),
  },
];

/** Loads the connector of a wallet: its own when it is known, otherwise the sats-connect one. */
export function connectorFor(id: string): Promise<WalletConnector> {
  return KNOWN.find((known) => known.id === id)?.connector() ?? providerConnector(id);
}

/** The installed wallets, then those that could be installed. */
export function walletChoices(root: Window = window): WalletChoice[] {
  const announced = announcedWallets(root);
  const others = announced.filter(({ id }) => !KNOWN.some((known) => known.id === id));
  const known = KNOWN.map(({ id, name, home }) => ({
    id,
    name,
    icon: announced.find((entry) => entry.id === id)?.icon,
    isInstalled: walletObject(id, root) !== null,
    home,
  }));
  return [
    ...others.map(({ id, name, icon }) => ({ id, name, icon, isInstalled: true, home: null })),
    ...known.filter(({ isInstalled }) => isInstalled),
    ...known.filter(({ isInstalled, home }) => !isInstalled && home !== null),
  ];
}
