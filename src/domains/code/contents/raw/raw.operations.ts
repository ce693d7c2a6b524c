import { Type } from '@sinclair/typebox'
import { PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { type ApiResponse, bytes } from '../../../../core/http/answer/answer.ts'
import { StoredFile } from '../../../../core/http/answer/binary.ts'
import { type Context, defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import type { Media } from './media.service.ts'
import { presentRawFile } from '../contents.present.ts'
import type { RawFile, RawFiles } from './raw-files.service.ts'

const refQuery = Type.Object({
  ref: Type.Optional(
    Type.String({ maxLength: PATH_LENGTH, description: 'Branch, tag or id (default: the default branch)' }),
  ),
})

interface RawOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly rawFiles: RawFiles
  readonly media: Media
}

/**
 * Operations that return the raw bytes of files (behaviour/git-data-and-transport#raw-files-languages-and-archives).
 */
export function rawOperations({ guards, rawFiles, media }: RawOperationDeps): Operation[] {
  const guard = guards.repo('read', { unit: 'repo.code' })
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard,
    query: refQuery,
    responses: { 200: StoredFile, 206: StoredFile, 304: null },
  } as const
  const forms = [
    { id: 'repoGetRawFile', word: 'raw', summary: 'Get a file' },
    { id: 'repoGetRawFileOrLFS', word: 'media', summary: 'Get a file, from LFS when it is there' },
  ] as const
  return forms.map(({ id, word, summary }) =>
    defineOperation({
      ...common,
      id,
      method: 'GET',
      path: `/repos/{owner}/{repo}/${word}/{filepath*}`,
      summary,
      errors: [404, 416],
      async handler({ access: { repo }, viewer, params, query, headers, signal }) {
        const found = await rawFiles.get(repo, params.filepath, query.ref)
        const file = word === 'media' ? await media.resolve(repo, found) : found
        return rawAnswer(file, { headers, signal }, viewer)
      },
    }),
  )
}

type Request = Pick<Context<unknown, unknown, unknown, unknown>, 'headers' | 'signal'>

/** The whole file, a range of it, or 304 when the client has it. */
async function rawAnswer(
  file: RawFile,
  { headers: requestHeaders, signal }: Request,
  viewer: Viewer,
): Promise<ApiResponse> {
  const { status, headers, window } = presentRawFile(file, requestHeaders, viewer)
  if (status === 304) return { status, headers }
  if (window === undefined) return bytes(Buffer.from('invalid start range\n'), { ...headers }, status)
  const body = await file.body(window, signal)
  return bytes(body, { ...headers }, status)
}
