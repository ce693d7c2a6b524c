import { Type, type Static } from '@sinclair/typebox'
import { TagArchiveDownloadCount } from './tag.ts'
import { User } from './user.ts'

export const Attachment = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    size: Type.Integer(),
    download_count: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    uuid: Type.String(),
    browser_download_url: Type.String(),
    type: Type.String(),
  },
  { $id: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>

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
