import { Bell, MonitorSmartphone, ShieldCheck, WalletCards } from "lucide-react";
import { TabBar } from "@/shared/ui/tab-bar";

const TABS = [
  { id: "notifications", label: "Notifications", to: "/settings/notifications", icon: Bell },
  { id: "sessions", label: "Sessions & keys", to: "/settings/sessions", icon: MonitorSmartphone },
  { id: "privacy", label: "Privacy", to: "/privacy", icon: ShieldCheck },
  { id: "portfolio", label: "Portfolio", to: "/portfolio", icon: WalletCards },
] as const;

/** The tabs of the settings pages. */
export function SettingsTabs({ current }: { current: "notifications" | "sessions" }) {
  return (
    <div className="mb-5">
      <TabBar label="Settings" current={current} tabs={TABS} />
    </div>
  );
}
