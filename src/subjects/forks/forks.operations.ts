import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../access/viewer.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { accepted, listed } from '../../http/answer.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingQuery } from '../../http/paging-members.ts'
import { forbidden, notFound } from '../../platform/errors.ts'
import { presentRepo } from '../repos/repo.present.ts'
import { Repository } from '../repos/repository.model.ts'
import type { User } from '../users/user.store.ts'
import { CreateForkOption } from './fork.model.ts'

/** Forks of a repository (reference repositories §6). */
export function forkOperations({
  config,
  forks,
  guards,
  orgs,
  repos,
  site,
  users,
}: Pick<AreaDeps, 'config' | 'forks' | 'guards' | 'orgs' | 'repos' | 'site' | 'users'>): Operation[] {
  const requireForks = (): void => {
    if (config.repository.disable_forks) throw notFound('forks are disabled')
  }
  const findOwner = async (viewer: SignedIn, organization: string | undefined): Promise<User> => {
    if (!organization) return users.getOwn(viewer)
    const { org } = await orgs.getInView(viewer, organization)
    if (!(await repos.mayCreateFor(viewer, org)))
      throw forbidden('User is not allowed to create repositories in this organization.')
    return org
  }
  return [
    defineOperation({
      id: 'listForks',
      method: 'GET',
      path: '/repos/{owner}/{repo}/forks',
      area: 'repository',
      summary: 'List the forks of a repository',
      scopes: ['repository'],
      guard: guards.repo('see'),
      query: pagingQuery,
      responses: { 200: Type.Array(Repository) },
      errors: [404],
      async handler({ viewer, access: { repo }, paging }) {
        requireForks()
        const page = await forks.list(viewer, repo, paging)
        return listed(
          page,
          (await repos.views(viewer, page.items)).map((view) => presentRepo(view, site)),
          { link: false },
        )
      },
    }),
    defineOperation({
      id: 'createFork',
      method: 'POST',
      path: '/repos/{owner}/{repo}/forks',
      area: 'repository',
      summary: 'Fork a repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code', needsUser: true }),
      body: CreateForkOption,
      responses: { 202: Repository },
      errors: [403, 404, 409, 413, 422],
      async handler({ viewer, access: { repo }, body }) {
        requireForks()
        const caller = requireUser(viewer)
        const fork = await forks.create(caller, repo, {
          owner: await findOwner(caller, body.organization),
          name: body.name || repo.name,
        })
        return accepted(presentRepo(await repos.viewOfCreator(viewer, fork), site))
      },
    }),
  ]
}
