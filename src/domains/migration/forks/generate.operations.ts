import { created, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type Repos, Repository, TEMPLATE_ITEMS, presentRepo } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import { MergeUpstreamRequest, MergeUpstreamResponse, GenerateRepoOption } from './fork.model.ts'
import type { RepoGenerator } from './repo-generator.service.ts'
import type { Upstreams } from './upstreams.service.ts'

interface GenerateOperationDeps {
  readonly repoGenerator: RepoGenerator
  readonly guards: Pick<Guards, 'repo'>
  readonly repos: Repos
  readonly site: Site
  readonly upstreams: Upstreams
}

/**
 * Repositories generated from templates, and forks updated from their base
 * (behaviour/repositories#generating-from-a-template, behaviour/repositories#forks).
 */
export function generateOperations({
  repoGenerator,
  guards,
  repos,
  site,
  upstreams,
}: GenerateOperationDeps): Operation[] {
  const template = guards.repo('read', {
    unit: 'repo.code',
    needsUser: true,
    find: (viewer, params) => repos.getInView(viewer, params['template_owner']!, params['template_repo']!),
  })
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
        const made = await repoGenerator.generate(requireUser(viewer), repo, {
          owner: body.owner ?? '',
          name: body.name,
          description: body.description ?? '',
          isPrivate: body.private ?? false,
          defaultBranch: body.default_branch ?? '',
          items: new Set(TEMPLATE_ITEMS.filter((item) => body[item] === true)),
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
          merge_type: await upstreams.merge(requireUser(viewer), access, {
            branch: body.branch ?? '',
            onlyForward: body.ff_only ?? false,
          }),
        })
      },
    }),
  ]
}
