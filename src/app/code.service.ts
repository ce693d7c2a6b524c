import type { Database } from '../db/database.ts'
import { translated } from '../git/domain-errors.ts'
import type { Git, PackCache } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type CodeArchives, createArchives } from '../subjects/archives/archives.ts'
import { type Contents, createContents, createEntryReader } from '../subjects/contents/contents.ts'
import { createIssueTemplates, type IssueTemplates } from '../subjects/contents/issue-templates.ts'
import { createRawFiles, type RawFiles } from '../subjects/contents/raw-files.ts'
import { createFileWriter, type FileWriter } from '../subjects/contents/write-files.ts'
import { createUpstreams, type Upstreams } from '../subjects/forks/merge-upstream.ts'
import { createForkSyncs, type ForkSyncs } from '../subjects/forks/sync-fork.ts'
import { createCommitViews } from '../subjects/history/commit-views.ts'
import { type Commits, createCommits } from '../subjects/history/commits.ts'
import { type Comparisons, createComparisons } from '../subjects/history/compare.ts'
import type { LfsObjects } from '../subjects/lfs/lfs-objects.service.ts'
import type { Pushes } from '../subjects/pushes/accept-push.ts'
import { type BranchWrites, createBranchWrites } from '../subjects/refs/branch-writes.ts'
import { type Branches, createBranches } from '../subjects/refs/branches.ts'
import { createGitData, type GitData } from '../subjects/refs/git-data.ts'
import { createTags, type Tags } from '../subjects/refs/tags.ts'
import type { CommitSigner } from '../subjects/signing/signing.ts'
import { createStatuses, type Statuses } from '../subjects/statuses/statuses.service.ts'
import { createVerifier } from '../subjects/verification/verifier.ts'

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
    files: translated(
      createFileWriter({
        database,
        git,
        clock,
        pushes,
        reader: createEntryReader(maxBlobSize),
        verifier,
        noReplyDomain,
        signer,
        lfs,
      }),
    ),
    raw: translated(createRawFiles({ database, git })),
    statuses: translated(createStatuses({ database, git, clock })),
    tags: translated(createTags({ database, git, clock, pushes, tagger: identity, signer })),
    upstreams: translated(upstreams),
  }
}
