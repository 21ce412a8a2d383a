import { ApiKeyList } from "@/features/wallet/api-key-list";
import { DelegationList } from "@/features/wallet/delegation-list";
import { ReceiptSection } from "@/features/wallet/receipt-section";
import { SessionList } from "@/features/wallet/session-list";
import { PageHead } from "./page-head";
import { SettingsTabs } from "./settings-tabs";

export function SessionsPage() {
  return (
    <>
      <PageHead title="Sessions & keys" />
      <SettingsTabs current="sessions" />
      <div className="flex flex-col gap-4">
        <SessionList />
        <ApiKeyList />
        <DelegationList />
        <ReceiptSection />
      </div>
    </>
  );
}
