import { Type, type Static } from '@sinclair/typebox'

const shared = {
  name: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  target_commitish: Type.Optional(Type.String()),
  hide_archive_links: Type.Optional(Type.Boolean()),
}

export const CreateReleaseOption = Type.Object({ tag_name: Type.String(), tag_message: Type.Optional(Type.String()), ...shared }, { $id: 'CreateReleaseOption' })
export type CreateReleaseOption = Static<typeof CreateReleaseOption>

export const EditReleaseOption = Type.Object({ tag_name: Type.Optional(Type.String()), ...shared }, { $id: 'EditReleaseOption' })
export type EditReleaseOption = Static<typeof EditReleaseOption>

export const EditAttachmentOptions = Type.Object(
  { name: Type.Optional(Type.String()), browser_download_url: Type.Optional(Type.String()) },
  { $id: 'EditAttachmentOptions' },
)
export type EditAttachmentOptions = Static<typeof EditAttachmentOptions>
