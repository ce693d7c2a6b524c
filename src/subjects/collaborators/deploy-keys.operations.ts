import { Type } from '@sinclair/typebox'
import { deployAccess } from '../../access/repo-access.ts'
import { isSelf, isSiteAdmin, type Viewer } from '../../access/viewer.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { created, listed, noContent, ok } from '../../http/answer.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingMembers } from '../../http/paging-members.ts'
import { parseInteger } from '../../platform/paging.ts'
import { CreateKeyOption } from '../keys/public-key.model.ts'
import { presentRepo } from '../repos/repo.present.ts'
import type { Repo } from '../repos/repo.store.ts'
import type { Repository } from '../repos/repository.model.ts'
import { DeployKey } from './deploy-key.model.ts'
import { presentDeployKey } from './deploy-key.present.ts'
import type { DeployKey as Key } from './deploy-key.store.ts'

const PATH = '/repos/{owner}/{repo}/keys'

/** Deploy keys of a repository (reference repositories §23). */
export function deployKeyOperations({
  deployKeys,
  guards,
  repos,
  site,
}: Pick<AreaDeps, 'deployKeys' | 'guards' | 'repos' | 'site'>): Operation[] {
  const common = { area: 'repository', scopes: ['repository'], guard: guards.repo('admin') } as const
  /** Site administrators and the user who owns it see the repository as the key does. */
  const show = async (viewer: Viewer, repo: Repo): Promise<(key: Key) => Repository | undefined> => {
    if (!isSiteAdmin(viewer) && !isSelf(viewer, repo.ownerId)) return () => undefined
    const view = await repos.viewOfCreator(viewer, repo)
    return (key) => presentRepo({ ...view, access: deployAccess(repo, key.isReadOnly) }, site)
  }
  return [
    defineOperation({
      ...common,
      id: 'repoListKeys',
      method: 'GET',
      path: PATH,
      summary: 'List the deploy keys of a repository',
      query: Type.Object({
        key_id: Type.Optional(Type.Integer({ description: 'Only the key with this id' })),
        fingerprint: Type.Optional(Type.String({ description: 'Only the key with this SHA256: fingerprint' })),
        ...pagingMembers,
      }),
      responses: { 200: Type.Array(DeployKey) },
      errors: [403, 404],
      async handler({ viewer, access: { repo }, query, paging }) {
        const page = await deployKeys.list(
          repo,
          { keyId: query.key_id || undefined, fingerprint: query.fingerprint || undefined },
          paging,
        )
        const shown = await show(viewer, repo)
        return listed(
          page,
          page.items.map((key) => presentDeployKey(key, repo, shown(key), site)),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetKey',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'A deploy key',
      responses: { 200: DeployKey },
      errors: [403, 404],
      async handler({ viewer, access: { repo }, params }) {
        const key = await deployKeys.get(repo, parseInteger(params['id']))
        return ok(presentDeployKey(key, repo, (await show(viewer, repo))(key), site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoCreateKey',
      method: 'POST',
      path: PATH,
      summary: 'Add a deploy key; without read_only it may push',
      body: CreateKeyOption,
      responses: { 201: DeployKey },
      errors: [403, 404, 422],
      async handler({ viewer, access: { repo }, body }) {
        const key = await deployKeys.add(requireUser(viewer), repo, {
          title: body.title,
          key: body.key,
          isReadOnly: body.read_only ?? false,
        })
        return created(presentDeployKey(key, repo, undefined, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteKey',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a deploy key',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access: { repo }, params }) {
        await deployKeys.remove(requireUser(viewer), repo, parseInteger(params['id']))
        return noContent()
      },
    }),
  ]
}
