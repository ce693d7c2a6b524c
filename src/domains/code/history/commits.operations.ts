import { Readable } from 'node:stream'
import { Type, type Static } from '@sinclair/typebox'
import { PATH_LENGTH, TIME_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { bytes, listed, ok } from '../../../core/http/answer/answer.ts'
import { TextFile } from '../../../core/http/answer/binary.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import type { CommitParts } from './history.service.ts'
import { Commit } from './commit.model.ts'
import { presentCommit } from './commit.present.ts'
import type { Commits } from './commits.service.ts'
import { pageHeaders } from './page-headers.ts'

const partsMembers = {
  stat: Type.Optional(Type.Boolean({ description: 'Count added and deleted lines (default true)' })),
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
}

const listQuery = Type.Object({
  sha: Type.Optional(
    Type.String({
      maxLength: PATH_LENGTH,
      description: 'Where to start: a branch, tag or id (default: the default branch)',
    }),
  ),
  path: Type.Optional(
    Type.String({ maxLength: PATH_LENGTH, description: 'Only commits that touch this file or directory' }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: TIME_LENGTH, description: 'Only commits from this time on, RFC 3339' }),
  ),
  until: Type.Optional(Type.String({ maxLength: TIME_LENGTH, description: 'Only commits up to this time, RFC 3339' })),
  ...partsMembers,
  ...pagingMembers,
  not: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'Omit commits reachable from this ref' })),
})

const singleQuery = Type.Object(partsMembers)

const partsOf = (query: Static<typeof singleQuery>): CommitParts => ({
  stat: query.stat ?? true,
  verification: query.verification ?? true,
  files: query.files ?? true,
})

interface CommitOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly commits: Commits
  readonly site: Site
}

/** Operations that read commits (behaviour/git-data-and-transport#commits). */
export function commitOperations({ guards, commits, site }: CommitOperationDeps): Operation[] {
  const guard = guards.repo('read', { unit: 'repo.code' })
  const common = { area: 'repository', scopes: ['repository'], guard } as const
  return [
    defineOperation({
      ...common,
      id: 'repoGetAllCommits',
      method: 'GET',
      path: '/repos/{owner}/{repo}/commits',
      summary: 'List commits, newest first',
      query: listQuery,
      responses: { 200: Type.Array(Commit) },
      errors: [404, 422],
      async handler({ access: { repo }, query, paging }) {
        const { sha, path, since, until, not } = query
        const log = await commits.findLog(repo, { sha, path, since, until, not })
        const page = await commits.list(repo, log, partsOf(query), paging)
        const urls = repoUrls(repo, site)
        const presented = page.items.map((view) => presentCommit(view, urls, site))
        return { ...listed(page, presented), headers: pageHeaders(paging, page.total) }
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetCommitByRef',
      method: 'GET',
      path: '/repos/{owner}/{repo}/commits/{ref*}',
      summary: 'Get a commit by branch, tag or id',
      query: singleQuery,
      responses: { 200: Commit },
      errors: [404, 422],
      async handler({ access: { repo }, params, query }) {
        return ok(presentCommit(await commits.get(repo, params.ref, partsOf(query)), repoUrls(repo, site), site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetSingleCommit',
      method: 'GET',
      path: '/repos/{owner}/{repo}/git/commits/{sha}',
      summary: 'Get a commit by branch, tag or id',
      query: singleQuery,
      responses: { 200: Commit },
      errors: [404, 422],
      async handler({ access: { repo }, params, query }) {
        return ok(presentCommit(await commits.get(repo, params.sha, partsOf(query)), repoUrls(repo, site), site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDownloadCommitDiffOrPatch',
      cost: 1,
      method: 'GET',
      path: '/repos/{owner}/{repo}/git/commits/{sha}.{diffType:diff|patch}',
      summary: "Get a commit's diff or patch",
      responses: { 200: TextFile },
      errors: [404, 422],
      validator: ({ access: { repo }, params }) => commits.resolve(repo, params.sha),
      async handler({ access: { repo }, params, signal }) {
        const stream = await commits.patch(repo, params.sha, params.diffType, signal)
        return bytes(Readable.from(stream, { objectMode: false }), { 'content-type': 'text/plain; charset=utf-8' })
      },
    }),
  ]
}
