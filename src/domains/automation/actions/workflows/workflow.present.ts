import { escapePath, repoUrls } from '../../../../core/access/repo-urls.ts'
import { EPOCH_TIME, wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Run } from '../runs/run.store.ts'
import type { ActionWorkflow, RunDetails } from './workflow.model.ts'
import type { WorkflowView } from './workflows.service.ts'

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
