import * as v from "valibot";

const checkedVault = v.object({
  address: v.string(),
  required: v.number(),
  count: v.number(),
  isAttested: v.boolean(),
});
/** An address that this browser has derived from the user's own key and the keys of the signers. */
export type CheckedVault = v.InferOutput<typeof checkedVault>;

function keyOf(userId: string): string {
  return `lienbook.checked-vault.${userId}`;
}

/**
 * What this browser has found out about an address; null for another one. All signers have to answer for the check, and a
 * deposit must not depend on that each time: an address stands for the same keys for ever.
 */
export function recallCheckedVault(userId: string, address: string): CheckedVault | null {
  try {
    const recalled = v.parse(checkedVault, JSON.parse(localStorage.getItem(keyOf(userId)) ?? "null"));
    return recalled.address === address ? recalled : null;
  } catch {
    return null;
  }
}

export function rememberCheckedVault(userId: string, vault: CheckedVault): void {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(vault));
  } catch {
    // Without storage it is checked again the next time.
  }
}
