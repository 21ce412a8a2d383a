import { SessionList } from "@/features/wallet/session-list";
import { PageHead } from "./page-head";
import { SettingsTabs } from "./settings-tabs";

export function SessionsPage() {
  return (
    <>
      <PageHead title="Sessions" />
      <SettingsTabs current="sessions" />
      <SessionList />
    </>
  );
}
