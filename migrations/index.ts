import type { Kysely } from 'kysely'
import type { Migration, MigrationProvider } from 'kysely/migration'
import { createBaseline } from './202611241900-baseline.ts'
import { addHookEventMessages } from './202611241930-hook-event-messages.ts'
import { renameJobs } from './202611242150-job-names.ts'
import { addOriginalAuthors } from './202611262130-original-authors.ts'
import { createSignInSources } from './202611262136-sign-in-sources.ts'
import { addPackageRegistries } from './202611262140-package-registries.ts'
import { addPasskeys } from './202611262152-passkeys.ts'
import { createRepoImports } from './202611262217-repo-imports.ts'
import { createContainerTables } from './202611262220-container-registry.ts'
import { addSyncReports } from './202611262225-sync-reports.ts'
import { addRunnerProtocol } from './202611270100-runner-protocol.ts'
import { createProjects } from './202611270110-projects.ts'
import { addArtifactUploads } from './202611270115-artifact-uploads.ts'
import { addWorkflowEvents } from './202611270120-workflow-events.ts'
import { createPackageIndexes } from './202611270125-package-indexes.ts'
import { addTeamVisibility } from './202611270126-team-visibility.ts'
import { addRunStates } from './202611270140-run-states.ts'
import { createServerImport } from './202611270146-server-import.ts'
import { createImportedAuthors } from './202611270149-imported-authors.ts'
import { indexApprovedRuns } from './202611270427-approved-runs.ts'
import { createCodeIndex } from './202611270432-code-index.ts'
import { createActionCaches } from './202611270510-action-caches.ts'
import { indexWaitingJobs } from './202611270752-waiting-jobs.ts'
import { createPackageCleanup } from './202611270753-package-cleanup.ts'
import { addServerImportTimes } from './202611270753-server-import-times.ts'
import { addMirroredBranches } from './202611270822-mirrored-branches.ts'
import { createPackageDocuments } from './202611270830-package-documents.ts'
import { createStepSummaries } from './202611271125-step-summaries.ts'
import { createPackageUpstreams } from './202611271128-package-upstreams.ts'
import { addLateJobs } from './202611271432-late-jobs.ts'
import { addSchedulePushes } from './202611271738-schedule-pushes.ts'
import { addReplannedJobs } from './202611271744-replanned-jobs.ts'
import { createJobIdTokens } from './202611271801-job-id-tokens.ts'
import { createStoredBlocks } from './202611271819-stored-blocks.ts'
import type { Schema } from './_helpers.ts'

type Step = (schema: Schema) => Promise<void>

/** Every database of a release has it. */
export const BASELINE = '202611241900-baseline'

/** By the time at which they were written (UTC), in order. Never edit one after a release; add another. */
const steps: Readonly<Record<string, Step>> = {
  [BASELINE]: createBaseline,
  '202611241930-hook-event-messages': addHookEventMessages,
  '202611242150-job-names': renameJobs,
  '202611262130-original-authors': addOriginalAuthors,
  '202611262136-sign-in-sources': createSignInSources,
  '202611262140-package-registries': addPackageRegistries,
  '202611262152-passkeys': addPasskeys,
  '202611262217-repo-imports': createRepoImports,
  '202611262220-container-registry': createContainerTables,
  '202611262225-sync-reports': addSyncReports,
  '202611270100-runner-protocol': addRunnerProtocol,
  '202611270110-projects': createProjects,
  '202611270115-artifact-uploads': addArtifactUploads,
  '202611270120-workflow-events': addWorkflowEvents,
  '202611270125-package-indexes': createPackageIndexes,
  '202611270126-team-visibility': addTeamVisibility,
  '202611270140-run-states': addRunStates,
  '202611270146-server-import': createServerImport,
  '202611270149-imported-authors': createImportedAuthors,
  '202611270427-approved-runs': indexApprovedRuns,
  '202611270432-code-index': createCodeIndex,
  '202611270510-action-caches': createActionCaches,
  '202611270752-waiting-jobs': indexWaitingJobs,
  '202611270753-package-cleanup': createPackageCleanup,
  '202611270753-server-import-times': addServerImportTimes,
  '202611270822-mirrored-branches': addMirroredBranches,
  '202611270830-package-documents': createPackageDocuments,
  '202611271125-step-summaries': createStepSummaries,
  '202611271128-package-upstreams': createPackageUpstreams,
  '202611271432-late-jobs': addLateJobs,
  '202611271738-schedule-pushes': addSchedulePushes,
  '202611271744-replanned-jobs': addReplannedJobs,
  '202611271801-job-id-tokens': createJobIdTokens,
  '202611271819-stored-blocks': createStoredBlocks,
}

/**
 * The oldest release that can run after a migration that deletes or narrows what earlier releases use, by its name. All
 * others only add, so that the previous release can run at the same time (docs/operate/scaling.md#upgrades).
 */
export const contractions: Readonly<Record<string, string>> = {}

export function migrationProvider(dialect: Schema['dialect']): MigrationProvider {
  const migrations = Object.entries(steps).map(([name, step]): [string, Migration] => [
    name,
    { up: (db: Kysely<unknown>) => step({ db, dialect }) },
  ])
  return { getMigrations: async () => Object.fromEntries(migrations) }
}
