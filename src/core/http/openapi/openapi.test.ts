import { Type } from '@sinclair/typebox'
import { expect, it } from 'vitest'
import { noContent } from '../answer/answer.ts'
import { anyone, signedIn } from '../guards/account.guards.ts'
import { createOpenApi } from './openapi.ts'
import { defineOperation, type Method } from '../operation.ts'

const Owner = Type.Object({ name: Type.String({ 'x-field': 'Login' }) }, { $id: 'Owner' })
const Thing = Type.Object(
  {
    owner: Owner,
    sizes: Type.Record(Type.String(), Type.Integer()),
    parent: Type.Optional(Type.Unsafe({ $ref: 'Thing' })),
  },
  { $id: 'Thing' },
)
const EditThing = Type.Object({ name: Type.Optional(Type.String()) }, { $id: 'EditThing' })

const read = (id: string, method: Method) =>
  defineOperation({
    id,
    method,
    path: '/things/{id:int}/{path*}',
    aliases: ['/old/{id:int}/{path*}'],
    area: 'repository',
    summary: 'A thing',
    scopes: ['repository'],
    guard: anyone,
    query: Type.Object({ deep: Type.Optional(Type.Boolean({ description: 'Look deeper' })) }),
    responses: { 200: Thing },
    errors: [404],
    handler: () => noContent(),
  })

const operations = [
  read('getThing', 'GET'),
  read('headThing', 'HEAD'),
  defineOperation({
    id: 'editThing',
    method: 'PATCH',
    path: '/things',
    area: 'repository',
    summary: 'Edit',
    guard: signedIn,
    body: EditThing,
    responses: { 204: null },
    handler: () => noContent(),
  }),
]

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>
  readonly components: { readonly schemas: Record<string, { readonly properties: unknown }> }
}

it('describes operations with @fastify/swagger', async () => {
  const document = (await createOpenApi(operations, { version: '1', serverUrl: '/api/v1' })) as unknown as Document
  const { get, head } = document.paths['/things/{id}/{path}']!
  expect(get).toEqual({
    operationId: 'getThing',
    tags: ['repository'],
    summary: 'A thing',
    description: 'Who: anyone. Token scope: read:repository.',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'path', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'deep', in: 'query', required: false, description: 'Look deeper', schema: { type: 'boolean' } },
    ],
    responses: {
      200: {
        description: 'Success',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
      },
      404: {
        description: 'Missing or hidden',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/APINotFound' } } },
      },
      default: { $ref: '#/components/responses/OtherError' },
    },
  })
  expect(head?.operationId).toBe('headThing')
  expect(document.paths['/old/{id}/{path}']?.['get']?.operationId).toBe('getThing_1')
  expect(document.components.schemas['Thing']).toEqual({
    type: 'object',
    required: ['owner', 'sizes'],
    properties: {
      owner: { $ref: '#/components/schemas/Owner' },
      sizes: { type: 'object', patternProperties: { '^(.*)$': { type: 'integer' } } },
      parent: { $ref: '#/components/schemas/Thing' },
    },
  })
  expect(document.components.schemas['Owner']?.properties).toEqual({ name: { type: 'string' } })
  expect(document.paths['/things']?.['patch']).toMatchObject({
    parameters: [],
    requestBody: {
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/EditThing' } } },
    },
    responses: { 204: { description: 'Done' }, 401: { description: 'Refused' }, 403: { description: 'Refused' } },
  })
})
