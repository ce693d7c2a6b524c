import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { ok } from '../../../core/http/answer/answer.ts'
import { PATH_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import { invalid } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Blaming } from './blame.service.ts'
import { Commit } from './commit.model.ts'
import { presentCommit } from './commit.present.ts'

interface BlameOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly blaming: Blaming
  readonly site: Site
}

const BlameRange = Type.Object(
  {
    start: Type.Integer({ description: 'The first line, from 1' }),
    end: Type.Integer({ description: 'The last line' }),
    sha: Type.String({ description: 'The commit that changed these lines last' }),
    path: Type.String({ description: 'The name of the file in that commit' }),
    original_start: Type.Integer({ description: 'The first line in that commit' }),
    previous: Nullable(
      Type.Object(
        { sha: Type.String(), path: Type.String() },
        { $id: 'BlamePrevious', description: 'Where the lines were before that commit; null if it added the file' },
      ),
    ),
  },
  { $id: 'BlameRange' },
)

const Blame = Type.Object(
  {
    sha: Type.String({ description: 'The commit as of which the file was read' }),
    path: Type.String(),
    ranges: Type.Array(BlameRange, { description: 'In the order of the lines' }),
    commits: Type.Array(Commit, { description: 'Each commit of the ranges once' }),
    ignored: Type.Array(Type.String(), { description: 'Commits of .git-blame-ignore-revs, which were skipped' }),
  },
  { $id: 'Blame' },
)

/** Reads `10,20` or `10`. Throws Invalid. */
function readRange(lines: string): [first: number, last: number] {
  const [, from = '', to = from] = /^([1-9]\d{0,8})(?:,([1-9]\d{0,8}))?$/.exec(lines) ?? []
  if (from === '' || Number(to) < Number(from)) throw invalid('lines must be two numbers such as 10,20')
  return [Number(from), Number(to)]
}

/** Who changed each line of a file last (docs/guide/blame.md). */
export const blameOperations = ({ guards, blaming, site }: BlameOperationDeps): Operation[] => [
  defineOperation({
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
    id: 'repoGetBlame',
    cost: 1,
    method: 'GET',
    path: '/repos/{owner}/{repo}/blame/{filepath*}',
    summary: 'The commit that changed each line of a file last',
    query: Type.Object({
      ref: Type.Optional(
        Type.String({ maxLength: PATH_LENGTH, description: 'A branch, tag or id (default: the default branch)' }),
      ),
      lines: Type.Optional(
        Type.String({ maxLength: 20, description: 'The first and the last line, such as 10,20 (default: all)' }),
      ),
    }),
    responses: { 200: Blame },
    errors: [404, 413, 422],
    async handler({ access: { repo }, params: { filepath: path }, query: { ref, lines } }) {
      const range = lines === undefined ? undefined : readRange(lines)
      const { oid, hunks, commits, ignored } = await blaming.ofFile(repo, { ref, path, range })
      const urls = repoUrls(repo, site)
      return ok({
        sha: oid,
        path,
        ranges: hunks.map((hunk) => ({
          start: hunk.line,
          end: hunk.line + hunk.lines - 1,
          sha: hunk.commit,
          path: hunk.path,
          original_start: hunk.originalLine,
          previous: hunk.previous === undefined ? null : { sha: hunk.previous.commit, path: hunk.previous.path },
        })),
        commits: commits.map((view) => presentCommit(view, urls, site)),
        ignored: [...ignored],
      })
    },
  }),
]
