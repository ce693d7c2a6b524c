import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH, PAGE_LENGTH, PATH_LENGTH } from '../../../core/http/body/limits.ts'

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

export const MarkdownOption = Type.Object(
  {
    Text: text(PAGE_LENGTH, 'Markdown to render'),
    Mode: text(NAME_LENGTH, '"" or markdown: a plain document; gfm: a document of a repository; comment; wiki'),
    Context: text(
      PATH_LENGTH,
      'Where relative links lead: /{owner}/{repo} or /{owner}/{repo}/src/branch/{branch}/{dir}',
    ),
    Wiki: Type.Optional(Type.Boolean({ description: 'The text is a wiki page' })),
  },
  { $id: 'MarkdownOption' },
)
export type MarkdownOption = Static<typeof MarkdownOption>

export const MarkupOption = Type.Object(
  {
    Text: text(PAGE_LENGTH, 'Text to render'),
    Mode: text(NAME_LENGTH, 'As for markdown, or file: the extension of FilePath picks the renderer'),
    Context: text(PATH_LENGTH, 'Where relative links lead'),
    FilePath: text(PATH_LENGTH, 'Path of the file, for mode file'),
    Wiki: Type.Optional(Type.Boolean({ description: 'The text is a wiki page' })),
    BranchPath: text(PATH_LENGTH, 'Older form of the part of Context after /src/'),
  },
  { $id: 'MarkupOption' },
)
export type MarkupOption = Static<typeof MarkupOption>

/** The body of the raw form: the text itself. */
export const RawText = Type.Object({ text: Type.String({ maxLength: PAGE_LENGTH }) })
