import type { Database } from '../../db/database.ts'
import type { Git, PackCache } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Pushes } from './accept-push.ts'
import { createArchives, type CodeArchives } from './archives.ts'
import { createBranchWrites, type BranchWrites } from './branch-writes.ts'
import { createBranches, type Branches } from './branches.ts'
import { createCommitViews } from './commit-views.ts'
import { createCommits, type Commits } from './commits.ts'
import { createComparisons, type Comparisons } from './compare.ts'
import { createContents, createEntryReader, type Contents } from './contents.ts'
import { createGitData, type GitData } from './git-data.ts'
import { translated } from './git-errors.ts'
import { createRawFiles, type RawFiles } from './raw-files.ts'
import { createForkSyncs, type ForkSyncs } from './sync-fork.ts'
import { createStatuses, type Statuses } from './statuses.ts'
import { createTags, type Tags } from './tags.ts'
import { createIssueTemplates, type IssueTemplates } from './issue-templates.ts'
import { createUpstreams, type Upstreams } from './merge-upstream.ts'
import type { LfsObjects } from '../lfs/index.ts'
import type { CommitSigner } from '../signing/index.ts'
import { createVerifier } from './verify/verifier.ts'
import { createFileWriter, type FileWriter } from './write-files.ts'

/** Reading and writing what repositories hold, for every door. */
export interface Code {
  readonly archives: CodeArchives
  readonly branches: Branches
  readonly branchWrites: BranchWrites
  readonly commits: Commits
  readonly comparisons: Comparisons
  readonly contents: Contents
  readonly data: GitData
  readonly files: FileWriter
  readonly forkSyncs: ForkSyncs
  readonly issueTemplates: IssueTemplates
  readonly raw: RawFiles
  readonly statuses: Statuses
  readonly tags: Tags
  readonly upstreams: Upstreams
}

export interface CodeDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly pushes: Pushes
  /** Signs the commits that the server makes. */
  readonly signer?: CommitSigner | undefined
  /** Takes large files that are written over the API; undefined where LFS is off. */
  readonly lfs?: Pick<LfsObjects, 'upload'> | undefined
  /** Keeps archives that were asked for. */
  readonly archiveCache?: PackCache | undefined
  readonly settings: {
    readonly noReplyDomain: string
    /** Bytes of a file that is still given inside JSON. */
    readonly maxBlobSize: number
    /** Whom tags name that the server makes. */
    readonly identity: { readonly name: string; readonly email: string }
  }
}

export function createCode({ database, git, clock, pushes, signer, lfs, archiveCache, settings }: CodeDeps): Code {
  const { noReplyDomain, maxBlobSize, identity } = settings
  const verifier = createVerifier({ database, clock, noReplyDomain, serverKey: signer })
  const upstreams = createUpstreams({ database, git, clock, pushes, noReplyDomain, signer })
  const views = createCommitViews({ database, verifier, noReplyDomain })
  return {
    archives: translated(createArchives({ database, git, cache: archiveCache })),
    branches: translated(createBranches({ database, git, views })),
    branchWrites: translated(createBranchWrites({ database, git, clock, pushes })),
    commits: translated(createCommits({ git, views })),
    comparisons: translated(createComparisons({ database, git, views })),
    contents: translated(createContents({ git, maxBlobSize })),
    data: translated(createGitData({ database, git, views, verifier, maxBlobSize })),
    forkSyncs: translated(createForkSyncs({ database, git }, upstreams)),
    issueTemplates: translated(createIssueTemplates({ git })),
    files: translated(createFileWriter({ database, git, clock, pushes, reader: createEntryReader(maxBlobSize), verifier, noReplyDomain, signer, lfs })),
    raw: translated(createRawFiles({ database, git })),
    statuses: translated(createStatuses({ database, git, clock })),
    tags: translated(createTags({ database, git, clock, pushes, tagger: identity, signer })),
    upstreams: translated(upstreams),
  }
}
