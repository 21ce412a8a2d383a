import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleHelp, LoaderCircle, TriangleAlert } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { type Build, buildQuery } from "@/shared/api/build";
import { Button } from "@/shared/ui/button";
import { CopyIconButton } from "@/shared/ui/copy-button";
import { FetchedSection, SettingsSection } from "@/shared/ui/settings-section";
import { type BuildCheck, checkFiles, readCached } from "./build-check";
import { loadedByThisPage } from "./loaded-files";

/** Version and hashes of the server, and whether the page's own files are those that it lists. */
export function ThisBuild() {
  const build = useQuery(buildQuery);
  return (
    <div className="flex max-w-[48rem] flex-col gap-4">
      <FetchedSection query={build} what="the server's build" className="">
        {(shown) => (
          <>
            <LoadedFiles build={shown} />
            <ServerBuild build={shown} />
          </>
        )}
      </FetchedSection>
      <WhatItProves />
    </div>
  );
}

function LoadedFiles({ build }: { build: Build }) {
  const check = useQuery({
    queryKey: ["build-check", build.webSha256],
    queryFn: () => checkFiles(loadedByThisPage(), build.webFiles, readCached),
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return (
    <SettingsSection
      title="What your browser has loaded"
      description="The scripts and styles that this page has loaded so far, compared with the server's list by SHA-256"
      className=""
    >
      <div className="mt-4 border-t border-line pt-4">
        {check.isFetching ? (
          <Result icon={LoaderCircle} tone="text-muted" title="Comparing the files of this page ...">
            This takes a moment.
          </Result>
        ) : check.data ? (
          <Compared check={check.data} />
        ) : (
          <Result icon={CircleHelp} tone="text-warn" title="The files could not be compared">
            {check.error?.message}. Nothing is known about them.
          </Result>
        )}
        <div className="mt-4 flex flex-wrap gap-2">
          <Button size="small" disabled={check.isFetching} onClick={() => void check.refetch()}>
            Compare again
          </Button>
          {check.data && check.data.different.length > 0 && (
            <Button size="small" onClick={() => location.reload()}>
              Reload the page
            </Button>
          )}
        </div>
      </div>
    </SettingsSection>
  );
}

function Compared({ check: { compared, different } }: { check: BuildCheck }) {
  if (different.length === 0) {
    return (
      <Result icon={CircleCheck} tone="text-up" title="Equal">
        All {compared} files are those that the server lists.
      </Result>
    );
  }
  return (
    <Result icon={TriangleAlert} tone="text-down" title="Different">
      {different.length} of {compared} files are not those that the server lists:
      <span className="my-2 block font-mono text-xs break-all text-text">
        {different.map((path) => (
          <span key={path} className="block">
            {path}
          </span>
        ))}
      </span>
      The server may have been updated since you opened the page: reload it and compare again. If a difference
      remains, sign nothing here, and tell the operator.
    </Result>
  );
}

function Result({
  icon: Icon,
  tone,
  title,
  children,
}: {
  icon: ComponentType<{ size?: number; className?: string; "aria-hidden"?: boolean }>;
  tone: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <div role="status" className="flex gap-3 text-sm">
      <Icon size={20} aria-hidden className={`mt-0.5 shrink-0 ${tone}`} />
      <div className="min-w-0">
        <p className={`font-strong ${tone}`}>{title}</p>
        <div className="mt-1 text-pretty text-soft">{children}</div>
      </div>
    </div>
  );
}

function ServerBuild({ build }: { build: Build }) {
  return (
    <SettingsSection
      title="What the server says it is"
      description="Its version, and the hashes of its program and of the list of its files"
      className=""
    >
      <dl className="mt-4 flex flex-col gap-4 border-t border-line pt-4 text-sm">
        <Fact name="Version">{build.version}</Fact>
        <Fact name="Commit" copied={build.commit}>
          {build.commit ?? "Not named by the build"}
        </Fact>
        <Fact name="Program, SHA-256" copied={build.binarySha256}>
          {build.binarySha256 ?? "Not known yet"}
        </Fact>
        <Fact name="Web app, SHA-256 of the list of its files" copied={build.webSha256}>
          {build.webSha256}
        </Fact>
      </dl>
    </SettingsSection>
  );
}

function Fact({
  name,
  copied = null,
  children,
}: {
  name: string;
  /** The text to copy; null for none. */
  copied?: string | null;
  children: string;
}) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 flex items-center justify-between gap-2 text-text">
        <span className={copied === null ? undefined : "font-mono text-xs break-all"}>{children}</span>
        {copied !== null && <CopyIconButton text={copied} what={name} label={`Copy: ${name}`} />}
      </dd>
    </div>
  );
}

function WhatItProves() {
  return (
    <SettingsSection title="What this proves, and what not" className="">
      <div className="mt-3 flex flex-col gap-2 text-sm leading-6 text-pretty text-soft">
        <p>
          An equal result finds files that were changed on the way, by a proxy or a cache, and pages that are
          older than the server. It cannot expose a server that lies: such a server sends its own page, its
          own list and its own result.
        </p>
        <p>
          What counts is the comparison with hashes from elsewhere. A release comes with a signed file
          SHA256SUMS: its line <span className="font-mono text-xs">web.sha256</span> must have the hash of the
          web app above, its line <span className="font-mono text-xs">lienbook</span> that of the program. The
          document VERIFYING.md of the source code shows how to check what a server sends without this page,
          and how to build the same bytes yourself.
        </p>
      </div>
    </SettingsSection>
  );
}
