import { type Static, Type } from '@sinclair/typebox'
import { RepositoryMeta } from '../../../core/access/repo-meta.model.ts'

const Span = Type.Object({
  start: Type.Integer({ description: 'Characters of the text before the match' }),
  end: Type.Integer({ description: 'Characters of the text up to the end of the match' }),
})

const CodeSearchFragment = Type.Object(
  {
    line: Type.Integer({ description: 'Number of the line, from 1' }),
    column: Type.Integer({ description: 'Column of the first character of the text: 1, unless a long line was cut' }),
    text: Type.String({ description: 'The line' }),
    matches: Type.Array(Span),
  },
  { $id: 'CodeSearchFragment' },
)

const CodeSearchResult = Type.Object(
  {
    repository: RepositoryMeta,
    branch: Type.String({ description: 'The default branch' }),
    path: Type.String(),
    sha: Type.String({ description: 'Id of the blob' }),
    language: Type.String({ description: 'Empty if unknown' }),
    html_url: Type.String(),
    fragments: Type.Array(CodeSearchFragment, { description: 'The first lines with matches' }),
  },
  { $id: 'CodeSearchResult' },
)
export type CodeSearchResult = Static<typeof CodeSearchResult>

export const CodeSearchResults = Type.Object(
  {
    total_count: Type.Integer({ description: 'Files that were found' }),
    incomplete: Type.Boolean({ description: 'A limit ended the search, or files are being indexed: more may match' }),
    items: Type.Array(CodeSearchResult),
  },
  { $id: 'CodeSearchResults' },
)
