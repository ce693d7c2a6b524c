import { Type } from '@sinclair/typebox'

export const pullRequestSection = Type.Object(
  {
    work_in_progress_prefixes: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      default: ['WIP:', '[WIP]'],
      description: 'Title prefixes, in any case, that mark a pull request as a draft.',
    }),
    retarget_children_on_merge: Type.Boolean({
      default: true,
      description:
        'Retarget pull requests whose base branch is deleted: to the base of the merged pull request from it, else to the default branch. Off: close them.',
    }),
    add_co_committer_trailers: Type.Boolean({
      default: true,
      description:
        'Add trailers that name the author of a pull request to a squashed commit that another account creates.',
    }),
    merge_queue_batch_size: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 50,
      description: 'Maximum number of pull requests that a merge queue tests and merges together.',
    }),
    merge_queue_timeout: Type.Integer({
      default: 3600,
      minimum: 1,
      maximum: 604_800,
      description: 'Seconds until a merge queue treats missing required statuses as failed.',
    }),
  },
  { additionalProperties: false, description: 'Pull requests.' },
)
