import { Type } from '@sinclair/typebox'
import { URL_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Repo } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import { CreateReleaseOption, EditReleaseOption, Release } from './release.model.ts'
import { presentRelease } from './release.present.ts'
import type { ReleaseEdit, Releases } from './releases.service.ts'
import type { ReleaseView } from './views.ts'

const PATH = '/repos/{owner}/{repo}/releases'

const listQuery = Type.Object({
  ...pagingMembers,
  draft: Type.Optional(Type.Boolean({ description: 'Only drafts, or none' })),
  'pre-release': Type.Optional(Type.Boolean({ description: 'Only prereleases, or none' })),
  q: Type.Optional(Type.String({ maxLength: URL_LENGTH, description: 'Part of the tag, the title or the body' })),
})

interface ReleaseOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly releases: Releases
  readonly site: Site
}

const common = { area: 'repository', scopes: ['repository'] } as const

/** Releases (behaviour/repositories#releases). */
export const releaseOperations = (deps: ReleaseOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, releases, site }: ReleaseOperationDeps): Operation[] {
  const read = { ...common, guard: guards.repo('read', { unit: 'repo.releases' }), errors: [403, 404] } as const
  const present = (view: ReleaseView, repo: Repo): Release => presentRelease(view, repoUrls(repo, site), site)
  return [
    defineOperation({
      ...read,
      id: 'repoListReleases',
      method: 'GET',
      path: PATH,
      summary: 'Releases, the newest first; drafts for those who may write them',
      query: listQuery,
      responses: { 200: Type.Array(Release) },
      async handler({ access, viewer, query, paging }) {
        const page = await releases.list(
          viewer,
          access,
          { draft: query.draft, prerelease: query['pre-release'], keyword: query.q },
          paging,
        )
        return listed(
          page,
          page.items.map((view) => present(view, access.repo)),
        )
      },
    }),
    defineOperation({
      ...read,
      id: 'repoGetLatestRelease',
      method: 'GET',
      path: `${PATH}/latest`,
      summary: 'The newest release that is neither draft nor prerelease',
      responses: { 200: Release },
      handler: async ({ access }) => ok(present(await releases.getLatest(access), access.repo)),
    }),
    defineOperation({
      ...read,
      id: 'repoGetRelease',
      method: 'GET',
      path: `${PATH}/{id:int}`,
      summary: 'A release',
      responses: { 200: Release },
      handler: async ({ access, viewer, params }) =>
        ok(present(await releases.get(viewer, access, params.id), access.repo)),
    }),
    defineOperation({
      ...read,
      id: 'repoGetReleaseByTag',
      method: 'GET',
      path: `${PATH}/tags/{tag*}`,
      summary: 'The release of a tag',
      responses: { 200: Release },
      handler: async ({ access, viewer, params }) =>
        ok(present(await releases.getByTag(viewer, access, params.tag), access.repo)),
    }),
  ]
}

function writeOperations({ guards, releases, site }: ReleaseOperationDeps): Operation[] {
  const write = {
    ...common,
    guard: guards.repo('write', { unit: 'repo.releases' }),
    errors: [401, 403, 404, 409, 413, 422],
  } as const
  const present = (view: ReleaseView, repo: Repo): Release => presentRelease(view, repoUrls(repo, site), site)
  return [
    defineOperation({
      ...write,
      id: 'repoCreateRelease',
      method: 'POST',
      path: PATH,
      summary: 'Create a release, and its tag unless it is there or the release is a draft',
      guard: guards.repo('write', { unit: 'repo.releases', archived: 'refuse' }),
      body: CreateReleaseOption,
      responses: { 201: Release },
      errors: [...write.errors, 423],
      async handler({ access, viewer, body }) {
        const view = await releases.create(requireUser(viewer), access, {
          ...editOf(body),
          tag: body.tag_name,
          tagMessage: body.tag_message,
        })
        return created(present(view, access.repo))
      },
    }),
    defineOperation({
      ...write,
      id: 'repoEditRelease',
      method: 'PATCH',
      path: `${PATH}/{id:int}`,
      summary: 'Edit a release; a draft is published with draft=false',
      body: EditReleaseOption,
      responses: { 200: Release },
      handler: async ({ access, viewer, params, body }) =>
        ok(present(await releases.edit(requireUser(viewer), access, params.id, editOf(body)), access.repo)),
    }),
    defineOperation({
      ...write,
      id: 'repoDeleteRelease',
      method: 'DELETE',
      path: `${PATH}/{id:int}`,
      summary: 'Delete a release with its files; the tag stays',
      responses: { 204: null },
      async handler({ access, viewer, params }) {
        const { release } = await releases.get(viewer, access, params.id)
        await releases.delete(requireUser(viewer), access.repo, release)
        return noContent()
      },
    }),
    defineOperation({
      ...write,
      id: 'repoDeleteReleaseByTag',
      method: 'DELETE',
      path: `${PATH}/tags/{tag*}`,
      summary: 'Delete the release of a tag with its files; the tag stays',
      responses: { 204: null },
      async handler({ access, viewer, params }) {
        const { release } = await releases.getByTag(viewer, access, params.tag)
        await releases.delete(requireUser(viewer), access.repo, release)
        return noContent()
      },
    }),
  ]
}

const editOf = (body: EditReleaseOption): ReleaseEdit => ({
  tag: body.tag_name,
  target: body.target_commitish,
  title: body.name,
  body: body.body,
  isDraft: body.draft,
  isPrerelease: body.prerelease,
  hideArchiveLinks: body.hide_archive_links,
})
