import { type BlobStore, blobsCheck } from '../../../core/blobs/index.ts'
import { defineModule } from '../../../core/module.ts'
import { readActionsSettings } from './actions-settings.ts'
import { actionsEvents } from './actions.events.ts'
import { actionsTasks, createActionsJobs } from './actions.jobs.ts'
import { artifactOperations } from './artifacts/artifacts.operations.ts'
import { type Artifacts, createArtifacts } from './artifacts/artifacts.service.ts'
import { listUsedArtifacts, sumArtifacts } from './artifacts/artifact.store.ts'
import { createSignedLinks } from './artifacts/signed-links.ts'
import { listBlockUsesAfter, sumUploads } from './artifacts/uploads/upload.store.ts'
import { listCacheUsesAfter, sumCaches } from './caches/cache.store.ts'
import { createJobLogs, type JobLogs } from './logs/job-logs.service.ts'
import { createLogStreams } from './logs/log-stream.ts'
import { logOperations } from './logs/logs.operations.ts'
import { createRegistration, type Registration } from './runners/registration.service.ts'
import { resultRoutes } from './results/results.routes.ts'
import { queueSubscriptions } from './runners/queue-changes.ts'
import { runnerOperations } from './runners/runners.operations.ts'
import { createRunners, type Runners, sealedTokenColumns } from './runners/runners.service.ts'
import { registerBadges } from './runs/badge.routes.ts'
import { waitingJobOperations } from './runners/waiting-jobs.operations.ts'
import { createRunChanges } from './runs/run-changes.service.ts'
import { runControlOperations } from './runs/run-control.operations.ts'
import { createRunProgress, type RunProgress } from './runs/run-progress.service.ts'
import { runStatusSubscriptions } from './runs/run-statuses.ts'
import { runListOperations } from './runs/run-lists.operations.ts'
import { runOperations } from './runs/runs.operations.ts'
import { createRuns, type Runs } from './runs/runs.service.ts'
import { createTaskChanges, type TaskChanges } from './runs/task-changes.service.ts'
import { createTaskTokens, type TaskTokens } from './runs/task-tokens.ts'
import { listArtifactUsesAfter, listLogUsesAfter } from './stored-file.store.ts'
import { listStoredBlockUsesAfter } from './stored-blocks/stored-block.store.ts'
import { createStoredBytes } from './stored-blocks/stored-bytes.ts'
import { createStoredFiles } from './stored-files.ts'
import { createStepSummaries, type StepSummaries } from './summaries/summaries.service.ts'
import { createWorkflowReader, type WorkflowReader } from './workflows/workflow-reader.ts'
import { workflowOperations } from './workflows/workflows.operations.ts'
import { createWorkflows, type Workflows } from './workflows/workflows.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** The blob store of logs and artifacts. */
    readonly actionsBlobs: BlobStore
    readonly artifacts: Artifacts
    readonly jobLogs: JobLogs
    readonly runs: Runs
    readonly runnerRegistration: Registration
    readonly runners: Runners
    readonly runProgress: RunProgress
    readonly stepSummaries: StepSummaries
    readonly taskChanges: TaskChanges
    readonly taskTokens: TaskTokens
    readonly workflows: Workflows
    readonly workflowReader: WorkflowReader
  }
}

const DAY_MS = 86_400_000

/**
 * Runners, and the runs, jobs, workflows and artifacts of repositories. Logs and artifacts are stored
 * as blobs.
 */
export const module = defineModule({
  name: 'actions',
  needs: ['quota', 'quotaParts', 'repos', 'streams', 'webAccess'],
  async create(core, { quota, quotaParts, repos, streams, webAccess }, guards) {
    const { config, database, git, clock, events, jobs, secrets, site } = core
    const blobs = await core.blobs.open('actions')
    const { log_retention_days: logDays, artifact_retention_days: artifactDays } = config.actions
    const files = createStoredFiles({
      database,
      blobs,
      clock,
      jobs,
      logRetentionMs: logDays * DAY_MS,
      cacheRetentionMs: config.actions.cache_retention_days * DAY_MS,
    })
    const runners = createRunners({ database, clock, events, secrets })
    const registration = createRegistration({ database, clock, events })
    const runs = createRuns({ database, git, repos })
    const jobLogs = createJobLogs({ database, blobs })
    const logStreams = createLogStreams({ database, clock, blobs })
    const taskChanges = createTaskChanges({ clock, jobs })
    const runProgress = createRunProgress({ clock, events, jobs, tasks: taskChanges })
    const runChanges = createRunChanges({ database, clock, events, files, runProgress })
    const links = createSignedLinks({ secrets, clock }, 'action_artifact.download')
    const settings = readActionsSettings(config)
    const taskTokens = createTaskTokens({ database, secrets, clock, endlessMs: settings.endlessMs })
    const retentionMs = artifactDays * DAY_MS
    const stored = createStoredBytes(database, blobs)
    const artifacts = createArtifacts({ database, stored, clock, files, links })
    const stepSummaries = createStepSummaries({ database })
    const workflowReader = createWorkflowReader(core)
    const workflows = createWorkflows({ database, git, clock, events, reader: workflowReader })
    quotaParts.usage.register(async (db, ownerId) => ({
      artifacts: (await sumArtifacts(db, ownerId)) + (await sumUploads(db, ownerId)) + (await sumCaches(db, ownerId)),
    }))
    quotaParts.artifacts.register(listUsedArtifacts)
    const registerResults = resultRoutes(core, {
      blobs,
      stored,
      quota,
      files,
      artifacts,
      summaries: stepSummaries,
      tokens: taskTokens,
      retentionMs,
      cacheBytes: config.actions.cache_size,
    })
    return {
      services: {
        actionsBlobs: blobs,
        artifacts,
        jobLogs,
        runs,
        runnerRegistration: registration,
        runners,
        runProgress,
        stepSummaries,
        taskChanges,
        taskTokens,
        workflows,
        workflowReader,
      },
      operations: [
        ...runnerOperations({ guards, runners, registration, clock }),
        ...waitingJobOperations({ guards, runs }),
        ...runListOperations({ guards, runs, site }),
        ...runOperations({ guards, runs, runChanges, site }),
        ...logOperations({ guards, logs: jobLogs, logStreams, streams }),
        ...runControlOperations({ guards, runs, runChanges, site }),
        ...workflowOperations({ guards, workflows, runs, site }),
        ...artifactOperations({ guards, artifacts, clock, site }),
      ],
      routes(http) {
        registerBadges(http, { webAccess, runs })
        registerResults(http)
      },
      events: actionsEvents,
      sealedColumns: [sealedTokenColumns],
      subscriptions: {
        ...queueSubscriptions,
        ...runStatusSubscriptions(jobs),
        'repo.deleted': (tx) => jobs.enqueue(tx, 'actions.sweep', {}, { key: 'all' }),
      },
      jobs: createActionsJobs({ database, clock, events, files, runProgress, reader: workflowReader }),
      tasks: actionsTasks(jobs),
      checks: [
        blobsCheck(database.read, blobs, {
          artifact: listArtifactUsesAfter,
          log: listLogUsesAfter,
          cache: listCacheUsesAfter,
          upload: listBlockUsesAfter,
          block: listStoredBlockUsesAfter,
        }),
      ],
    }
  },
})
