import { Link } from "react-router";
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
      <p className="mt-8 border-t border-line pt-4 text-sm text-soft">
        Which version this is, and how to check it:{" "}
        <Link to="/build" className="rounded-control text-text underline underline-offset-4">
          This build
        </Link>
      </p>
    </>
  );
}
