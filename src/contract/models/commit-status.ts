import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../nullable.ts'
import { Repository } from './repository.ts'
import { User } from './user.ts'

export const CommitStatus = Type.Object(
  {
    id: Type.Integer({ description: 'Counts from 1 for each commit' }),
    status: Type.String({ description: 'pending, success, error, failure, warning or skipped' }),
    target_url: Type.String(),
    description: Type.String(),
    url: Type.String(),
    context: Type.String(),
    creator: Nullable(User),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'CommitStatus' },
)
export type CommitStatus = Static<typeof CommitStatus>

export const CombinedStatus = Type.Object(
  {
    state: Type.String({ description: 'pending, success or failure' }),
    sha: Type.String(),
    total_count: Type.Integer({ description: 'Contexts on this page' }),
    statuses: Type.Array(CommitStatus),
    repository: Repository,
    commit_url: Type.String(),
    url: Type.String(),
  },
  { $id: 'CombinedStatus' },
)
export type CombinedStatus = Omit<Static<typeof CombinedStatus>, 'repository'> & { repository: Repository }
