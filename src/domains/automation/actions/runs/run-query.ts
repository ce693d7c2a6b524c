import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { badRequest, invalid } from '../../../../core/platform/errors.ts'
import { readStatuses, RUN_STATUSES, type RunStatus } from './run-status.policy.ts'

const word = (description: string, maxLength = NAME_LENGTH) => Type.Optional(Type.String({ maxLength, description }))

const status = {
  status: Type.Optional(
    Type.Array(Type.String({ maxLength: NAME_LENGTH }), {
      maxItems: LIST_ITEMS,
      description:
        'queued, pending, waiting, requested, action_required, in_progress, completed, success, failure, cancelled, ' +
        'timed_out, skipped or neutral; any of several',
    }),
  ),
}

export const jobListQuery = Type.Object({
  ...pagingMembers,
  ...status,
  sort: word('id, the only order'),
  order: word('asc or desc'),
})

export const runListQuery = Type.Object({
  ...pagingMembers,
  ...status,
  event: Type.Optional(
    Type.Array(Type.String({ maxLength: NAME_LENGTH }), {
      maxItems: LIST_ITEMS,
      description: 'As it is written in the workflow, such as push; any of several',
    }),
  ),
  branch: word('The exact name of the branch', PATH_LENGTH),
  actor: word('The name of the user who caused the run'),
  head_sha: word('The full id of the commit'),
  ref: word('The full name of the ref, such as refs/heads/main', PATH_LENGTH),
  workflow_id: word('The file name of the workflow'),
  run_number: Type.Optional(Type.Integer({ minimum: 1, description: 'The number of the run in its repository' })),
  exclude_pull_requests: Type.Optional(Type.Boolean({ description: 'Leave `pull_requests` of the runs empty' })),
})

export const taskListQuery = Type.Object({
  ...pagingMembers,
  status: Type.Optional(
    Type.Array(Type.String({ maxLength: NAME_LENGTH }), {
      maxItems: LIST_ITEMS,
      description: `${RUN_STATUSES.join(', ')}; any of several`,
    }),
  ),
})

/** Tasks have other words than runs and jobs. Throws BadRequest for an unknown one. */
export function readTaskStatuses({ status: words = [] }: Static<typeof taskListQuery>): readonly RunStatus[] {
  const unknown = words.find((word) => !RUN_STATUSES.includes(word as RunStatus))
  if (unknown !== undefined) throw invalidStatus(unknown)
  return words as RunStatus[]
}

const invalidStatus = (word: string): Error => badRequest(`Invalid status ${word}`)

/** The members of the query that select runs. Throws BadRequest for an unknown status. */
export const readRunFilter = (query: Static<typeof runListQuery>) => ({
  statuses: requireStatuses(query.status),
  events: query.event ?? [],
  branch: query.branch,
  actor: query.actor,
  oid: query.head_sha,
  ref: query.ref,
  workflow: query.workflow_id,
  number: query.run_number,
})

/** Throws BadRequest for an unknown status and Invalid for an unknown order. */
export function readJobQuery({ status, sort = 'id', order = 'asc' }: Static<typeof jobListQuery>) {
  if (sort !== 'id') throw invalid('sort must be id')
  if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc')
  return { statuses: requireStatuses(status), order } as const
}

/** Throws BadRequest for an unknown word. */
function requireStatuses(words: readonly string[] = []): readonly RunStatus[] {
  const found = readStatuses(words)
  if ('unknown' in found) throw invalidStatus(found.unknown)
  return found.statuses
}
