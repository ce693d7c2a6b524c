import { Type, type Static } from '@sinclair/typebox'

const text = (description: string) => Type.Optional(Type.String({ description }))

export const MarkdownOption = Type.Object(
  {
    Text: text('Markdown to render'),
    Mode: text('"" or markdown: a plain document; gfm: a document of a repository; comment; wiki'),
    Context: text('Where relative links lead: /{owner}/{repo} or /{owner}/{repo}/src/branch/{branch}/{dir}'),
    Wiki: Type.Optional(Type.Boolean({ description: 'The text is a wiki page' })),
  },
  { $id: 'MarkdownOption' },
)
export type MarkdownOption = Static<typeof MarkdownOption>

export const MarkupOption = Type.Object(
  {
    Text: text('Text to render'),
    Mode: text('As for markdown, or file: the extension of FilePath picks the renderer'),
    Context: text('Where relative links lead'),
    FilePath: text('Path of the file, for mode file'),
    Wiki: Type.Optional(Type.Boolean({ description: 'The text is a wiki page' })),
    BranchPath: text('Older form of the part of Context after /src/'),
  },
  { $id: 'MarkupOption' },
)
export type MarkupOption = Static<typeof MarkupOption>

/** The body of the raw form: the text itself. */
export const RawText = Type.Object({ text: Type.String() })
