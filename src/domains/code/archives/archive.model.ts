import { Type, type Static } from '@sinclair/typebox'

/** The download counts of the archives of a tag. */
export const TagArchiveDownloadCount = Type.Object(
  { zip: Type.Integer(), tar_gz: Type.Integer() },
  { $id: 'TagArchiveDownloadCount' },
)
export type TagArchiveDownloadCount = Static<typeof TagArchiveDownloadCount>
