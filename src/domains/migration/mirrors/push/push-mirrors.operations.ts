import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Guards } from '../../../../core/module.ts'
import { CreatePushMirrorOption, PushMirror, PushMirrorsSynced } from './push-mirror.model.ts'
import { presentPushMirror } from './push-mirror.present.ts'
import type { PushMirrors } from './push-mirrors.service.ts'

interface PushMirrorOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly pushMirrors: PushMirrors
}

const common = { area: 'repository', scopes: ['repository'] } as const

/**
 * Push mirrors (behaviour/repositories#push-mirrors). COMPAT: anonymous clients get 403 here instead of 401
 * (test/migration/push-mirrors.test.ts).
 */
export function pushMirrorOperations(deps: PushMirrorOperationDeps): Operation[] {
  return [...readOperations(deps), ...writeOperations(deps)]
}

function readOperations({ guards, pushMirrors }: PushMirrorOperationDeps): Operation[] {
  const reading = guards.repo('admin', { needsUser: false })
  return [
    defineOperation({
      ...common,
      id: 'repoListPushMirrors',
      method: 'GET',
      path: '/repos/{owner}/{repo}/push_mirrors',
      summary: 'List the push mirrors of a repository',
      guard: reading,
      query: pagingQuery,
      responses: { 200: Type.Array(PushMirror) },
      errors: [400, 403, 404],
      async handler({ access: { repo }, paging }) {
        const page = await pushMirrors.list(repo, paging)
        return listed(
          page,
          page.items.map((mirror) => presentPushMirror(mirror, repo)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetPushMirrorByRemoteName',
      method: 'GET',
      path: '/repos/{owner}/{repo}/push_mirrors/{name}',
      summary: 'A push mirror by its remote name',
      guard: reading,
      responses: { 200: PushMirror },
      errors: [400, 403, 404],
      handler: async ({ access: { repo }, params }) =>
        ok(presentPushMirror(await pushMirrors.get(repo, params.name), repo)),
    }),
  ]
}

function writeOperations({ guards, pushMirrors }: PushMirrorOperationDeps): Operation[] {
  const writing = guards.repo('admin', { needsUser: false, archived: 'refuse' })
  return [
    defineOperation({
      ...common,
      id: 'repoAddPushMirror',
      method: 'POST',
      path: '/repos/{owner}/{repo}/push_mirrors',
      summary: 'Let a repository of another server follow this one',
      guard: writing,
      body: CreatePushMirrorOption,
      responses: { 200: PushMirror },
      errors: [400, 401, 403, 404, 422, 423],
      async handler({ access: { repo }, body }) {
        const mirror = await pushMirrors.create(repo, {
          address: body.remote_address ?? '',
          username: body.remote_username ?? '',
          password: body.remote_password ?? '',
          branchFilter: body.branch_filter ?? '',
          interval: body.interval ?? '',
          isOnCommit: body.sync_on_commit ?? false,
          isSsh: body.use_ssh ?? false,
        })
        return ok(presentPushMirror(mirror, repo))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeletePushMirror',
      method: 'DELETE',
      path: '/repos/{owner}/{repo}/push_mirrors/{name}',
      summary: 'Forget a push mirror; the other repository stays as it is',
      guard: writing,
      responses: { 204: null },
      errors: [400, 403, 404, 423],
      async handler({ access: { repo }, params }) {
        await pushMirrors.delete(repo, params.name)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoPushMirrorSync',
      method: 'POST',
      path: '/repos/{owner}/{repo}/push_mirrors-sync',
      summary: 'Push to all push mirrors now; answers when done',
      guard: writing,
      responses: { 200: PushMirrorsSynced },
      errors: [400, 403, 404, 423, 503],
      async handler({ access: { repo } }) {
        return ok({ synced: await pushMirrors.syncAll(repo) })
      },
    }),
  ]
}
