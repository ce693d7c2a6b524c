import { Type } from '@sinclair/typebox'

export const pullRequestSection = Type.Object(
  {
    work_in_progress_prefixes: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      default: ['WIP:', '[WIP]'],
      description: 'Titles that begin with one of these, in any case, make a pull request a draft.',
    }),
    retarget_children_on_merge: Type.Boolean({
      default: true,
      description:
        'Give pull requests into a deleted branch another base: that of the merged pull request from it, else the default branch. Off: close them.',
    }),
    add_co_committer_trailers: Type.Boolean({
      default: true,
      description: 'A squashed commit that another account than the poster makes names the poster in trailers.',
    }),
    merge_queue_batch_size: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 50,
      description: 'Pull requests that a merge queue tests and merges together.',
    }),
    merge_queue_timeout: Type.Integer({
      default: 3600,
      minimum: 1,
      maximum: 604_800,
      description: 'Seconds after which a merge queue takes required statuses that have not come as failed.',
    }),
  },
  { additionalProperties: false, description: 'Pull requests.' },
)
