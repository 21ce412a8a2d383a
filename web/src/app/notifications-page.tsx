import { NotificationSettings } from "@/features/notifications/notification-settings";
import { PageHead } from "./page-head";
import { SettingsTabs } from "./settings-tabs";

export function NotificationsPage() {
  return (
    <>
      <PageHead title="Notification settings" />
      <SettingsTabs current="notifications" />
      <NotificationSettings />
    </>
  );
}
