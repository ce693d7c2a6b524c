import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { EPOCH_TIME, wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { ActionWorkflowRun } from '../runs/run.model.ts'
import type { Run } from '../runs/run.store.ts'
import type { ActionArtifact } from './artifact.model.ts'
import { isExpired } from './artifact.policy.ts'
import type { ArtifactView } from './artifacts.service.ts'

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
