import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { LinkUrl, OneOf } from '../../../core/http/answer/text.ts'
import { Repository } from '../../repositories/index.ts'
import { UserModel as User } from '../../accounts/index.ts'

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

export const CreateStatusOption = Type.Object(
  {
    state: OneOf('pending', 'success', 'error', 'failure', 'warning', 'skipped'),
    target_url: Type.Optional(
      LinkUrl({
        maxLength: 2048,
        'x-field': 'TargetURL',
        description: 'Where the result is shown: an http(s) address, or a path of this server',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    context: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'What reports: later results of the same context take the place of earlier ones',
      }),
    ),
  },
  { $id: 'CreateStatusOption' },
)
export type CreateStatusOption = Static<typeof CreateStatusOption>
