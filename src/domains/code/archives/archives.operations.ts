import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { LIST_ITEMS, PATH_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { type ApiResponse, bytes } from '../../../core/http/answer/answer.ts'
import { BinaryFile } from '../../../core/http/answer/binary.ts'
import { type Context, defineOperation, type Method, type Operation } from '../../../core/http/operation.ts'
import { etagMatches } from '../../../core/platform/http/media-type.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Repo } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import { archiveHeaders } from './archive.present.ts'
import { ARCHIVE_COST, type Archives } from './archives.service.ts'

const pathQuery = Type.Object({
  path: Type.Optional(
    Type.Array(Type.String({ maxLength: PATH_LENGTH }), {
      maxItems: LIST_ITEMS,
      description: 'Only these files and directories (repeatable)',
    }),
  ),
})

/** In the last three forms a path segment selects the format. */
const FORMS = [
  { id: 'repoGetArchive', word: 'archive', ending: '', summary: 'The content of a commit as zip, tar.gz or bundle' },
  { id: 'repoGetTarball', word: 'tarball', ending: '.tar.gz', summary: 'The content of a commit as tar.gz' },
  { id: 'repoGetZipball', word: 'zipball', ending: '.zip', summary: 'The content of a commit as zip' },
  { id: 'repoGetBundle', word: 'bundle', ending: '.bundle', summary: 'A commit with its history as git bundle' },
] as const

interface ArchiveOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly archives: Archives
  readonly site: Site
}

/** Archives (behaviour/repositories#archives). */
export function archiveOperations({ guards, archives, site }: ArchiveOperationDeps): Operation[] {
  async function answer(
    repo: Repo,
    { file, paths }: { readonly file: string; readonly paths: readonly string[] },
    request: { readonly method: Method } & Pick<Context<unknown, unknown, unknown, unknown>, 'headers' | 'signal'>,
  ): Promise<ApiResponse> {
    const archive = await archives.get(repo, { file, paths })
    const headers = archiveHeaders(archive, repoUrls(repo, site))
    if (etagMatches(request.headers['if-none-match'], headers['etag']!)) return { status: 304, headers }
    if (request.method === 'HEAD') return bytes(Readable.from([]), headers)
    await archives.countDownload(repo, archive)
    return bytes(archive.body(request.signal), headers)
  }
  return FORMS.flatMap(({ id, word, ending, summary }) =>
    (['GET', 'HEAD'] as const).map((method) =>
      defineOperation({
        id: method === 'GET' ? id : `${id}Head`,
        method,
        path: `/repos/{owner}/{repo}/${word}/{archive*}`,
        area: 'repository',
        summary,
        scopes: ['repository'],
        guard: guards.repo('read', { unit: 'repo.code' }),
        cost: method === 'GET' ? ARCHIVE_COST : 0,
        query: pathQuery,
        responses: { 200: BinaryFile, 304: null },
        errors: [400, 404],
        handler: ({ access: { repo }, params, query, headers, signal }) =>
          answer(repo, { file: params.archive + ending, paths: query.path ?? [] }, { method, headers, signal }),
      }),
    ),
  )
}
