import { Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { readStatuses, type RunStatus } from './run-status.policy.ts'

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

export const jobListQuery = Type.Object({ ...pagingMembers, ...status })

export const runListQuery = Type.Object({
  ...pagingMembers,
  ...status,
  event: word('As it is written in the workflow, such as push'),
  branch: word('The exact name of the branch', PATH_LENGTH),
  actor: word('The name of the user who caused the run'),
  head_sha: word('The full id of the commit'),
})

/** Throws BadRequest for an unknown word. */
export function requireStatuses(words: readonly string[] = []): readonly RunStatus[] {
  const found = readStatuses(words)
  if ('unknown' in found) throw badRequest(`Invalid status ${found.unknown}`)
  return found.statuses
}
