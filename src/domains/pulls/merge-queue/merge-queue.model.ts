import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { UserModel } from '../../accounts/index.ts'

const Time = Type.String({ format: 'date-time' })

const MergeQueueBatch = Type.Object(
  {
    id: Type.Integer(),
    ref: Type.String({ description: 'What points to the commit that is tested' }),
    base_sha: Type.String({ description: 'The tip of the branch that it is built upon; empty before' }),
    sha: Type.String({ description: 'The commit that required statuses are reported for; empty before it is built' }),
    built_at: Nullable(Time),
  },
  { $id: 'MergeQueueBatch' },
)

export const MergeQueueEntry = Type.Object(
  {
    position: Type.Integer({ description: 'From 1, which is merged first' }),
    state: Type.String({ description: 'waiting, building, testing or merging' }),
    pull_request: Type.Object({
      number: Type.Integer(),
      title: Type.String(),
      url: Type.String(),
      html_url: Type.String(),
      head_sha: Type.String({ description: 'The head that was queued' }),
    }),
    style: Type.String({ description: 'As Do of the merge' }),
    /** The account that queued the pull request and will merge it; null when it was deleted. */
    user: Nullable(UserModel),
    queued_at: Time,
    merge_commit_sha: Type.String({ description: 'The commit that merges it in its batch; empty before it is built' }),
    batch: Nullable(MergeQueueBatch),
    last_failure: Type.String({ description: 'Why the last batch with it failed; empty for none' }),
  },
  { $id: 'MergeQueueEntry' },
)
export type MergeQueueEntry = Static<typeof MergeQueueEntry>

export const EditMergeQueueEntryOption = Type.Object(
  {
    position: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'From 1; one behind the end is the end',
    }),
  },
  { $id: 'EditMergeQueueEntryOption' },
)
