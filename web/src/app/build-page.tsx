import { ThisBuild } from "@/features/build/this-build";
import { PageHead } from "./page-head";

export function BuildPage() {
  return (
    <>
      <PageHead title="This build" />
      <ThisBuild />
    </>
  );
}
