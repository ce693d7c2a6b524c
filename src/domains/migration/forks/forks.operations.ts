import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { accepted, listed } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { User } from '../../accounts/index.ts'
import { Repository, presentRepo } from '../../repositories/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { CreateForkOption } from './fork.model.ts'
import type { Forks } from './forks.service.ts'

interface ForkOperationDeps {
  readonly forks: Forks
  readonly guards: Pick<Guards, 'repo'>
  readonly orgs: Services['orgs']
  readonly repos: Services['repos']
  readonly site: Site
  readonly users: Services['users']
  /** Forking and lists of forks are disabled. */
  readonly isDisabled: boolean
}

/** Forks of a repository (behaviour/repositories#forks). */
export function forkOperations({
  forks,
  guards,
  orgs,
  repos,
  site,
  users,
  isDisabled,
}: ForkOperationDeps): Operation[] {
  const requireForks = (): void => {
    if (isDisabled) throw notFound('forks are disabled')
  }
  const findOwner = async (viewer: SignedIn, organization: string | undefined): Promise<User> => {
    if (!organization) return users.getOwn(viewer)
    const { org } = await orgs.getInView(viewer, organization)
    if (!(await repos.mayCreateFor(viewer, org))) throw errors.organizationCreateForbidden()
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
        const requester = requireUser(viewer)
        const fork = await forks.create(requester, repo, {
          owner: await findOwner(requester, body.organization),
          name: body.name || repo.name,
        })
        return accepted(presentRepo(await repos.viewOfCreator(viewer, fork), site))
      },
    }),
  ]
}
