import { Type, type Static } from '@sinclair/typebox'

/** How often the archives of a tag were downloaded. */
export const TagArchiveDownloadCount = Type.Object(
  { zip: Type.Integer(), tar_gz: Type.Integer() },
  { $id: 'TagArchiveDownloadCount' },
)
export type TagArchiveDownloadCount = Static<typeof TagArchiveDownloadCount>
