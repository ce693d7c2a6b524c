import type { Database } from '../../../core/db/database.ts'
import type { ChangeSet, Commit, GitRepo } from '../../../core/git/index.ts'
import type { User } from '../../accounts/index.ts'
import { findUsersByEmails } from '../verification/commit-author.store.ts'
import type { Verification } from '../verification/verification.ts'
import type { Verifier } from '../verification/verifier.service.ts'

/** A commit with the facts that its models contain. */
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
