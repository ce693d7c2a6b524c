import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { asId, type SignInSourceId } from '../../../core/platform/crypto/ids.ts'
import { AuthSource, CreateAuthSourceOption, EditAuthSourceOption } from './source.model.ts'
import { presentSource } from './source.present.ts'
import { sourceKinds } from './source-kind.ts'
import type { SignInSource, SignInSources } from './sources.service.ts'

interface Deps {
  readonly sources: SignInSources
}

const present = (source: SignInSource): AuthSource => presentSource(source, sourceKinds[source.kind].secrets)

/** Administration of sign-in sources, beyond the contract (docs/operate/sign-in.md). */
export const sourceOperations = (deps: Deps): Operation[] => [...collection(deps), ...single(deps)]

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
        return created(present(await sources.create(access, { name, kind, isActive, settings: body[kind] ?? {} })))
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
        return ok(present(await sources.edit(access, params.id, { name, isActive, settings: body[kind] })))
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
