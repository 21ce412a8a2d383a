import { create } from "zustand";
import type { Wire } from "@/shared/api/operation";
import { setTokenSource } from "@/shared/api/session-token";

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
  /** Whether it is still unknown if the session of an earlier visit can be restored. */
  isRestoring: boolean;
  setSession: (session: Session) => void;
  clear: () => void;
}

/**
 * The current session. The wallet feature sets it; the feed and the API calls read it. It lives in memory
 * only: a reload obtains a new token through the refresh cookie.
 */
export const useSession = create<SessionState>((set) => ({
  session: null,
  isRestoring: false,
  setSession: (session) => set({ session }),
  clear: () => set({ session: null }),
}));

setTokenSource(() => useSession.getState().session?.jwt ?? null);
