import { noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { ForkState, ForkSyncs } from './fork-syncs.service.ts'
import { SyncForkInfo } from './fork.model.ts'

interface SyncForkOperationDeps {
  readonly forkSyncs: ForkSyncs
  readonly guards: Pick<Guards, 'repo'>
}

const PATH = '/repos/{owner}/{repo}/sync_fork'

const present = ({ allowed, forkCommit, baseCommit, behind }: ForkState) => ({
  allowed,
  fork_commit: forkCommit,
  base_commit: baseCommit,
  commits_behind: behind,
})

/** Undefined where the path has none. */
const branchOf = (params: Readonly<Record<string, string | number>>): string | undefined => params['branch']?.toString()

/**
 * Moving branches of forks forward to their base (behaviour/repositories#forks); without `{branch}` it is the default
 * branch.
 */
export function syncForkOperations({ forkSyncs, guards }: SyncForkOperationDeps): Operation[] {
  return [...ofPath(PATH, 'Default', 'the default branch'), ...ofPath(`${PATH}/{branch*}`, 'Branch', 'a branch')]

  function ofPath(path: string, id: string, what: string): Operation[] {
    const common = { path, area: 'repository', scopes: ['repository'] } as const
    return [
      defineOperation({
        ...common,
        id: `repoSyncFork${id}Info`,
        method: 'GET',
        summary: `How ${what} of a fork stands to its base`,
        guard: guards.repo('read', { unit: 'repo.code' }),
        responses: { 200: SyncForkInfo },
        errors: [400, 403, 404],
        handler: async ({ viewer, access: { repo }, params }) =>
          ok(present(await forkSyncs.state(viewer, repo, branchOf(params)))),
      }),
      defineOperation({
        ...common,
        id: `repoSyncFork${id}`,
        method: 'POST',
        summary: `Move ${what} of a fork forward to its base`,
        guard: guards.repo('write', { unit: 'repo.code' }),
        responses: { 204: null },
        errors: [400, 403, 404, 413],
        async handler({ viewer, access, params }) {
          await forkSyncs.forward(requireUser(viewer), access, branchOf(params))
          return noContent()
        },
      }),
    ]
  }
}
