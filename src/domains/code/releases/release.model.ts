import { type Static, Type } from '@sinclair/typebox'
import { importedAuthorMembers } from '../../../core/http/openapi/imported-author.ts'
import { PAGE_LENGTH, PATH_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { TagArchiveDownloadCount } from '../archives/archive.model.ts'
import { AttachmentModel as Attachment } from '../../repositories/index.ts'
import { UserModel as User } from '../../accounts/index.ts'

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
    ...importedAuthorMembers,
    assets: Type.Array(Attachment),
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'Release' },
)
export type Release = Static<typeof Release>

const shared = {
  name: Type.Optional(Type.String({ maxLength: PATH_LENGTH })),
  body: Type.Optional(Type.String({ maxLength: PAGE_LENGTH })),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  target_commitish: Type.Optional(Type.String({ maxLength: PATH_LENGTH })),
  hide_archive_links: Type.Optional(Type.Boolean()),
}

export const CreateReleaseOption = Type.Object(
  {
    tag_name: Type.String({ maxLength: PATH_LENGTH }),
    tag_message: Type.Optional(Type.String({ maxLength: TEXT_LENGTH })),
    ...shared,
  },
  { $id: 'CreateReleaseOption' },
)
export type CreateReleaseOption = Static<typeof CreateReleaseOption>

export const EditReleaseOption = Type.Object(
  { tag_name: Type.Optional(Type.String({ maxLength: PATH_LENGTH })), ...shared },
  { $id: 'EditReleaseOption' },
)
export type EditReleaseOption = Static<typeof EditReleaseOption>
