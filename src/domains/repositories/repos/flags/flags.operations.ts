import { Type } from '@sinclair/typebox'
import { listed, noContent } from '../../../../core/http/answer/answer.ts'
import { requireSiteAdmin } from '../../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Guards } from '../../../../core/module.ts'
import type { RepoInView } from '../lookup.ts'
import { ReplaceFlagsOption } from '../repos.model.ts'
import type { RepoFlags } from './flags.service.ts'

const PATH = '/repos/{owner}/{repo}/flags'

interface FlagOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly repoFlags: RepoFlags
  /** Whether flags are enabled. */
  readonly isEnabled: boolean
}

/**
 * Operations on flags of repositories, for site administrators if flags are enabled
 * (behaviour/repositories#flags-activity-feed-adoption).
 */
export function flagOperations(deps: FlagOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository', 'admin'], guard: flagGuard(deps) } as const
  return [...allFlags(deps, common), ...oneFlag(deps, common)]
}

type Common = Pick<Operation, 'area' | 'scopes'> & { readonly guard: Guard<RepoInView> }

function flagGuard({ guards, isEnabled }: FlagOperationDeps): Guard<RepoInView> {
  const see = guards.repo('see', { needsUser: true })
  return {
    ...see,
    describe: 'a site administrator, where flags are switched on',
    resolve(input) {
      if (!isEnabled) throw notFound('flags are not enabled')
      return see.resolve(input)
    },
    decide: (_, { viewer }) => requireSiteAdmin(viewer),
  }
}

function allFlags({ repoFlags }: FlagOperationDeps, common: Common): Operation[] {
  const change = { ...common, responses: { 204: null }, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListFlags',
      method: 'GET',
      path: PATH,
      summary: "List a repository's flags",
      query: pagingQuery,
      responses: { 200: Type.Array(Type.String()) },
      errors: [403, 404],
      handler: async ({ access: { repo }, paging }) =>
        listed(await repoFlags.list(repo, paging), undefined, { link: false }),
    }),
    defineOperation({
      ...change,
      id: 'repoReplaceAllFlags',
      method: 'PUT',
      path: PATH,
      summary: "Replace a repository's flags",
      body: ReplaceFlagsOption,
      async handler({ access: { repo }, body }) {
        await repoFlags.replace(repo, body.flags ?? [])
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoDeleteAllFlags',
      method: 'DELETE',
      path: PATH,
      summary: "Remove a repository's flags",
      async handler({ access: { repo } }) {
        await repoFlags.replace(repo, [])
        return noContent()
      },
    }),
  ]
}

function oneFlag({ repoFlags }: FlagOperationDeps, common: Common): Operation[] {
  const change = { ...common, responses: { 204: null }, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...change,
      id: 'repoCheckFlag',
      method: 'GET',
      path: `${PATH}/{flag}`,
      summary: 'Whether a repository has a flag',
      async handler({ access: { repo }, params }) {
        if (!(await repoFlags.has(repo, params.flag))) throw notFound('the repository does not have the flag')
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoAddFlag',
      method: 'PUT',
      path: `${PATH}/{flag}`,
      summary: 'Put a flag on a repository',
      async handler({ access: { repo }, params }) {
        await repoFlags.add(repo, params.flag)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoDeleteFlag',
      method: 'DELETE',
      path: `${PATH}/{flag}`,
      summary: 'Take a flag from a repository',
      async handler({ access: { repo }, params }) {
        await repoFlags.delete(repo, params.flag)
        return noContent()
      },
    }),
  ]
}
