import { Privacy } from "@/features/help/privacy";
import { PersonalData } from "@/features/wallet/personal-data";
import { PageHead } from "./page-head";

export function PrivacyPage() {
  return (
    <>
      <PageHead title="Privacy" />
      <Privacy />
      <div className="mt-7">
        <PersonalData />
      </div>
    </>
  );
}
