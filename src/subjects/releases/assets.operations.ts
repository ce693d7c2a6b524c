import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../access/repo-urls.ts'
import type { SignedIn } from '../../access/viewer.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { created, noContent, ok } from '../../http/answer.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { receiveUpload } from '../../http/upload.ts'
import { parseInteger } from '../../platform/paging.ts'
import { presentAttachment } from '../attachments/attachment.present.ts'
import type { UploadPolicy } from '../attachments/attachments.service.ts'
import { Attachment, EditAttachmentOptions } from './release.model.ts'
import { presentAssets } from './release.present.ts'

const LIST = '/repos/{owner}/{repo}/releases/{id}/assets'
const ONE = `${LIST}/{attachment_id}`

const uploadQuery = Type.Object({
  name: Type.Optional(Type.String({ description: 'Name of the file; the form may give it too' })),
  external_url: Type.Optional(
    Type.String({ description: 'Address of the file on another server, instead of its bytes' }),
  ),
})

/** Files of releases (reference repositories §19). */
export function releaseAssetOperations({
  guards,
  releases,
  attachments,
  uploadRules,
  site,
}: Pick<AreaDeps, 'guards' | 'releases' | 'attachments' | 'uploadRules' | 'site'>): Operation[] {
  const common = { area: 'repository', scopes: ['repository'] } as const
  const read = { ...common, guard: guards.repo('read', { unit: 'repo.releases' }), errors: [403, 404] } as const
  const write = {
    ...common,
    guard: guards.repo('write', { unit: 'repo.releases' }),
    errors: [400, 401, 403, 404, 413, 422],
  } as const
  const rules = uploadRules.releases
  const policy: UploadPolicy = { rules, refusal: 'bad-request' }
  return [
    defineOperation({
      ...read,
      id: 'repoListReleaseAttachments',
      method: 'GET',
      path: LIST,
      summary: 'The files of a release, by name',
      responses: { 200: Type.Array(Attachment) },
      handler: async ({ access, viewer, params }) =>
        ok(
          presentAssets(
            await releases.get(viewer, access, parseInteger(params['id'])),
            repoUrls(access.repo, site),
            site,
          ),
        ),
    }),
    defineOperation({
      ...read,
      id: 'repoGetReleaseAttachment',
      method: 'GET',
      path: ONE,
      summary: 'A file of a release',
      responses: { 200: Attachment },
      async handler({ access, viewer, params }) {
        const { release } = await releases.get(viewer, access, parseInteger(params['id']))
        return ok(
          presentAttachment(
            await attachments.get('release_id', release.id, parseInteger(params['attachment_id'])),
            site,
          ),
        )
      },
    }),
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
      async handler({ access, viewer, params, query, request, reply }) {
        const { release } = await releases.get(viewer, access, parseInteger(params['id']))
        const place = { repoId: access.repo.id, releaseId: release.id }
        const { id: uploader } = (viewer as SignedIn).account
        const form = { field: 'attachment', maxBytes: rules.maxBytes, query, raw: true }
        const made = await receiveUpload({ request, reply }, form, (sent) =>
          sent.kind === 'link'
            ? attachments.link(uploader, place, sent, policy)
            : attachments.upload(uploader, place, sent, policy),
        )
        return created(presentAttachment(made, site))
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
        const { release } = await releases.get(viewer, access, parseInteger(params['id']))
        const found = await attachments.get('release_id', release.id, parseInteger(params['attachment_id']))
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
        const { release } = await releases.get(viewer, access, parseInteger(params['id']))
        await attachments.remove(await attachments.get('release_id', release.id, parseInteger(params['attachment_id'])))
        return noContent()
      },
    }),
  ]
}
