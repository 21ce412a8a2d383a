import {
  ArrowDownToLine,
  ArrowUpFromLine,
  Bell,
  BookOpen,
  Coins,
  Copy,
  Droplets,
  HandCoins,
  History,
  Keyboard,
  LifeBuoy,
  LogOut,
  Monitor,
  Moon,
  PackageCheck,
  Search,
  ShieldCheck,
  Sun,
  Terminal,
  Wallet,
  WalletCards,
} from "lucide-react";
import type { Action } from "./action";
import { PALETTE_KEYS } from "./shortcut";

/** All global actions. */
export const ACTIONS: readonly Action[] = [
  {
    id: "search",
    label: "Search this page",
    group: "Actions",
    icon: Search,
    keys: "/",
    keywords: "find filter",
    isOffered: () => searchBox() !== null,
    run: () => searchBox()?.focus(),
  },
  go("borrow", "Borrow against Ordinals", "/borrow/ordinals", HandCoins, "g b", "inscriptions market"),
  go("borrow-runes", "Borrow against Runes", "/borrow/runes", HandCoins),
  go("borrow-brc-20", "Borrow against BRC-20", "/borrow/brc-20", HandCoins, undefined, "tokens brc20"),
  go("lend", "Lend against Ordinals", "/lend/ordinals", Coins, "g l", "inscriptions market earn"),
  go("lend-runes", "Lend against Runes", "/lend/runes", Coins, undefined, "earn"),
  go("lend-brc-20", "Lend against BRC-20", "/lend/brc-20", Coins, undefined, "tokens brc20 earn"),
  go("portfolio", "Portfolio", "/portfolio", WalletCards, "g p", "overview earned"),
  go("offers", "Offers", "/portfolio?tab=offers", WalletCards, undefined, "my offers cancel edit"),
  go("loans", "Loans", "/portfolio?tab=loans", WalletCards, undefined, "my loans repay claim"),
  go("pending", "Pending", "/portfolio/pending", WalletCards, undefined, "counter-sign waiting"),
  go(
    "notifications",
    "Notification settings",
    "/settings/notifications",
    Bell,
    "g n",
    "alerts email telegram",
  ),
  go("guide", "How it works", "/guide", BookOpen, "g h", "guide help explain"),
  go("privacy", "Privacy", "/privacy", ShieldCheck, undefined, "privacy data export delete contacts"),
  go("build", "This build", "/build", PackageCheck, undefined, "version hash verify release sha256"),
  go(
    "guide-recovery",
    "When this site is down",
    "/guide/recovery",
    LifeBuoy,
    undefined,
    "kit recover offline",
  ),
  {
    id: "connect",
    label: "Connect a wallet",
    group: "Actions",
    icon: Wallet,
    keywords: "sign in log in",
    isOffered: ({ session }) => session === null,
    run: ({ connect }) => connect(),
  },
  vaultAction("fund", "Fund vault", ArrowDownToLine, "deposit instant liquidity create"),
  vaultAction("withdraw", "Withdraw from vault", ArrowUpFromLine, "take out instant liquidity"),
  vaultAction("history", "Vault history", History, "deposits withdrawals"),
  {
    id: "faucet",
    label: "Get test coins",
    group: "Actions",
    icon: Droplets,
    keywords: "faucet bitcoin inscription rune brc20",
    isOffered: ({ hasFaucet }) => hasFaucet,
    run: ({ openFaucet }) => openFaucet(),
  },
  {
    id: "copy-payment-address",
    label: "Copy payment address",
    group: "Actions",
    icon: Copy,
    keywords: "wallet btc",
    isOffered: ({ session }) => session !== null,
    run: ({ session, copy }) => session && copy(session.addresses.payment.address, "address"),
  },
  {
    id: "copy-ordinals-address",
    label: "Copy ordinals address",
    group: "Actions",
    icon: Copy,
    keywords: "wallet runes",
    isOffered: ({ session }) => session !== null,
    run: ({ session, copy }) => session && copy(session.addresses.ordinals.address, "address"),
  },
  {
    id: "sign-out",
    label: "Sign out",
    group: "Actions",
    icon: LogOut,
    keywords: "log out disconnect wallet",
    isOffered: ({ session }) => session !== null,
    run: ({ signOut }) => signOut(),
  },
  {
    id: "palette",
    label: "Search commands and collections",
    group: "Actions",
    icon: Terminal,
    keys: PALETTE_KEYS,
    keywords: "command palette",
    run: ({ openPalette }) => openPalette(),
  },
  {
    id: "help",
    label: "Keyboard shortcuts",
    group: "Actions",
    icon: Keyboard,
    keys: "?",
    keywords: "help keys",
    run: ({ openHelp }) => openHelp(),
  },
  ...(
    [
      ["dark", "Dark theme", Moon],
      ["light", "Light theme", Sun],
      ["system", "System theme", Monitor],
    ] as const
  ).map(
    ([theme, label, icon]): Action => ({
      id: `theme-${theme}`,
      label,
      group: "Appearance",
      icon,
      keywords: "appearance colours mode",
      isOffered: (context) => context.theme !== theme,
      run: ({ choose }) => choose(theme),
    }),
  ),
];

function go(
  id: string,
  label: string,
  address: string,
  icon: Action["icon"],
  keys?: string,
  keywords?: string,
): Action {
  return { id, label, group: "Go to", icon, keys, keywords, run: ({ goTo }) => goTo(address) };
}

function vaultAction(
  tab: "fund" | "withdraw" | "history",
  label: string,
  icon: Action["icon"],
  keywords: string,
): Action {
  return {
    id: `vault-${tab}`,
    label,
    group: "Actions",
    icon,
    keywords,
    isOffered: ({ session }) => session !== null,
    run: ({ openVault }) => openVault(tab),
  };
}

/** The search field of the current page, where it has one. */
function searchBox(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>("main input[type=search]");
}
