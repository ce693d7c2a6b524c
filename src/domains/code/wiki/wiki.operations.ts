import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { FILES_BODY_BYTES } from '../../../core/http/body/limits.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { WikiGuard } from './wiki.guards.ts'
import { CreateWikiPageOptions, WikiCommitList, WikiPage, WikiPageMetaData } from './wiki.model.ts'
import { presentWikiCommit, presentWikiMeta, presentWikiPage } from './wiki.present.ts'
import type { Wikis } from './wikis.service.ts'
import type { PageEdit } from './write-page.ts'

interface WikiOperationDeps {
  readonly wikiGuard: WikiGuard
  readonly wikis: Pick<Wikis, 'pages'>
  readonly site: Site
}

const WIKI = '/repos/{owner}/{repo}/wiki'
const PAGE = `${WIKI}/page/{pageName*}`
const common = { area: 'repository', scopes: ['repository'] } as const

/** Wiki pages (behaviour/repositories#wiki). */
export const wikiOperations = (deps: WikiOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ wikiGuard, wikis: { pages }, site }: WikiOperationDeps): Operation[] {
  const read = { ...common, guard: wikiGuard('read'), errors: [404] } as const
  return [
    defineOperation({
      ...read,
      id: 'repoGetWikiPage',
      method: 'GET',
      path: PAGE,
      summary: 'A wiki page, by its address or title',
      responses: { 200: WikiPage },
      handler: async ({ access: { repo }, params }) =>
        ok(presentWikiPage(await pages.get(repo, params.pageName), repoUrls(repo, site))),
    }),
    defineOperation({
      ...read,
      id: 'repoGetWikiPages',
      method: 'GET',
      path: `${WIKI}/pages`,
      summary: 'Wiki pages by file name',
      query: pagingQuery,
      responses: { 200: Type.Array(WikiPageMetaData) },
      async handler({ access: { repo }, paging }) {
        const page = await pages.list(repo, paging)
        return listed(
          page,
          page.items.map((meta) => presentWikiMeta(meta, repoUrls(repo, site))),
        )
      },
    }),
    defineOperation({
      ...read,
      id: 'repoGetWikiPageRevisions',
      method: 'GET',
      path: `${WIKI}/revisions/{pageName*}`,
      summary: 'Commits of a wiki page, the newest first',
      query: pagingQuery,
      responses: { 200: WikiCommitList },
      async handler({ access: { repo }, params, paging }) {
        const { commits, total } = await pages.revisions(repo, params.pageName, paging.page)
        return { status: 200, body: { commits: commits.map(presentWikiCommit), count: total }, total }
      },
    }),
  ]
}

function writeOperations({ wikiGuard, wikis: { pages }, site }: WikiOperationDeps): Operation[] {
  const write = { ...common, guard: wikiGuard('change'), errors: [400, 401, 403, 404, 413, 422, 423] } as const
  return [
    defineOperation({
      ...write,
      guard: wikiGuard('add'),
      id: 'repoCreateWikiPage',
      method: 'POST',
      path: `${WIKI}/new`,
      summary: 'Create a wiki page',
      body: CreateWikiPageOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 201: WikiPage },
      async handler({ access: { repo }, viewer, body }) {
        const subUrl = await pages.create(requireUser(viewer), repo, editOf(body))
        return created(presentWikiPage(await pages.get(repo, subUrl), repoUrls(repo, site)))
      },
    }),
    defineOperation({
      ...write,
      id: 'repoEditWikiPage',
      method: 'PATCH',
      path: PAGE,
      summary: 'Change a wiki page, and its title if there is one in the body',
      body: CreateWikiPageOptions,
      bodyLimit: FILES_BODY_BYTES,
      responses: { 200: WikiPage },
      async handler({ access: { repo }, viewer, params, body }) {
        const subUrl = await pages.edit(requireUser(viewer), repo, params.pageName, editOf(body))
        return ok(presentWikiPage(await pages.get(repo, subUrl), repoUrls(repo, site)))
      },
    }),
    defineOperation({
      ...write,
      id: 'repoDeleteWikiPage',
      method: 'DELETE',
      path: PAGE,
      summary: 'Delete a wiki page',
      responses: { 204: null },
      async handler({ access: { repo }, viewer, params }) {
        await pages.delete(requireUser(viewer), repo, params.pageName)
        return noContent()
      },
    }),
  ]
}

const editOf = (body: CreateWikiPageOptions): PageEdit => ({
  title: body.title,
  content: body.content_base64,
  message: body.message,
})
