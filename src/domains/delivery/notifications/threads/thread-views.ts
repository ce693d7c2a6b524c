import type { Services } from '../../../../core/module.ts'
import { canSeeRepo } from '../../../../core/access/repo-access.ts'
import { type Viewer, viewerId } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type Issue, issueRules, issueQueries } from '../../../issues/index.ts'
import { type Repo, type RepoView, repoQueries } from '../../../repositories/index.ts'
import { listLatestComments, listOffered, type Thread } from './thread.store.ts'

/** A thread with the visible part of its subject. */
export interface ThreadView {
  readonly thread: Thread
  /** Undefined when the viewer may not, or no longer, see it. */
  readonly repo: RepoView | undefined
  readonly subject:
    | { readonly kind: 'hidden' }
    | { readonly kind: 'repository'; readonly repo: Repo }
    | {
        readonly kind: 'issue'
        readonly repo: Repo
        readonly issue: Issue
        /** False for issues. */
        readonly isMerged: boolean
        readonly commentId: number | undefined
      }
}

/** Views in the given order, by a fixed number of queries. */
export async function loadThreadViews(
  { read, repos }: { readonly read: Db; readonly repos: Pick<Services['repos'], 'views'> },
  viewer: Viewer,
  threads: readonly Thread[],
): Promise<ThreadView[]> {
  if (threads.length === 0) return []
  const issueIds = threads.flatMap(({ issueId }) => issueId ?? [])
  const repoIds = [...new Set(threads.map(({ repoId }) => repoId))]
  const transferred = [...new Set(threads.filter(({ issueId }) => !issueId).map(({ repoId }) => repoId))]
  const [issues, comments, offered, views] = await Promise.all([
    issueQueries.listByIds(read, issueIds),
    listLatestComments(read, issueIds),
    listOffered(read, transferred, viewerId(viewer) ?? asId(0)),
    repoQueries.listByIds(read, repoIds).then((found) => repos.views(viewer, found)),
  ])
  const pulls = await issueQueries.listPullMetas(
    read,
    issues.filter((issue) => issue.isPull).map((issue) => issue.id),
  )
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const viewOf = new Map(views.map((view) => [view.repo.id, view]))
  return threads.map((thread) => {
    const view = viewOf.get(thread.repoId)
    const issue = thread.issueId && issueOf.get(thread.issueId)
    const repo = view && canSeeRepo(view.access) ? view : undefined
    if (issue && repo && issueRules.canRead(repo.access, issue)) {
      const isMerged = pulls.get(issue.id)?.mergedAt !== undefined
      const commentId = comments.get(issue.id)
      return { thread, repo, subject: { kind: 'issue', repo: repo.repo, issue, isMerged, commentId } }
    }
    const isShown = thread.issueId === undefined && view && (repo !== undefined || offered.has(thread.repoId))
    return { thread, repo, subject: isShown ? { kind: 'repository', repo: view.repo } : { kind: 'hidden' } }
  })
}
