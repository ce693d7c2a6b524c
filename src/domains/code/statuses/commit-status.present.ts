import { repoUrls } from '../../../core/access/repo-urls.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type RepoView, presentRepo } from '../../repositories/index.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { CombinedStatus, CommitStatus } from './commit-status.model.ts'
import type { CombinedView, StatusView } from './statuses.service.ts'

export function presentStatus({ status, creator }: StatusView, repoApiUrl: string, site: Site): CommitStatus {
  const at = wireTime(status.createdAt)
  return {
    id: status.number,
    status: status.state,
    target_url: status.targetUrl,
    description: status.description,
    url: `${repoApiUrl}/statuses/${status.oid}`,
    context: status.context,
    creator: creator ? userPresenters.presentOther(creator, site) : null,
    created_at: at,
    updated_at: at,
  }
}

export function presentCombinedStatus({ oid, state, page }: CombinedView, repo: RepoView, site: Site): CombinedStatus {
  const { api } = repoUrls(repo.repo, site)
  const commitUrl = `${api}/commits/${oid}`
  return {
    state,
    sha: oid,
    total_count: page.items.length,
    statuses: page.items.map((view) => presentStatus(view, api, site)),
    repository: presentRepo(repo, site),
    commit_url: commitUrl,
    url: `${commitUrl}/status`,
  }
}
