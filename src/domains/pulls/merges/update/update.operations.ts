import { Type } from '@sinclair/typebox'
import { ok } from '../../../../core/http/answer/answer.ts'
import { OneOf } from '../../../../core/http/answer/text.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import { UpdatedHead } from '../merge.model.ts'
import type { Merges } from '../merges.service.ts'

interface UpdateOperationDeps {
  readonly guards: Pick<Guards, 'pull'>
  readonly merges: Pick<Merges, 'update'>
}

/** Bringing a head up to date with its base (behaviour/pull-requests#diff-commits-files-update). */
export const updateOperations = ({ guards, merges }: UpdateOperationDeps): Operation[] => [
  defineOperation({
    area: 'repository',
    scopes: ['repository'],
    id: 'repoUpdatePullRequest',
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls/{index:int}/update',
    summary: 'Bring the head of a pull request up to date with its base',
    guard: guards.pull('read', { needsUser: true }),
    query: Type.Object({ style: Type.Optional(OneOf('merge', 'rebase')) }),
    responses: { 200: UpdatedHead },
    errors: [401, 403, 404, 409, 413, 422],
    async handler({ access, viewer, query }) {
      const sha = await merges.update(requireUser(viewer), access, query.style === 'rebase' ? 'rebase' : 'merge')
      return ok({ sha, message: `Brought up to date with ${access.pull.baseBranch}` })
    },
  }),
]
