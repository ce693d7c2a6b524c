import { Type } from '@sinclair/typebox'
import { accepted, created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { asId, type SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import { invalidField } from '../../../core/platform/errors.ts'
import {
  AuthSource,
  AuthSourceTest,
  CreateAuthSourceOption,
  EditAuthSourceOption,
  TestAuthSourceOption,
} from './source.model.ts'
import { presentSource, presentTest } from './source.present.ts'
import { type SourceKind, sourceKinds } from './source-kind.ts'
import type { SourceTest } from './source-test.service.ts'
import type { SignInSource, SignInSources } from './sources.service.ts'

interface Deps {
  readonly sources: SignInSources
  readonly test: SourceTest
  /** Starts a synchronization. */
  readonly requestSync: (id: SignInSourceId) => Promise<void>
}

const present = (source: SignInSource): AuthSource => presentSource(source, sourceKinds[source.kind].secrets)

/** Throws Invalid for settings of another kind, which would have no effect. */
function settingsOf(kind: SourceKind, body: Pick<CreateAuthSourceOption, SourceKind>): object | undefined {
  for (const other of Object.keys(sourceKinds) as SourceKind[])
    if (other !== kind && body[other] !== undefined)
      throw invalidField(other === 'ldap' ? 'Ldap' : 'Oidc', `the source is of the kind ${kind}`)
  return body[kind]
}

/** Administration of sign-in sources, beyond the contract (docs/operate/sign-in.md). */
export const sourceOperations = (deps: Deps): Operation[] => [...collection(deps), ...single(deps), ...directory(deps)]

function collection({ sources }: Deps): Operation[] {
  const common = { path: '/admin/auth-sources', area: 'admin', scopes: ['admin'], guard: siteAdmin } as const
  return [
    defineOperation({
      ...common,
      id: 'adminListAuthSources',
      method: 'GET',
      summary: 'List sign-in sources',
      query: pagingQuery,
      responses: { 200: Type.Array(AuthSource) },
      errors: [403],
      async handler({ paging }) {
        const page = await sources.list(paging)
        return listed(page, page.items.map(present))
      },
    }),
    defineOperation({
      ...common,
      id: 'adminCreateAuthSource',
      method: 'POST',
      summary: 'Create a sign-in source',
      body: CreateAuthSourceOption,
      responses: { 201: AuthSource },
      errors: [403, 409, 422],
      async handler({ access, body }) {
        const { name, kind, is_active: isActive } = body
        const settings = settingsOf(kind, body) ?? {}
        return created(present(await sources.create(access, { name, kind, isActive, settings })))
      },
    }),
  ]
}

function single({ sources }: Deps): Operation[] {
  const common = {
    path: '/admin/auth-sources/{id:int}',
    params: { id: asId<SignInSourceId> },
    area: 'admin',
    scopes: ['admin'],
    guard: siteAdmin,
  } as const
  return [
    defineOperation({
      ...common,
      id: 'adminGetAuthSource',
      method: 'GET',
      summary: 'A sign-in source',
      responses: { 200: AuthSource },
      errors: [403, 404],
      handler: async ({ params }) => ok(present(await sources.get(params.id))),
    }),
    defineOperation({
      ...common,
      id: 'adminEditAuthSource',
      method: 'PATCH',
      summary: 'Edit a sign-in source',
      body: EditAuthSourceOption,
      responses: { 200: AuthSource },
      errors: [403, 404, 409, 422],
      async handler({ access, params, body }) {
        const { name, is_active: isActive } = body
        const { kind } = await sources.get(params.id)
        const settings = settingsOf(kind, body)
        return ok(present(await sources.edit(access, params.id, { name, isActive, settings })))
      },
    }),
    defineOperation({
      ...common,
      id: 'adminDeleteAuthSource',
      method: 'DELETE',
      summary: 'Delete a sign-in source to which no account belongs',
      responses: { 204: null },
      errors: [403, 404, 409],
      async handler({ access, params }) {
        await sources.delete(access, params.id)
        return noContent()
      },
    }),
  ]
}

function directory({ sources, test, requestSync }: Deps): Operation[] {
  const common = {
    method: 'POST',
    params: { id: asId<SignInSourceId> },
    area: 'admin',
    scopes: ['admin'],
    guard: siteAdmin,
    errors: [403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      path: '/admin/auth-sources/{id:int}/test',
      id: 'adminTestAuthSource',
      summary: 'Ask a sign-in source, without changing anything',
      body: TestAuthSourceOption,
      responses: { 200: AuthSourceTest },
      handler: async ({ params, body }) => ok(presentTest(await test(await sources.get(params.id), body))),
    }),
    defineOperation({
      ...common,
      path: '/admin/auth-sources/{id:int}/sync',
      id: 'adminSyncAuthSource',
      summary: 'Compare the accounts of a sign-in source with its directory, in the background',
      responses: { 202: AuthSource },
      async handler({ params }) {
        const source = await sources.getDirectory(params.id)
        await requestSync(source.id)
        return accepted(present(source))
      },
    }),
  ]
}
