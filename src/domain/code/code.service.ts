import type { Database } from '../../db/database.ts'
import type { Git } from '../../git/index.ts'
import { createBranches, type Branches } from './branches.ts'
import { createCommitViews } from './commit-views.ts'
import { createCommits, type Commits } from './commits.ts'
import { createContents, type Contents } from './contents.ts'
import { createGitData, type GitData } from './git-data.ts'
import { translated } from './git-errors.ts'
import { createRawFiles, type RawFiles } from './raw-files.ts'
import { createVerifier } from './verify/verifier.ts'

/** Reading and writing what repositories hold, for every door. */
export interface Code {
  readonly branches: Branches
  readonly commits: Commits
  readonly contents: Contents
  readonly data: GitData
  readonly raw: RawFiles
}

export interface CodeDeps {
  readonly database: Database
  readonly git: Git
  readonly settings: {
    readonly noReplyDomain: string
    /** Bytes of a file that is still given inside JSON. */
    readonly maxBlobSize: number
  }
}

export function createCode({ database, git, settings }: CodeDeps): Code {
  const { noReplyDomain, maxBlobSize } = settings
  const verifier = createVerifier()
  const views = createCommitViews({ database, verifier, noReplyDomain })
  return {
    branches: translated(createBranches({ git, views })),
    commits: translated(createCommits({ git, views })),
    contents: translated(createContents({ git, maxBlobSize })),
    data: translated(createGitData({ git, views, verifier, maxBlobSize })),
    raw: translated(createRawFiles({ git })),
  }
}
