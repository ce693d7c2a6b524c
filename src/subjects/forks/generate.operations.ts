import type { AreaDeps } from '../../app/deps.ts'
import { created, ok } from '../../http/answer.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import type { RepoInView } from '../repos/lookup.ts'
import { presentRepo } from '../repos/repo.present.ts'
import { Repository } from '../repos/repository.model.ts'
import { MergeUpstreamRequest, MergeUpstreamResponse } from './fork.model.ts'
import { GenerateRepoOption } from './generate-repo.model.ts'
import { TEMPLATE_ITEMS } from './generate-repo.ts'

type Deps = Pick<AreaDeps, 'code' | 'generateRepo' | 'guards' | 'repos' | 'site'>

/** Repositories made after another one, and forks brought up to their base (reference repositories §5, §6). */
export function generateOperations({ code, generateRepo, guards, repos, site }: Deps): Operation[] {
  const template: Guard<RepoInView> = {
    ...guards.repo('read', { unit: 'repo.code', needsUser: true }),
    resolve: ({ viewer, params }) => repos.getInView(viewer, params['template_owner']!, params['template_repo']!),
  }
  const common = { method: 'POST', area: 'repository', scopes: ['repository'] } as const
  return [
    defineOperation({
      ...common,
      id: 'generateRepo',
      path: '/repos/{template_owner}/{template_repo}/generate',
      summary: 'Create a repository after a template',
      guard: template,
      body: GenerateRepoOption,
      responses: { 201: Repository },
      errors: [403, 404, 409, 413, 422],
      async handler({ viewer, access: { repo }, body }) {
        const {
          owner = '',
          name,
          description = '',
          private: isPrivate = false,
          default_branch: defaultBranch = '',
        } = body
        const items = new Set(TEMPLATE_ITEMS.filter((item) => body[item] === true))
        const made = await generateRepo(requireUser(viewer), repo, {
          owner,
          name,
          description,
          isPrivate,
          defaultBranch,
          items,
        })
        return created(presentRepo(await repos.viewOfCreator(viewer, made), site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoMergeUpstream',
      path: '/repos/{owner}/{repo}/merge-upstream',
      summary: 'Bring a branch of a fork up to its base',
      guard: guards.repo('write', { unit: 'repo.code', archived: 'refuse' }),
      body: MergeUpstreamRequest,
      responses: { 200: MergeUpstreamResponse },
      errors: [400, 403, 404, 409, 413, 423],
      async handler({ viewer, access, body }) {
        return ok({
          merge_type: await code.upstreams.merge(requireUser(viewer), access, {
            branch: body.branch ?? '',
            onlyForward: body.ff_only ?? false,
          }),
        })
      },
    }),
  ]
}
