import type { Viewer } from '../../../core/access/viewer.ts'
import { accepted, created, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentRepo } from '../repos/repo.present.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repos } from '../repos/repos.service.ts'
import { Repository } from '../repos/repos.model.ts'
import type { Guards } from '../../../core/module.ts'
import { TransferRepoOption } from './transfer.model.ts'
import type { Transfers } from './transfers.service.ts'

const PATH = '/repos/{owner}/{repo}/transfer'

interface TransferOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly repos: Repos
  readonly site: Site
  readonly transfers: Transfers
}

/** Transfers of repositories to other owners (behaviour/repositories#transfers). */
export function transferOperations({ guards, repos, site, transfers }: TransferOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository'] } as const
  const recipient: Guard<RepoInView> = {
    ...guards.repo('known', {
      needsUser: true,
      find: (viewer, params) => transfers.getInView(viewer, params['owner']!, params['repo']!),
    }),
    describe: 'callers that may see the repository or accept its transfer',
  }
  /**
   * COMPAT: the response contains the permissions and watchers before the transfer
   * (test/repositories/transfer.test.ts).
   */
  const present = async (viewer: Viewer, { repo: before, access }: RepoInView): Promise<Repository> => {
    const repo = { ...(await repos.getById(before.id)), watchersCount: before.watchersCount }
    return presentRepo(await repos.view(viewer, { repo, access }), site)
  }
  return [
    defineOperation({
      ...common,
      id: 'repoTransfer',
      method: 'POST',
      path: PATH,
      summary: 'Hand a repository over; 201 when the new owner has to accept it first',
      guard: guards.repo('owner'),
      body: TransferRepoOption,
      responses: { 201: Repository, 202: Repository },
      errors: [403, 404, 409, 413, 422],
      async handler({ viewer, access: { repo, access }, body }) {
        const outcome = await transfers.start(requireUser(viewer), repo, {
          newOwner: body.new_owner,
          teamIds: body.team_ids,
        })
        const repository = await present(viewer, { repo, access })
        return outcome === 'done' ? accepted(repository) : created(repository)
      },
    }),
    defineOperation({
      ...common,
      id: 'acceptRepoTransfer',
      method: 'POST',
      path: `${PATH}/accept`,
      summary: 'Accept a repository that is handed to you or to an organization of yours',
      guard: recipient,
      responses: { 202: Repository },
      errors: [403, 404, 413, 422],
      async handler({ viewer, access: { repo, access } }) {
        await transfers.accept(requireUser(viewer), repo)
        return accepted(await present(viewer, { repo, access }))
      },
    }),
    defineOperation({
      ...common,
      id: 'rejectRepoTransfer',
      method: 'POST',
      path: `${PATH}/reject`,
      summary: 'Reject a repository that is handed to you or to an organization of yours',
      guard: recipient,
      responses: { 200: Repository },
      errors: [403, 404],
      async handler({ viewer, access: { repo, access } }) {
        await transfers.reject(requireUser(viewer), repo)
        return ok(await present(viewer, { repo, access }))
      },
    }),
  ]
}
