import type { Database } from '../../../core/db/database.ts'
import { type ChangeSet, type Commit, type GitRepo, findCommitOid, findTarget } from '../../../core/git/index.ts'
import type { User } from '../../accounts/index.ts'
import { findUsersByEmails } from '../verification/commit-author.store.ts'
import type { Verification } from '../verification/verification.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import type { Core } from '../../../core/module.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { badRequest, notFound } from '../../../core/platform/errors.ts'
import type { Repo } from '../../repositories/index.ts'
import { requireHeadRepo } from './head-repo.ts'

/** A commit with the data of its models. */
export interface CommitView {
  readonly commit: Commit
  readonly author: User | undefined
  readonly committer: User | undefined
  /** Undefined when it was not requested. */
  readonly verification: Verification | undefined
  readonly changes: ChangeSet | undefined
  /** The parts of `changes` that the model contains. */
  readonly shows: { readonly stat: boolean; readonly files: boolean }
}

export interface CommitParts {
  readonly stat: boolean
  readonly files: boolean
  readonly verification: boolean
}

interface CommitViewDeps {
  readonly database: Database
  readonly verifier: Verifier
  readonly noReplyDomain: string
}

export type CommitViews = ReturnType<typeof createCommitViews>

export function createCommitViews({ database, verifier, noReplyDomain }: CommitViewDeps) {
  return {
    /** The views in the order of the commits. One query and at most one git process for any number of commits. */
    async load(git: GitRepo, commits: readonly Commit[], parts: CommitParts): Promise<CommitView[]> {
      if (commits.length === 0) return []
      const needsChanges = parts.stat || parts.files
      const emails = commits.flatMap((commit) => [commit.author.email, commit.committer.email])
      const [changes, users] = await Promise.all([
        needsChanges ? git.changes.ofCommits(commits.map((commit) => commit.oid)) : undefined,
        findUsersByEmails(database.read, emails, noReplyDomain),
      ])
      const verifications = parts.verification ? await verifier.ofCommits(git, commits) : undefined
      return commits.map((commit) => ({
        commit,
        author: users.get(commit.author.email.toLowerCase()),
        committer: users.get(commit.committer.email.toLowerCase()),
        verification: verifications?.get(commit.oid),
        changes: changes?.get(commit.oid),
        shows: parts,
      }))
    },
  }
}

interface Comparison {
  /** The repository of the head, which contains the commits. */
  readonly head: Repo
  readonly total: number
  /** Newest first, at most 1000. */
  readonly commits: readonly CommitView[]
}

interface Deps extends Pick<Core, 'database' | 'git'> {
  readonly views: CommitViews
}

const MAX_COMMITS = 1000

export type Comparisons = ReturnType<typeof createComparisons>

/** The two sides of `base...head`. */
interface Sides {
  readonly head: Repo
  readonly opened: GitRepo
  readonly base: string
  readonly tip: string
  /** `...`: the diff begins at the merge base. */
  readonly fromMergeBase: boolean
  /** The path of the repository of the base if it is another one than that of the head. */
  readonly borrow: string | undefined
}

export function createComparisons({ database, git, views }: Deps) {
  const { read } = database

  async function findSides(viewer: Viewer, repo: Repo, basehead: string): Promise<Sides> {
    const { base: baseRef, head: headText, fromMergeBase } = parseBasehead(basehead, repo.defaultBranch)
    const colon = headText.indexOf(':')
    const head = colon < 0 ? repo : await requireHeadRepo(read, viewer, repo, headText.slice(0, colon))
    const base = await commitOf(git.open(repo), repo, baseRef)
    const opened = git.open(head)
    const tip = await commitOf(opened, head, headText.slice(colon + 1))
    const borrow = head.id === repo.id ? undefined : git.open(repo).path
    return { head, opened, base, tip, fromMergeBase, borrow }
  }

  return {
    /**
     * Lists the commits that the head has and the base lacks. `basehead` is `base...head`, `base..head`, or only
     * `head`, which is compared with the default branch. The head may be `user:ref` or `user/repo:ref` of the same fork
     * network (behaviour/git-data-and-transport#compare). Throws NotFound for a missing or hidden user, repository or
     * ref, BadRequest for a user without a fork and for reflog suffixes.
     */
    async compare(viewer: Viewer, repo: Repo, basehead: string, parts: CommitParts): Promise<Comparison> {
      const { head, opened, base, tip, borrow } = await findSides(viewer, repo, basehead)
      if (base === tip) return { head, total: 0, commits: [] }
      const log = { tip, not: [base], ...(borrow !== undefined && { borrow }) }
      const [total, commits] = await Promise.all([
        opened.history.count(log),
        opened.history.list(log, { skip: 0, limit: MAX_COMMITS }),
      ])
      return { head, total, commits: await views.load(opened, commits as readonly Commit[], parts) }
    },
    /** The same comparison as one diff, or its commits as mails. Throws the same errors as `compare`. */
    async text(
      viewer: Viewer,
      repo: Repo,
      basehead: string,
      { kind, signal }: { readonly kind: 'diff' | 'patch'; readonly signal: AbortSignal },
    ): Promise<AsyncGenerator<Buffer, void, undefined>> {
      const { opened, base, tip, fromMergeBase, borrow } = await findSides(viewer, repo, basehead)
      if (kind === 'patch') return opened.diffs.mails(base, tip, { signal, borrow })
      const start = fromMergeBase ? await opened.history.mergeBase(base, tip, borrow) : base
      return opened.diffs.patch(start ?? base, tip, { signal, borrow })
    },
  }
}

interface BaseHead {
  readonly base: string
  readonly head: string
  readonly fromMergeBase: boolean
}

function parseBasehead(text: string, defaultBranch: string): BaseHead {
  const [, base, dots, head] = /^(.*?)(\.\.\.?)(.*)$/s.exec(text) ?? ['', '', '...', text]
  if (text.includes('@{')) throw badRequest('Unsupported comparison syntax: ref with suffix')
  return { base: base || defaultBranch, head: head || defaultBranch, fromMergeBase: dots === '...' }
}

/** A suffix that leads to an ancestor: `^`, `^2`, `~3`, or several. */
const SUFFIX = /(?:[\^~]\d*)+$/

/** Resolves a branch, a tag or a full id, with or without a suffix that leads to an ancestor. Throws NotFound. */
async function commitOf(git: GitRepo, repo: Repo, ref: string): Promise<string> {
  const exact = await findTarget(git, repo, ref)
  const oid = exact?.commit ?? (SUFFIX.test(ref) ? await findCommitOid(git, ref) : undefined)
  if (oid === undefined) throw notFound(`no such ref: ${ref}`)
  return oid
}
