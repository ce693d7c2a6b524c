import { type Static, Type } from '@sinclair/typebox'
import { TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { UserModel as User } from '../../accounts/index.ts'

const Time = Type.String({ format: 'date-time' })

export const CommitMeta = Type.Object({ url: Type.String(), sha: Type.String(), created: Time }, { $id: 'CommitMeta' })
export type CommitMeta = Static<typeof CommitMeta>

/** An identity and time, as written in the commit. */
export const CommitUser = Type.Object(
  { name: Type.String(), email: Type.String(), date: Type.String() },
  { $id: 'CommitUser' },
)
export type CommitUser = Static<typeof CommitUser>

export const PayloadUser = Type.Object(
  { name: Type.String(), email: Type.String(), username: Type.String() },
  { $id: 'PayloadUser' },
)
export type PayloadUser = Static<typeof PayloadUser>

export const PayloadCommitVerification = Type.Object(
  {
    verified: Type.Boolean(),
    reason: Type.String(),
    signature: Type.String(),
    signer: Nullable(PayloadUser),
    payload: Type.String(),
  },
  { $id: 'PayloadCommitVerification' },
)
export type PayloadCommitVerification = Static<typeof PayloadCommitVerification>

const CommitAffectedFiles = Type.Object(
  { filename: Type.String(), status: Type.String() },
  { $id: 'CommitAffectedFiles' },
)

const CommitStats = Type.Object(
  { total: Type.Integer(), additions: Type.Integer(), deletions: Type.Integer() },
  { $id: 'CommitStats' },
)

const RepoCommit = Type.Object(
  {
    url: Type.String(),
    author: CommitUser,
    committer: CommitUser,
    message: Type.String(),
    tree: CommitMeta,
    verification: Nullable(PayloadCommitVerification),
  },
  { $id: 'RepoCommit' },
)

export const Commit = Type.Object(
  {
    url: Type.String(),
    sha: Type.String(),
    created: Time,
    html_url: Type.String(),
    commit: RepoCommit,
    author: Nullable(User),
    committer: Nullable(User),
    parents: Type.Array(CommitMeta),
    files: Nullable(Type.Array(CommitAffectedFiles)),
    stats: Nullable(CommitStats),
  },
  { $id: 'Commit' },
)
export type Commit = Static<typeof Commit>

/** The shape of commits in branches and in webhooks. */
export const PayloadCommit = Type.Object(
  {
    id: Type.String(),
    message: Type.String(),
    url: Type.String(),
    author: PayloadUser,
    committer: PayloadUser,
    verification: Nullable(PayloadCommitVerification),
    timestamp: Time,
    added: Nullable(Type.Array(Type.String())),
    removed: Nullable(Type.Array(Type.String())),
    modified: Nullable(Type.Array(Type.String())),
  },
  { $id: 'PayloadCommit' },
)
export type PayloadCommit = Static<typeof PayloadCommit>

export const Compare = Type.Object(
  { total_commits: Type.Integer(), commits: Type.Array(Commit), files: Type.Array(CommitAffectedFiles) },
  { $id: 'Compare' },
)
export type Compare = Static<typeof Compare>

export const Note = Type.Object({ message: Type.String(), commit: Commit }, { $id: 'Note' })
export type Note = Static<typeof Note>

export const NoteOptions = Type.Object({ message: Type.String({ maxLength: TEXT_LENGTH }) }, { $id: 'NoteOptions' })
