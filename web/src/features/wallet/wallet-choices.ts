import { LeatherConnector } from "./leather-connector";
import { MagicEdenConnector } from "./magic-eden-connector";
import { PhantomConnector } from "./phantom-connector";
import { ProviderConnector } from "./provider-connector";
import { UnisatConnector } from "./unisat-connector";
import { walletObject } from "./wallet-call";
import type { WalletConnector } from "./wallet-connector";
import { announcedWallets } from "./wallet-provider";

/** A wallet to choose. */
export interface WalletChoice {
  id: string;
  name: string;
  /** Carries its own bytes, or is not shown. */
  icon?: string;
  isInstalled: boolean;
  /** Where it is to be had. */
  home: string | null;
}

interface KnownWallet {
  id: string;
  name: string;
  home: string;
  connector: () => WalletConnector;
}

/** The wallets whose ways are known, by where they stand on `window`. */
const KNOWN: readonly KnownWallet[] = [
  {
    id: "XverseProviders.BitcoinProvider",
    name: "Xverse",
    home: "https://www.xverse.app/download",
    connector: () => new ProviderConnector("XverseProviders.BitcoinProvider"),
  },
  {
    id: "LeatherProvider",
    name: "Leather",
    home: "https://leather.io/wallet",
    connector: () => new LeatherConnector(),
  },
  {
    id: "unisat",
    name: "UniSat",
    home: "https://unisat.io/download",
    connector: () => new UnisatConnector("unisat"),
  },
  {
    id: "okxwallet.bitcoin",
    name: "OKX Wallet",
    home: "https://www.okx.com/web3",
    connector: () => new UnisatConnector("okxwallet.bitcoin"),
  },
  {
    id: "magicEden.bitcoin",
    name: "Magic Eden",
    home: "https://wallet.magiceden.io",
    connector: () => new MagicEdenConnector(),
  },
  {
    id: "phantom.bitcoin",
    name: "Phantom",
    home: "https://phantom.com/download",
    connector: () => new PhantomConnector(),
  },
];

/** Speaks with the wallet of an id: in its own way when it is known, otherwise in the common one. */
export function connectorFor(id: string): WalletConnector {
  return KNOWN.find((known) => known.id === id)?.connector() ?? new ProviderConnector(id);
}

/** The wallets that are there, then those that could be. */
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
    ...known.filter(({ isInstalled }) => !isInstalled),
  ];
}
