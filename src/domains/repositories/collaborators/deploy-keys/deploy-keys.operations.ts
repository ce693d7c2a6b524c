import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { deployAccess } from '../../../../core/access/repo-access.ts'
import { isSelf, isSiteAdmin, type Viewer } from '../../../../core/access/viewer.ts'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { CreateKeyOption } from '../../../accounts/index.ts'
import { presentRepo } from '../../repos/repo.present.ts'
import type { Repo } from '../../repos/repo.store.ts'
import type { Repos } from '../../repos/repos.service.ts'
import type { Repository } from '../../repos/repos.model.ts'
import type { Guards } from '../../../../core/module.ts'
import { DeployKey } from '../collaborator.model.ts'
import { presentDeployKey } from './deploy-key.present.ts'
import type { DeployKey as Key } from './deploy-key.store.ts'
import type { DeployKeys } from './deploy-keys.service.ts'

const PATH = '/repos/{owner}/{repo}/keys'

interface DeployKeyOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly deployKeys: DeployKeys
  readonly repos: Pick<Repos, 'viewOfCreator'>
  readonly site: Site
}

/** Deploy keys of a repository (behaviour/repositories#deploy-keys-git-hooks-avatar-signing-key). */
export function deployKeyOperations({ deployKeys, guards, repos, site }: DeployKeyOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository'], guard: guards.repo('admin') } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListKeys',
      method: 'GET',
      path: PATH,
      summary: 'List the deploy keys of a repository',
      query: Type.Object({
        key_id: Type.Optional(Type.Integer({ description: 'Only the key with this id' })),
        fingerprint: Type.Optional(
          Type.String({ maxLength: NAME_LENGTH, description: 'Only the key with this SHA256: fingerprint' }),
        ),
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
        const repoOf = await repoPresenter({ repos, site }, viewer, repo)
        return listed(
          page,
          page.items.map((key) => presentDeployKey(key, repo, repoOf(key), site)),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetKey',
      method: 'GET',
      path: `${PATH}/{id:int}`,
      summary: 'A deploy key',
      responses: { 200: DeployKey },
      errors: [403, 404],
      async handler({ viewer, access: { repo }, params }) {
        const key = await deployKeys.get(repo, params.id)
        const repoOf = await repoPresenter({ repos, site }, viewer, repo)
        return ok(presentDeployKey(key, repo, repoOf(key), site))
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
      path: `${PATH}/{id:int}`,
      summary: 'Delete a deploy key',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access: { repo }, params }) {
        await deployKeys.delete(requireUser(viewer), repo, params.id)
        return noContent()
      },
    }),
  ]
}

/**
 * Site administrators and the user who owns the repository get its representation with the permissions of the key;
 * others get none.
 */
async function repoPresenter(
  { repos, site }: Pick<DeployKeyOperationDeps, 'repos' | 'site'>,
  viewer: Viewer,
  repo: Repo,
): Promise<(key: Key) => Repository | undefined> {
  if (!isSiteAdmin(viewer) && !isSelf(viewer, repo.ownerId)) return () => undefined
  const view = await repos.viewOfCreator(viewer, repo)
  return (key) => presentRepo({ ...view, access: deployAccess(repo, key.isReadOnly) }, site)
}
