import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { ChangedFile as File, ChangedFileList, Whitespace } from '../../../core/git/index.ts'
import { type ApiResponse, bytes, listed, streamedList } from '../../../core/http/answer/answer.ts'
import { TextFile } from '../../../core/http/answer/binary.ts'
import { PATH_LENGTH } from '../../../core/http/body/limits.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import type { Site } from '../../../core/platform/site.ts'
import { Commit, pageHeaders, commitPresenters } from '../../code/index.ts'
import type { Pull } from '../pulls/records/pull.store.ts'
import type { Guards } from '../../../core/module.ts'
import { ChangedFile } from './changed-file.model.ts'
import { presentChangedFile } from './changed-file.present.ts'
import type { PullDiffs } from './pull-diffs.service.ts'

const PULL = '/repos/{owner}/{repo}/pulls/{index:int}'

const textQuery = Type.Object({
  binary: Type.Optional(Type.Boolean({ description: 'With the bytes of binary files; of the diff only' })),
})

const commitsQuery = Type.Object({
  ...pagingMembers,
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
})

const filesQuery = Type.Object({
  'skip-to': Type.Optional(
    Type.String({ maxLength: PATH_LENGTH, description: 'The name of the first file, or what comes before it' }),
  ),
  whitespace: Type.Optional(
    Type.String({
      maxLength: 30,
      description: 'What is no difference: ignore-all, ignore-change or ignore-eol (default show-all)',
    }),
  ),
  ...pagingMembers,
})
type FilesQuery = Static<typeof filesQuery>

const WHITESPACE: ReadonlyMap<string, Whitespace> = new Map([
  ['ignore-all', 'all'],
  ['ignore-change', 'change'],
  ['ignore-eol', 'eol'],
])

/** The response depends only on the two commits. */
const validator = ({ access: { pull } }: { readonly access: { readonly pull: Pull } }): Promise<string> =>
  Promise.resolve(`${pull.mergeBase} ${pull.headOid}`)

interface PullDiffOperationDeps {
  readonly guards: Pick<Guards, 'pull'>
  readonly diffs: PullDiffs
  readonly site: Site
}

/** Operations on the changes of pull requests (behaviour/pull-requests#diff-commits-files-update). */
export function pullDiffOperations({ guards, diffs, site }: PullDiffOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository'], guard: guards.pull('read'), errors: [403, 404] } as const
  return [
    defineOperation({
      ...common,
      id: 'repoDownloadPullDiffOrPatch',
      cost: 1,
      method: 'GET',
      path: `${PULL}.{diffType:diff|patch}`,
      summary: 'The diff of a pull request, or its commits as mails',
      query: textQuery,
      responses: { 200: TextFile },
      validator,
      async handler({ access: { repo, pull }, params: { diffType }, query, signal }) {
        const kind = diffType === 'diff' && query.binary === true ? 'binary' : diffType
        const text = await diffs.text(repo, pull, kind, signal)
        return bytes(Buffer.isBuffer(text) ? text : Readable.from(text, { objectMode: false }), {
          'content-type': 'text/plain; charset=utf-8',
        })
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetPullRequestCommits',
      method: 'GET',
      path: `${PULL}/commits`,
      summary: 'The commits of a pull request, the newest first',
      query: commitsQuery,
      responses: { 200: Type.Array(Commit) },
      async handler({ access: { repo, pull }, query, paging }) {
        const parts = { stat: true, files: query.files ?? true, verification: query.verification ?? true }
        const page = await diffs.commits(repo, pull, parts, paging)
        const urls = repoUrls(repo, site)
        const items = page.items.map((view) => commitPresenters.present(view, urls, site))
        return { ...listed(page, items), headers: pageHeaders(paging, page.total) }
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetPullRequestFiles',
      method: 'GET',
      path: `${PULL}/files`,
      summary: 'The files that a pull request changes',
      query: filesQuery,
      responses: { 200: Type.Array(ChangedFile) },
      validator,
      async handler({ access: { repo, pull }, query, paging }) {
        const files = await diffs.files(repo, pull, WHITESPACE.get(query.whitespace ?? ''))
        const urls = repoUrls(repo, site)
        return answerFiles(files, query, paging, (file) => presentChangedFile(file, urls, pull.headOid))
      },
    }),
  ]
}

/** Longer lists are sent as a stream. */
const MAX_AT_ONCE = 500

/**
 * If `page` and `limit` are absent, returns all files on one page (behaviour/pull-requests#diff-commits-files-update).
 */
function answerFiles(
  files: ChangedFileList,
  query: FilesQuery,
  paging: Paging,
  present: (file: File) => ChangedFile,
): ApiResponse {
  const first = query['skip-to'] === undefined ? 0 : files.indexOf(query['skip-to'])
  const { total } = files
  if (query.page !== undefined || query.limit !== undefined) {
    const items = files
      .from(first + paging.offset)
      .take(paging.limit)
      .map(present)
    return { ...listed({ items: [...items], total }), headers: pageHeaders(paging, total) }
  }
  const items = files.from(first).map(present)
  const answer = total > MAX_AT_ONCE ? streamedList(items) : { status: 200, body: [...items] }
  const headers = pageHeaders({ page: 1, limit: Math.max(1, total), offset: 0 }, total)
  return { ...answer, total, link: false, headers: { ...answer.headers, ...headers } }
}
