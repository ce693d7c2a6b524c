import { type Static, Type } from '@sinclair/typebox'

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
  { name: Type.Optional(Type.String()), browser_download_url: Type.Optional(Type.String()) },
  { $id: 'EditAttachmentOptions' },
)
export type EditAttachmentOptions = Static<typeof EditAttachmentOptions>
