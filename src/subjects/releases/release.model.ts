import { type Static, Type } from '@sinclair/typebox'
import { TagArchiveDownloadCount } from '../archives/index.ts'
import { AttachmentModel as Attachment } from '../attachments/index.ts'
import { UserModel as User } from '../users/index.ts'

export const Release = Type.Object(
  {
    id: Type.Integer(),
    tag_name: Type.String(),
    target_commitish: Type.String(),
    name: Type.String(),
    body: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    tarball_url: Type.String(),
    zipball_url: Type.String(),
    hide_archive_links: Type.Boolean(),
    upload_url: Type.String(),
    draft: Type.Boolean(),
    prerelease: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    published_at: Type.String({ format: 'date-time' }),
    author: User,
    assets: Type.Array(Attachment),
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'Release' },
)
export type Release = Static<typeof Release>

const shared = {
  name: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  target_commitish: Type.Optional(Type.String()),
  hide_archive_links: Type.Optional(Type.Boolean()),
}

export const CreateReleaseOption = Type.Object(
  { tag_name: Type.String(), tag_message: Type.Optional(Type.String()), ...shared },
  { $id: 'CreateReleaseOption' },
)
export type CreateReleaseOption = Static<typeof CreateReleaseOption>

export const EditReleaseOption = Type.Object(
  { tag_name: Type.Optional(Type.String()), ...shared },
  { $id: 'EditReleaseOption' },
)
export type EditReleaseOption = Static<typeof EditReleaseOption>
