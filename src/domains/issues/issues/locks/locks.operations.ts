import { Type } from '@sinclair/typebox'
import { noContent } from '../../../../core/http/answer/answer.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import type { IssueLocks } from './locks.service.ts'

const LockIssueOption = Type.Object(
  { lock_reason: Type.Optional(Type.String({ maxLength: NAME_LENGTH })) },
  { $id: 'LockIssueOption' },
)

const LOCK = '/repos/{owner}/{repo}/issues/{index:int}/lock'

interface LockOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly locks: IssueLocks
}

/** Locks of issues and pull requests (behaviour/issues#lock). */
export function lockOperations({ guards, locks }: LockOperationDeps): Operation[] {
  const common = {
    area: 'issue',
    scopes: ['issue'],
    path: LOCK,
    guard: guards.issue('admin'),
    responses: { 204: null },
    errors: [403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'issueLockIssue',
      method: 'PUT',
      summary: 'Lock an issue: only writers comment and react',
      body: LockIssueOption,
      async handler({ access, viewer, body }) {
        await locks.lock(requireUser(viewer), access, body.lock_reason ?? '')
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'issueUnlockIssue',
      method: 'DELETE',
      summary: 'Unlock an issue',
      async handler({ access, viewer }) {
        await locks.unlock(requireUser(viewer), access)
        return noContent()
      },
    }),
  ]
}
