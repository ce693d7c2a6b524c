import { created, ok, noContent } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { Repository, TEMPLATE_ITEMS, presentRepo } from '../../repositories/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { MergeUpstreamRequest, MergeUpstreamResponse, GenerateRepoOption, SyncForkInfo } from './fork.model.ts'
import type { RepoGenerator } from './repo-generator.service.ts'
import type { Upstreams } from './upstreams.service.ts'
import type { ForkState, ForkSyncs } from './forks.service.ts'

interface GenerateOperationDeps {
  readonly repoGenerator: RepoGenerator
  readonly guards: Pick<Guards, 'repo'>
  readonly repos: Services['repos']
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

/** Undefined if the path contains no branch. */
const branchOf = (params: Readonly<Record<string, string | number>>): string | undefined => params['branch']?.toString()

/**
 * Fast-forwards branches of forks to their base (behaviour/repositories#forks); the default branch without `{branch}`.
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
