import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { devAccounts } from "./dev-accounts";
import { devPrompts } from "./dev-prompt";
import { devRequests } from "./dev-requests";

const ID = "DevWallet";
const METHODS = ["wallet_connect", "wallet_disconnect", "signMessage", "signPsbt"];

/**
 * Registers the dev wallet on `window` the way every wallet does (WBIP004), so that no other code treats it
 * specially.
 */
export function registerDevWallet(network: BitcoinNetwork): void {
  if (Object.hasOwn(window, ID)) return;
  const provider = {
    request: devRequests(devAccounts(network), network, devPrompts),
    addListener: () => () => undefined,
  };
  Object.defineProperty(window, ID, { value: provider, enumerable: true });
  const others = Array.isArray(window.btc_providers) ? window.btc_providers : [];
  window.btc_providers = [
    ...others,
    {
      id: ID,
      name: "Dev Wallet",
      methods: METHODS,
    },
  ];
}
