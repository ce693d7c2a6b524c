import { Type } from '@sinclair/typebox'
import { PATH_LENGTH, URL_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import {
  AttachmentModel as Attachment,
  type Attachment as AttachmentEntity,
  EditAttachmentOptions,
  type RepoInView,
  type UploadRules,
  presentAttachment,
} from '../../repositories/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { presentAssets } from './release.present.ts'
import type { Releases } from './releases.service.ts'

const LIST = '/repos/{owner}/{repo}/releases/{id:int}/assets'
const ONE = `${LIST}/{attachment_id:int}`

const uploadQuery = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: PATH_LENGTH, description: 'Name of the file; the form may give it too' }),
  ),
  external_url: Type.Optional(
    Type.String({ maxLength: URL_LENGTH, description: 'Address of the file on another server, instead of its bytes' }),
  ),
})

interface ReleaseAssetOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly releases: Pick<Releases, 'get'>
  readonly attachments: Pick<Services['attachments'], 'delete' | 'edit' | 'get' | 'link' | 'upload'>
  readonly rules: UploadRules
  readonly site: Site
}

const common = { area: 'repository', scopes: ['repository'] } as const

/** Files of releases (behaviour/repositories#assets). */
export const releaseAssetOperations = (deps: ReleaseAssetOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations(deps: ReleaseAssetOperationDeps): Operation[] {
  const { guards, releases, site } = deps
  const read = { ...common, guard: guards.repo('read', { unit: 'repo.releases' }), errors: [403, 404] } as const
  return [
    defineOperation({
      ...read,
      id: 'repoListReleaseAttachments',
      method: 'GET',
      path: LIST,
      summary: 'The files of a release, by name',
      responses: { 200: Type.Array(Attachment) },
      handler: async ({ access, viewer, params }) =>
        ok(presentAssets(await releases.get(viewer, access, params.id), repoUrls(access.repo, site), site)),
    }),
    defineOperation({
      ...read,
      id: 'repoGetReleaseAttachment',
      method: 'GET',
      path: ONE,
      summary: 'A file of a release',
      responses: { 200: Attachment },
      handler: async ({ access, viewer, params }) =>
        ok(presentAttachment(await getFile(deps, viewer, access, params), site)),
    }),
  ]
}

function writeOperations(deps: ReleaseAssetOperationDeps): Operation[] {
  const { guards, releases, attachments, rules, site } = deps
  const write = {
    ...common,
    guard: guards.repo('write', { unit: 'repo.releases' }),
    errors: [400, 401, 403, 404, 413, 422],
  } as const
  const policy = { rules, refusal: 'bad-request' } as const
  return [
    defineOperation({
      ...write,
      id: 'repoCreateReleaseAttachment',
      method: 'POST',
      path: LIST,
      summary: 'Add a file: form field `attachment`, or the body as it is with ?name=',
      bodyKind: 'stream',
      checksDigest: true,
      query: uploadQuery,
      responses: { 201: Attachment },
      async handler({ access, viewer, params, query, upload }) {
        const { release } = await releases.get(viewer, access, params.id)
        const place = { repoId: access.repo.id, releaseId: release.id }
        const actor = requireUser(viewer)
        const form = { field: 'attachment', maxBytes: rules.maxBytes, query, raw: true }
        const attachment = await upload(form, (sent) =>
          sent.kind === 'link'
            ? attachments.link(actor, place, sent, policy)
            : attachments.upload(actor, place, sent, policy),
        )
        return created(presentAttachment(attachment, site))
      },
    }),
    defineOperation({
      ...write,
      id: 'repoEditReleaseAttachment',
      method: 'PATCH',
      path: ONE,
      summary: 'Rename a file, or change the address of one on another server',
      body: EditAttachmentOptions,
      responses: { 201: Attachment },
      async handler({ access, viewer, params, body }) {
        const found = await getFile(deps, viewer, access, params)
        const edit = { name: body.name || undefined, externalUrl: body.browser_download_url || undefined }
        return created(presentAttachment(await attachments.edit(found, edit, rules), site))
      },
    }),
    defineOperation({
      ...write,
      id: 'repoDeleteReleaseAttachment',
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a file of a release',
      responses: { 204: null },
      async handler({ access, viewer, params }) {
        await attachments.delete(await getFile(deps, viewer, access, params))
        return noContent()
      },
    }),
  ]
}

/** Throws NotFound unless the release is visible and has the file. */
async function getFile(
  { releases, attachments }: Pick<ReleaseAssetOperationDeps, 'attachments' | 'releases'>,
  viewer: Viewer,
  target: RepoInView,
  params: { readonly id: number; readonly attachment_id: number },
): Promise<AttachmentEntity> {
  const { release } = await releases.get(viewer, target, params.id)
  return attachments.get('release', release.id, params.attachment_id)
}
