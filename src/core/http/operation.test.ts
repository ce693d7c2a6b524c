import { Type } from '@sinclair/typebox'
import { expect, expectTypeOf, it } from 'vitest'
import { asId, type LabelId } from '../platform/crypto/ids.ts'
import { noContent } from './answer/answer.ts'
import { anyone } from './guards/account.guards.ts'
import { defineOperation } from './operation.ts'
import type { UploadReader } from './body/upload.ts'

const common = { area: 'issue', summary: 'x', guard: anyone, responses: { 204: null } } as const

it('handlers get what their operation declares', () => {
  const root = '/orgs/{org}/labels' as string
  const operation = defineOperation({
    ...common,
    id: 'a',
    method: 'PATCH',
    path: '/repos/{owner}/labels/{id:int}',
    params: { id: asId<LabelId> },
    query: Type.Object({ page: Type.Optional(Type.Integer()) }),
    body: Type.Object({ name: Type.String() }),
    handler(context) {
      expectTypeOf(context.params).toEqualTypeOf<{ readonly owner: string; readonly id: LabelId }>()
      expectTypeOf(context.query.page).toEqualTypeOf<number | undefined>()
      expectTypeOf(context.body.name).toEqualTypeOf<string>()
      expectTypeOf(context.access).toEqualTypeOf<undefined>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      // @ts-expect-error -- the path has no such parameter
      void context.params.repo
      // @ts-expect-error -- only streamed bodies are uploads
      void context.upload
      return noContent()
    },
  })
  defineOperation({
    ...common,
    id: 'b',
    method: 'POST',
    path: `${root}/{id:int}`,
    bodyKind: 'stream',
    handler({ upload, params, query, body }) {
      expectTypeOf(upload).toEqualTypeOf<UploadReader>()
      expectTypeOf(params).toEqualTypeOf<{ readonly id: number }>()
      expectTypeOf(query).toEqualTypeOf<undefined>()
      expectTypeOf(body).toEqualTypeOf<undefined>()
      return noContent()
    },
  })
  expect(operation).toMatchObject({ aliases: [], scopes: [], errors: [], bodyKind: 'json', checksDigest: false })
})

it('a reader accepts the type of its parameter', () => {
  defineOperation({
    ...common,
    id: 'c',
    method: 'GET',
    path: '/labels/{name}',
    // @ts-expect-error -- a text is no id
    params: { name: asId<LabelId> },
    handler: () => noContent(),
  })
})
