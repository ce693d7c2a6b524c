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
    /** In the order of the commits. One query and at most one git process for any number of commits. */
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

export function createComparisons({ database, git, views }: Deps) {
  const { read } = database

  return {
    /**
     * Lists the commits that the head has and the base lacks. `basehead` is `base...head`, `base..head`, or only
     * `head`, which is compared with the default branch. The head may be `user:ref` or `user/repo:ref` of the same fork
     * network (behaviour/git-data-and-transport#compare). Throws NotFound for a missing or hidden user, repository or
     * ref, BadRequest for a user without a fork and for suffixes on the base.
     */
    async compare(viewer: Viewer, repo: Repo, basehead: string, parts: CommitParts): Promise<Comparison> {
      const { base: baseRef, head: headText } = parseBasehead(basehead, repo.defaultBranch)
      const colon = headText.indexOf(':')
      const head = colon < 0 ? repo : await requireHeadRepo(read, viewer, repo, headText.slice(0, colon))
      const base = await commitOf(git.open(repo), repo, baseRef)
      const opened = git.open(head)
      const tip = await commitOf(opened, head, headText.slice(colon + 1))
      if (base === tip) return { head, total: 0, commits: [] }
      const log = { tip, not: [base], ...(head.id !== repo.id && { borrow: git.open(repo).path }) }
      const [total, commits] = await Promise.all([
        opened.history.count(log),
        opened.history.list(log, { skip: 0, limit: MAX_COMMITS }),
      ])
      return { head, total, commits: await views.load(opened, commits as readonly Commit[], parts) }
    },
  }
}

interface BaseHead {
  readonly base: string
  readonly head: string
}

function parseBasehead(text: string, defaultBranch: string): BaseHead {
  const [, base, head] = /^(.*?)\.\.\.?(.*)$/s.exec(text) ?? ['', '', text]
  if (/\^|@\{/.test(base!)) throw badRequest('Unsupported comparison syntax: ref with suffix')
  return { base: base || defaultBranch, head: head || defaultBranch }
}

/** Resolves a branch, a tag or a full id, optionally followed by `~n`. Throws NotFound. */
async function commitOf(git: GitRepo, repo: Repo, ref: string): Promise<string> {
  const exact = await findTarget(git, repo, ref)
  const oid = exact?.commit ?? (/~\d*$/.test(ref) ? await findCommitOid(git, ref) : undefined)
  if (oid === undefined) throw notFound(`no such ref: ${ref}`)
  return oid
}
