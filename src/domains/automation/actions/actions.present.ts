import { repoUrls, escapePath } from '../../../core/access/repo-urls.ts'
import { EPOCH_TIME, wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Repo } from '../../repositories/index.ts'
import type { ActionWorkflowRun, ActionRunner } from './actions.model.ts'
import type { Run } from './runs/run.store.ts'
import type { ActionArtifact } from './artifacts/artifact.model.ts'
import { isExpired } from './artifacts/artifact.policy.ts'
import type { ArtifactView } from './artifacts/artifacts.service.ts'
import { decideRunnerState } from './runners/runner.policy.ts'
import type { Runner } from './runners/runner.store.ts'
import type { ActionWorkflow, RunDetails } from './workflows/workflow.model.ts'
import type { WorkflowView } from './workflows/workflows.service.ts'

/** Address of an artifact in the API. */
export const artifactUrl = (repo: Repo, id: number, site: Site): string =>
  `${repoUrls(repo, site).api}/actions/artifacts/${id}`

/** As it is at a moment, in epoch milliseconds. */
export function presentArtifact(
  { artifact, run }: ArtifactView,
  repo: Repo,
  at: { site: Site; now: number },
): ActionArtifact {
  const url = artifactUrl(repo, artifact.id, at.site)
  return {
    id: artifact.id,
    name: artifact.name,
    size_in_bytes: artifact.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(artifact, at.now),
    workflow_run: presentRunOnly(run),
    created_at: wireTime(artifact.createdAt),
    updated_at: wireTime(artifact.updatedAt),
    expires_at: wireTime(artifact.expiresAt),
  }
}

/** COMPAT: id, repository and commit of the run alone; other members are empty (test/automation/artifacts.test.ts). */
const presentRunOnly = ({ id, repoId, oid }: Run): ActionWorkflowRun => ({
  id,
  repository_id: repoId,
  head_sha: oid,
  url: '',
  html_url: '',
  display_title: '',
  path: '',
  event: '',
  run_attempt: 0,
  run_number: 0,
  status: '',
  started_at: EPOCH_TIME,
  completed_at: EPOCH_TIME,
})

export function presentRunner(runner: Runner, now: number): ActionRunner {
  const { isOnline, isBusy } = decideRunnerState(runner, now)
  return {
    id: runner.id,
    name: runner.name,
    status: isOnline ? 'online' : 'offline',
    busy: isBusy,
    disabled: runner.isDisabled,
    ephemeral: runner.isEphemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}

export function presentWorkflow(
  { file, name, isDisabled, commit }: WorkflowView,
  repo: Repo,
  site: Site,
): ActionWorkflow {
  const { api, html } = repoUrls(repo, site)
  const at = wireTime(commit.committer.time * 1000)
  const id = encodeURIComponent(file.name)
  const branch = escapePath(repo.defaultBranch)
  return {
    id: file.name,
    name,
    path: file.path,
    state: isDisabled ? 'disabled_manually' : 'active',
    created_at: at,
    updated_at: at,
    url: `${api}/actions/workflows/${id}`,
    html_url: `${html}/src/branch/${branch}/${escapePath(file.path)}`,
    badge_url: `${html}/actions/workflows/${id}/badge.svg?branch=${encodeURIComponent(repo.defaultBranch)}`,
    deleted_at: EPOCH_TIME,
  }
}

export function presentRunDetails({ id }: Run, repo: Repo, site: Site): RunDetails {
  const { api, html } = repoUrls(repo, site)
  return { workflow_run_id: id, run_url: `${api}/actions/runs/${id}`, html_url: `${html}/actions/runs/${id}` }
}
