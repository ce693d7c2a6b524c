import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { repoUrls } from '../../access/repo-urls.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { type Answer, bytes } from '../../http/answer.ts'
import { BinaryFile } from '../../http/binary.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { abortOnClose } from '../../http/stream.ts'
import { etagMatches } from '../../platform/http-content.ts'
import type { Repo } from '../repos/repo.store.ts'
import { archiveHeaders } from './archive.present.ts'

const pathQuery = Type.Object({
  path: Type.Optional(Type.Array(Type.String(), { description: 'Only these files and directories (repeatable)' })),
})

/** The path's own word says the format in the three older forms. */
const FORMS = [
  { id: 'repoGetArchive', word: 'archive', ending: '', summary: 'The content of a commit as zip, tar.gz or bundle' },
  { id: 'repoGetTarball', word: 'tarball', ending: '.tar.gz', summary: 'The content of a commit as tar.gz' },
  { id: 'repoGetZipball', word: 'zipball', ending: '.zip', summary: 'The content of a commit as zip' },
  { id: 'repoGetBundle', word: 'bundle', ending: '.bundle', summary: 'A commit with its history as git bundle' },
] as const

/** Archives (reference repositories §20). */
export function archiveOperations({ guards, code, site }: Pick<AreaDeps, 'guards' | 'code' | 'site'>): Operation[] {
  async function answer(
    repo: Repo,
    file: string,
    paths: readonly string[],
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<Answer> {
    const archive = await code.archives.get(repo, { file, paths })
    const headers = archiveHeaders(archive, repoUrls(repo, site))
    if (etagMatches(request.headers['if-none-match'], headers['etag']!)) return { status: 304, headers }
    if (request.method === 'HEAD') return bytes(Readable.from([]), headers)
    await code.archives.countDownload(repo, archive)
    return bytes(archive.body(abortOnClose(reply)), headers)
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
        query: pathQuery,
        responses: { 200: BinaryFile, 304: null },
        errors: [400, 404],
        handler: ({ access: { repo }, params, query, request, reply }) =>
          answer(repo, params['archive']! + ending, query.path ?? [], { request, reply }),
      }),
    ),
  )
}
