import { type Static, Type } from '@sinclair/typebox'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { Note, NoteOptions } from '../../history/commit.model.ts'
import { presentCommit } from '../../history/commit.present.ts'
import type { Guards } from '../../../../core/module.ts'
import { GitBlobResponse, GitTreeResponse, Reference, AnnotatedTag } from '../refs.model.ts'
import { presentAnnotatedTag, presentBlob, presentReference, presentTree } from '../refs.present.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { GitData } from './git-data.service.ts'

const treeQuery = Type.Object({
  recursive: Type.Optional(Type.Boolean({ description: 'List directories with everything in them' })),
  page: Type.Optional(Type.Integer({ description: 'Page of the list, from 1' })),
  per_page: Type.Optional(Type.Integer({ description: 'Entries of a page' })),
})

const noteQuery = Type.Object({
  verification: Type.Optional(Type.Boolean({ description: 'Verify signatures (default true)' })),
  files: Type.Optional(Type.Boolean({ description: 'List changed files (default true)' })),
})

interface GitDataOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly data: GitData
  readonly site: Site
  /** The maximum number of entries on a page of a tree. */
  readonly maxTreeEntries: number
}

/** Refs and objects as git stores them (behaviour/git-data-and-transport#refs-trees-blobs-notes-and-comparison). */
export const gitDataOperations = (deps: GitDataOperationDeps): Operation[] => [
  ...refOperations(deps),
  ...objectOperations(deps),
  ...noteOperations(deps),
]

const commonOf = ({ guards }: GitDataOperationDeps) =>
  ({
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
    method: 'GET',
  }) as const

function refOperations(deps: GitDataOperationDeps): Operation[] {
  const { data, site } = deps
  const common = commonOf(deps)
  return [
    defineOperation({
      ...common,
      id: 'repoListAllGitRefs',
      path: '/repos/{owner}/{repo}/git/refs',
      summary: 'List all refs',
      responses: { 200: Type.Array(Reference) },
      errors: [404],
      handler: async ({ access: { repo } }) =>
        ok((await data.refs(repo, '')).map((ref) => presentReference(ref, repoUrls(repo, site)))),
    }),
    defineOperation({
      ...common,
      id: 'repoListGitRefs',
      path: '/repos/{owner}/{repo}/git/refs/{ref*}',
      summary: 'List refs whose name begins with a text',
      responses: { 200: Type.Array(Reference) },
      errors: [404],
      handler: async ({ access: { repo }, params }) =>
        ok((await data.refs(repo, params.ref)).map((ref) => presentReference(ref, repoUrls(repo, site)))),
    }),
  ]
}

function objectOperations(deps: GitDataOperationDeps): Operation[] {
  const { data, site, maxTreeEntries } = deps
  const common = commonOf(deps)
  return [
    defineOperation({
      ...common,
      id: 'GetTree',
      path: '/repos/{owner}/{repo}/git/trees/{sha}',
      summary: 'Get a tree',
      query: treeQuery,
      responses: { 200: GitTreeResponse },
      errors: [400, 404],
      validator: async ({ access: { repo }, params }) => {
        const oid = await data.resolve(repo, params.sha)
        return oid && `${repo.fullName} ${oid}`
      },
      async handler({ access: { repo }, params, query }) {
        const wanted = query.per_page ?? 0
        const perPage = wanted <= 0 || wanted > maxTreeEntries ? maxTreeEntries : wanted
        const page = Math.max(1, parseInteger(String(query.page ?? 1)))
        const tree = await data.tree(repo, params.sha, { recursive: query.recursive ?? false, page, perPage })
        return { ...ok(presentTree(tree, repoUrls(repo, site))), total: tree.total, link: false }
      },
    }),
    defineOperation({
      ...common,
      id: 'GetBlob',
      path: '/repos/{owner}/{repo}/git/blobs/{sha}',
      summary: 'Get a blob',
      responses: { 200: GitBlobResponse },
      errors: [400, 404],
      validator: ({ access: { repo } }) => repo.fullName,
      handler: async ({ access: { repo }, params }) =>
        ok(presentBlob(await data.blob(repo, params.sha), repoUrls(repo, site))),
    }),
    defineOperation({
      ...common,
      id: 'GetBlobs',
      path: '/repos/{owner}/{repo}/git/blobs',
      summary: 'Get several blobs',
      query: Type.Object({ shas: Type.String({ maxLength: TEXT_LENGTH, description: 'Ids, separated by commas' }) }),
      responses: { 200: Type.Array(GitBlobResponse) },
      errors: [400, 404],
      async handler({ access: { repo }, query }) {
        const blobs = await data.blobs(
          repo,
          query.shas.split(',').filter((sha) => sha !== ''),
        )
        return ok(blobs.map((blob) => presentBlob(blob, repoUrls(repo, site))))
      },
    }),
    defineOperation({
      ...common,
      id: 'GetAnnotatedTag',
      path: '/repos/{owner}/{repo}/git/tags/{sha}',
      summary: 'Get an annotated tag object',
      responses: { 200: AnnotatedTag },
      errors: [400, 404],
      handler: async ({ access: { repo }, params }) =>
        ok(presentAnnotatedTag(await data.tag(repo, params.sha), repoUrls(repo, site))),
    }),
    defineOperation({
      ...common,
      id: 'repoGetNote',
      path: '/repos/{owner}/{repo}/git/notes/{sha}',
      summary: 'Get the note of a commit',
      query: noteQuery,
      responses: { 200: Note },
      errors: [404, 422],
      handler: async ({ access: { repo }, params, query }) => ok(await presentNote(deps, repo, params.sha, query)),
    }),
  ]
}

function noteOperations(deps: GitDataOperationDeps): Operation[] {
  const { guards, data } = deps
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('write', { unit: 'repo.code', archived: 'refuse' }),
    path: '/repos/{owner}/{repo}/git/notes/{sha}',
    errors: [403, 404, 413, 422, 423],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoSetNote',
      method: 'POST',
      summary: 'Set the note of a commit',
      body: NoteOptions,
      responses: { 200: Note },
      async handler({ viewer, access, params, body }) {
        await data.setNote(requireUser(viewer), access, params.sha, body.message)
        return ok(await presentNote(deps, access.repo, params.sha, {}))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoRemoveNote',
      method: 'DELETE',
      summary: 'Remove the note of a commit',
      responses: { 204: null },
      async handler({ viewer, access, params }) {
        await data.setNote(requireUser(viewer), access, params.sha, undefined)
        return noContent()
      },
    }),
  ]
}

async function presentNote(
  { data, site }: GitDataOperationDeps,
  repo: Repo,
  revision: string,
  { verification = true, files = true }: Static<typeof noteQuery>,
): Promise<Note> {
  const note = await data.note(repo, revision, { stat: true, verification, files })
  return { message: note.message, commit: presentCommit(note.commit, repoUrls(repo, site), site) }
}
