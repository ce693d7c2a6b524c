import {
  type Commit,
  findCommitOid,
  findLooseOid,
  type Git,
  type GitRepo,
  hasBranches,
  ignoringMissing,
} from '../../../core/git/index.ts'
import { badRequest, invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { parseTimestamp } from '../../../core/platform/timestamp.ts'
import type { Repo } from '../../repositories/index.ts'
import type { CommitParts, CommitView, CommitViews } from './history.service.ts'

interface CommitQuery {
  /** The revision to start from; the default branch if absent. */
  readonly sha: string | undefined
  readonly path: string | undefined
  /** RFC 3339. Other texts throw Invalid. */
  readonly since: string | undefined
  readonly until: string | undefined
  readonly not: string | undefined
}

type PatchKind = 'diff' | 'patch'

/** A `CommitQuery` with the commits that it named at lookup; times in seconds. */
interface CommitLog {
  readonly tip: string
  readonly not?: readonly string[]
  readonly path?: string
  readonly since?: number
  readonly until?: number
}

export type Commits = ReturnType<typeof createCommits>

export function createCommits({ git, views }: { git: Git; views: CommitViews }) {
  return {
    /** Undefined for an empty repository. Throws NotFound for an unknown ref. */
    async findLog(repo: Repo, query: CommitQuery): Promise<CommitLog | undefined> {
      const opened = git.open(repo)
      const tip = await findStart(opened, repo, query.sha)
      if (tip === undefined) return undefined
      const not = query.not === undefined ? undefined : await getCommitOid(opened, query.not)
      return {
        tip,
        ...(not !== undefined && { not: [not] }),
        ...(query.path && { path: query.path }),
        ...timeBounds(query),
      }
    },
    /**
     * Newest first (behaviour/git-data-and-transport#commits); empty without a log. Throws NotFound for a path without
     * commits.
     */
    async list(repo: Repo, log: CommitLog | undefined, parts: CommitParts, paging: Paging): Promise<Page<CommitView>> {
      if (log === undefined) return { items: [], total: 0 }
      const opened = git.open(repo)
      const [total, commits] = await Promise.all([
        opened.history.count(log),
        opened.history.list(log, { skip: paging.offset, limit: paging.limit }),
      ])
      if (log.path && total === 0) throw notFound('FileCommitsCount')
      return { items: await views.load(opened, commits, parts), total }
    },
    /** Finds a commit by any revision. Throws NotFound, and Invalid for ranges and suffixes. */
    async get(repo: Repo, revision: string, parts: CommitParts): Promise<CommitView> {
      const opened = git.open(repo)
      const commit = await getCommit(opened, revision)
      return (await views.load(opened, [commit], parts))[0]!
    },
    /** Resolves a revision to an object id as git does. */
    resolve: (repo: Repo, revision: string): Promise<string | undefined> => findLooseOid(git.open(repo), revision),
    /** Filters the ids, full or short and unambiguous, that name a commit. */
    async filterCommitIds(repo: Repo, ids: readonly string[]): Promise<string[]> {
      const { revisions } = git.open(repo)
      const isCommit = async (id: string): Promise<boolean> => {
        const oid = await ignoringMissing(() => revisions.findShort(id))
        return oid !== undefined && (await ignoringMissing(() => revisions.peel(oid, 'commit'))) === oid
      }
      const found = await Promise.all(ids.map(isCommit))
      return ids.filter((_, index) => found[index])
    },
    /** A stream of the commit's text: a plain diff, or one mail with the patch. Throws the errors of `get`. */
    async patch(
      repo: Repo,
      revision: string,
      kind: PatchKind,
      signal?: AbortSignal,
    ): Promise<AsyncGenerator<Buffer, void, undefined>> {
      const opened = git.open(repo)
      const { oid } = await getCommit(opened, revision)
      return kind === 'diff'
        ? opened.diffs.commitDiff(oid, { ...(signal && { signal }) })
        : opened.diffs.commitMail(oid, signal)
    },
  }
}

async function getCommit(git: GitRepo, revision: string): Promise<Commit> {
  if (/\.\.|[~^]/.test(revision)) throw errors.revisionInvalid(revision)
  return git.objects.commit(await getCommitOid(git, revision))
}

async function getCommitOid(git: GitRepo, revision: string): Promise<string> {
  const oid = await findCommitOid(git, revision)
  if (oid === undefined) throw errors.revisionNotFound(revision)
  return oid
}

/** Undefined if the repository has no branch. Throws NotFound for an unknown revision. */
async function findStart(git: GitRepo, repo: Repo, sha: string | undefined): Promise<string | undefined> {
  const oid = await findCommitOid(git, sha || `refs/heads/${repo.defaultBranch}`)
  if (oid !== undefined || !(await hasBranches(git))) return oid
  throw errors.revisionNotFound(sha || repo.defaultBranch)
}

function timeBounds(query: CommitQuery): { since?: number; until?: number } {
  const since = secondsOf('since', query.since)
  const until = secondsOf('until', query.until)
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
}

function secondsOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const time = parseTimestamp(text)
  if (time === undefined) throw invalid(`invalid '${name}' format, expected ISO 8601 (RFC3339)`)
  return Math.floor(time / 1000)
}

/**
 * Throws BadRequest if the text is not a full object id
 * (behaviour/git-data-and-transport#refs-trees-blobs-notes-and-comparison).
 */
export function requireOid(git: GitRepo, text: string): void {
  const length = git.zeroOid.length
  if (/^[0-9a-f]+$/.test(text) && text.length === length) return
  if (text.length === 40 || text.length === 64) throw badRequest(`object does not exist [id: ${text}, rel_path: ]`)
  throw badRequest(`length ${text.length} has no matched object format: ${text}`)
}
