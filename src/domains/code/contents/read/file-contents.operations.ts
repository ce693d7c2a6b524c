import { Type } from '@sinclair/typebox'
import { TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { type ApiResponse, ok, MAX_BUFFERED_BYTES, streamedList } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { engineErrors } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import { ContentsResponse, GetFilesOptions } from '../contents.model.ts'
import { type ContentsOperationDeps, presenter, refMembers, SHOW_ALL } from './contents.operations.ts'

const refQuery = Type.Object(refMembers)
const filesQuery = Type.Object({
  ...refMembers,
  body: Type.Optional(Type.String({ maxLength: TEXT_LENGTH, description: 'JSON: the body of the POST form' })),
})

/** Operations that read several files in one request (behaviour/git-data-and-transport#reading-contents). */
export function fileContentsOperations({ guards, contents, site }: ContentsOperationDeps): Operation[] {
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
  } as const
  const readMany = async (repo: Repo, paths: readonly string[], ref: string | undefined): Promise<ApiResponse> => {
    const { target, bytes: size, entries } = await contents.readMany(repo, paths, ref)
    const present = presenter({ repo, site, target, ref })
    const presented = async function* () {
      for await (const entry of entries()) yield entry ? present(entry, SHOW_ALL) : null
    }
    return size > MAX_BUFFERED_BYTES ? streamedList(presented()) : ok(await Array.fromAsync(presented()))
  }
  return [
    defineOperation({
      ...common,
      id: 'repoGetFileContents',
      method: 'GET',
      path: '/repos/{owner}/{repo}/file-contents',
      summary: 'Get several files',
      query: filesQuery,
      responses: { 200: Type.Array(Type.Union([ContentsResponse, Type.Null()])) },
      errors: [400, 404, 422],
      handler: async ({ access: { repo }, query }) => readMany(repo, parseFiles(query.body), query.ref ?? query.branch),
    }),
    defineOperation({
      ...common,
      id: 'repoGetFileContentsPost',
      method: 'POST',
      path: '/repos/{owner}/{repo}/file-contents',
      summary: 'Get several files',
      query: refQuery,
      body: GetFilesOptions,
      responses: { 200: Type.Array(Type.Union([ContentsResponse, Type.Null()])) },
      errors: [404, 422],
      handler: async ({ access: { repo }, query, body }) => readMany(repo, body.files, query.ref ?? query.branch),
    }),
  ]
}

/** The GET form carries the JSON body in the query, so that a read-only token can use it. */
function parseFiles(text: string | undefined): string[] {
  let body: unknown
  try {
    body = JSON.parse(text ?? '')
  } catch {
    throw errors.fileListInvalid()
  }
  const [, files] = Object.entries(body ?? {}).find(([name]) => name.toLowerCase() === 'files') ?? []
  if (files === undefined || files === null) throw engineErrors.fieldRequired('Files')
  if (!Array.isArray(files) || files.some((file) => typeof file !== 'string')) throw errors.fileListInvalid()
  return files as string[]
}
