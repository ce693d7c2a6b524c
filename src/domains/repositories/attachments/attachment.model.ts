import { type Static, Type } from '@sinclair/typebox'
import { PATH_LENGTH, URL_LENGTH } from '../../../core/http/body/limits.ts'

/** A file of a release, an issue or a comment. */
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

export const EditAttachmentOptions = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: PATH_LENGTH })),
    browser_download_url: Type.Optional(Type.String({ maxLength: URL_LENGTH })),
  },
  { $id: 'EditAttachmentOptions' },
)
export type EditAttachmentOptions = Static<typeof EditAttachmentOptions>
