import type { Collection } from "@/shared/api/collection";
import type { Session } from "@/shared/session/session-store";

/** The reason why the user's wallet cannot pledge the collateral of a collection; null when it can. */
export function pledgeRefusal(
  session: Pick<Session, "hardwareWallet"> | null,
  { collateralType }: Pick<Collection, "collateralType">,
): string | null {
  if (!session?.hardwareWallet || collateralType !== "inscription") return null;
  return "Hardware wallets cannot pledge ordinals here.";
}
