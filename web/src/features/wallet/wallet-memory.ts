const KEY = "lienbook.wallet";

/**
 * The wallet of this browser's last sign-in, so that a reload can restore the session. No secret, no
 * permission.
 */
export interface RememberedWallet {
  id: string;
  accountName: string | null;
}

export function rememberWallet(wallet: RememberedWallet): void {
  localStorage.setItem(KEY, JSON.stringify(wallet));
}

export function forgetWallet(): void {
  localStorage.removeItem(KEY);
}

export function rememberedWallet(): RememberedWallet | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<RememberedWallet> | null;
    if (typeof kept?.id !== "string") return null;
    return { id: kept.id, accountName: typeof kept.accountName === "string" ? kept.accountName : null };
  } catch {
    return null;
  }
}
