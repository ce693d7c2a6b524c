import { Type, type Static } from '@sinclair/typebox'

export const CreateWikiPageOptions = Type.Object(
  {
    title: Type.Optional(Type.String()),
    content_base64: Type.Optional(Type.String({ description: 'The page in Markdown, as base64' })),
    message: Type.Optional(Type.String({ description: 'Of the commit' })),
  },
  { $id: 'CreateWikiPageOptions' },
)
export type CreateWikiPageOptions = Static<typeof CreateWikiPageOptions>
