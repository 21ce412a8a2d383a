import { create } from "zustand";
import type { Wire } from "@/shared/api/operation";

export type SessionAddress = Wire["AddressView"];

/** The user's preferences for urgent notifications. */
export type NotificationPreferences = Wire["NotificationPreferences"];

export interface Session {
  jwt: string;
  userId: string;
  /** Name of the wallet that signed in. */
  wallet: string;
  hardwareWallet: boolean;
  addresses: { payment: SessionAddress; ordinals: SessionAddress };
  notificationPreferences: NotificationPreferences;
}

interface SessionState {
  session: Session | null;
  setSession: (session: Session) => void;
  clear: () => void;
}

/**
 * The current session. The wallet feature sets it; the feed and the API calls read it. It lives in memory
 * only: a reload obtains a new token through the refresh cookie.
 */
export const useSession = create<SessionState>((set) => ({
  session: null,
  setSession: (session) => set({ session }),
  clear: () => set({ session: null }),
}));

/** The token of the signed-in user, for code outside of React. */
export function sessionToken(): string | null {
  return useSession.getState().session?.jwt ?? null;
}
