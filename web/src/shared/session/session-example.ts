import type { Session } from "./session-store";

/** A signed-in user, for tests. */
export const EXAMPLE_SESSION: Session = {
  jwt: "jwt",
  userId: "us_1",
  wallet: "DevWallet",
  hardwareWallet: false,
  addresses: {
    payment: { address: "bcrt1qpay", pubKey: "02aa" },
    ordinals: { address: "bcrt1pkeep", pubKey: "bb" },
  },
  notificationPreferences: {
    criticalAlerts: true,
    email: null,
    isEmailVerified: false,
    telegramChatId: null,
    isBrowserNotified: false,
  },
};
