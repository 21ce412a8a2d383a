import { Bell, WalletCards } from "lucide-react";
import { NotificationSettings } from "@/features/notifications/notification-settings";
import { TabBar } from "@/shared/ui/tab-bar";
import { PageHead } from "./page-head";

export function NotificationsPage() {
  return (
    <>
      <PageHead title="Notification settings" />
      <div className="mb-5">
        <TabBar
          label="Settings"
          current="notifications"
          tabs={[
            { id: "notifications", label: "Notifications", to: "/settings/notifications", icon: Bell },
            { id: "portfolio", label: "Portfolio", to: "/portfolio", icon: WalletCards },
          ]}
        />
      </div>
      <NotificationSettings />
    </>
  );
}
