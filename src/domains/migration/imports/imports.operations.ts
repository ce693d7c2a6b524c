import { Type } from '@sinclair/typebox'
import type { Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import {
  accepted,
  created,
  listed,
  noContent,
  ok,
  unknownWords,
  withWarnings,
} from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { EventStream, type Streams } from '../../../core/streams/index.ts'
import { Repository, presentRepo } from '../../repositories/index.ts'
import type { ImportPublisher } from './import-publisher.ts'
import type { Imports } from './imports.service.ts'
import { MigrateRepoOptions } from './migrate-repo.model.ts'
import { parseUserList } from './mapped-users.ts'
import { RepoMigration } from './migration.model.ts'
import { presentMigration } from './migration.present.ts'
import { type NewImport, isService, METADATA_PARTS } from './new-import.ts'
import type { RepoImport } from './records/repo-import.store.ts'

/** Maximum size of a body with `user_list`. */
const BODY_WITH_USERS_BYTES = 16 * 1024 * 1024

interface ImportOperationDeps {
  readonly imports: Imports
  readonly repos: Services['repos']
  readonly site: Site
  readonly streams: Pick<Streams, 'open'>
  readonly publisher: Pick<ImportPublisher, 'channel'>
}

/** Imports from other servers (behaviour/repositories#imports-and-pull-mirrors). */
export function importOperations({ imports, repos, site, streams, publisher }: ImportOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoMigrate',
      method: 'POST',
      path: '/repos/migrate',
      area: 'repository',
      summary: 'Import a repository of another server; answers when all of it is there, or at once with async=true',
      scopes: ['repository'],
      guard: signedIn,
      query: Type.Object({
        async: Type.Optional(
          Type.Boolean({ description: 'Answer 202 with the import, which goes on in the background' }),
        ),
      }),
      body: MigrateRepoOptions,
      bodyLimit: BODY_WITH_USERS_BYTES,
      responses: { 201: Repository, 202: RepoMigration },
      errors: [403, 409, 413, 422],
      async handler({ viewer, access: actor, query, body }) {
        const target = { owner: body.repo_owner, ownerId: body.uid }
        const unknown = unknownWords('service', [body.service ?? ''], isService)
        if (query.async === true) {
          const begun = await imports.start(actor, target, newImport(body))
          return withWarnings(accepted(await presentOne(imports, begun)), [...unknown, ...begun.warnings])
        }
        const { repo, warnings } = await imports.importRepo(actor, target, newImport(body))
        const answer = created(presentRepo(await repos.viewOfCreator(viewer, repo), site))
        return withWarnings(answer, [...unknown, ...warnings])
      },
    }),
    defineOperation({
      id: 'repoListMigrations',
      method: 'GET',
      path: '/repos/migrations',
      area: 'repository',
      summary: 'List the imports that the caller started, newest first',
      scopes: ['repository'],
      guard: signedIn,
      responses: { 200: Type.Array(RepoMigration) },
      errors: [],
      async handler({ access: actor, paging }) {
        const page = await imports.list(actor, paging)
        const names = await imports.ownerNames(page.items)
        return listed(
          page,
          page.items.map((found) => presentMigration(found, names.get(found.ownerId) ?? '')),
        )
      },
    }),
    defineOperation({
      id: 'repoGetMigration',
      method: 'GET',
      path: '/repos/migrations/{id:int}',
      area: 'repository',
      summary: 'Get an import with its progress',
      scopes: ['repository'],
      guard: signedIn,
      responses: { 200: RepoMigration },
      errors: [404],
      handler: async ({ access: actor, params }) => ok(await presentOne(imports, await imports.get(actor, params.id))),
    }),
    defineOperation({
      id: 'repoStreamMigration',
      method: 'GET',
      path: '/repos/migrations/{id:int}/events',
      area: 'repository',
      summary: 'The progress of an import, as server-sent events',
      scopes: ['repository'],
      guard: signedIn,
      responses: { 200: EventStream },
      errors: [404, 429],
      async handler({ viewer, access, reauthorization, network, headers, params }) {
        const { id } = await imports.get(access, params.id)
        const request = { viewer, access, reauthorization, network, lastEventId: headers['last-event-id'] }
        return streams.open<SignedIn>(request, publisher.channel(id))
      },
    }),
    defineOperation({
      id: 'repoCancelMigration',
      method: 'DELETE',
      path: '/repos/migrations/{id:int}',
      area: 'repository',
      summary: 'Stop an import and delete what it has imported',
      scopes: ['repository'],
      guard: signedIn,
      responses: { 204: null },
      errors: [404, 409],
      async handler({ access: actor, params }) {
        await imports.cancel(actor, params.id)
        return noContent()
      },
    }),
  ]
}

const presentOne = async (imports: Imports, found: RepoImport): Promise<RepoMigration> =>
  presentMigration(found, (await imports.ownerNames([found])).get(found.ownerId) ?? '')

function newImport(body: MigrateRepoOptions): NewImport {
  const { aws_access_key_id: id, aws_secret_access_key: secret } = body
  return {
    awsKeys: id && secret ? { id, secret } : undefined,
    address: body.clone_addr,
    name: body.repo_name,
    service: body.service,
    username: body.auth_username,
    password: body.auth_password,
    token: body.auth_token,
    description: body.description,
    isPrivate: body.private,
    isMirror: body.mirror,
    mirrorInterval: body.mirror_interval,
    wiki: body.wiki,
    lfs: body.lfs,
    lfsEndpoint: body.lfs_endpoint,
    changed: body.changes?.numbers,
    users: { ...body.users, ...parseUserList(body.user_list ?? '') },
    usersByEmail: body.users_by_email,
    keepsAssignees: body.keep_assignees,
    parts: new Set(METADATA_PARTS.filter((part) => body[part] === true)),
  }
}
