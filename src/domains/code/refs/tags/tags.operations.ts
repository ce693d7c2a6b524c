import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { CreateTagOption, Tag } from '../refs.model.ts'
import { presentTag } from '../refs.present.ts'
import type { Tags } from './tags.service.ts'

const PATH = '/repos/{owner}/{repo}/tags'

interface TagOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly tags: Tags
  readonly site: Site
}

/** Tags (behaviour/git-data-and-transport#tags). */
export function tagOperations({ guards, tags, site }: TagOperationDeps): Operation[] {
  const read = guards.repo('read', { unit: 'repo.code' })
  const write = guards.repo('write', { unit: 'repo.code', archived: 'refuse' })
  const common = { area: 'repository', scopes: ['repository'] } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListTags',
      method: 'GET',
      path: PATH,
      summary: 'List tags, the newest first',
      guard: read,
      query: pagingQuery,
      responses: { 200: Type.Array(Tag) },
      async handler({ access: { repo }, paging }) {
        const page = await tags.list(repo, paging)
        return listed(
          page,
          page.items.map((tag) => presentTag(tag, repoUrls(repo, site))),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetTag',
      method: 'GET',
      path: `${PATH}/{tag*}`,
      summary: 'Get a tag',
      guard: read,
      responses: { 200: Tag },
      errors: [404],
      handler: async ({ access: { repo }, params }) =>
        ok(presentTag(await tags.get(repo, params.tag), repoUrls(repo, site))),
    }),
    defineOperation({
      ...common,
      id: 'repoCreateTag',
      method: 'POST',
      path: PATH,
      summary: 'Create a tag, annotated if it has a message',
      guard: write,
      body: CreateTagOption,
      responses: { 201: Tag },
      errors: [401, 403, 404, 409, 413, 422, 423],
      async handler({ access, viewer, body }) {
        const tag = await tags.create(viewer as SignedIn, access, {
          name: body.tag_name,
          target: body.target,
          message: body.message,
        })
        return created(presentTag(tag, repoUrls(access.repo, site)))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteTag',
      method: 'DELETE',
      path: `${PATH}/{tag*}`,
      summary: 'Delete a tag',
      guard: write,
      responses: { 204: null },
      errors: [401, 403, 404, 409, 422, 423],
      async handler({ access, viewer, params }) {
        await tags.delete(viewer as SignedIn, access, params.tag)
        return noContent()
      },
    }),
  ]
}
