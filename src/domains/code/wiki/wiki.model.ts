import { type Static, Type } from '@sinclair/typebox'
import { FILES_BODY_BYTES, PATH_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { CommitUser } from '../history/commit.model.ts'

export const WikiCommit = Type.Object(
  {
    sha: Type.String(),
    author: CommitUser,
    /** The spelling of the API. */
    commiter: CommitUser,
    message: Type.String(),
  },
  { $id: 'WikiCommit' },
)
export type WikiCommit = Static<typeof WikiCommit>

const meta = { title: Type.String(), html_url: Type.String(), sub_url: Type.String(), last_commit: WikiCommit }

export const WikiPageMetaData = Type.Object(meta, { $id: 'WikiPageMetaData' })
export type WikiPageMetaData = Static<typeof WikiPageMetaData>

export const WikiPage = Type.Object(
  {
    ...meta,
    content_base64: Type.String(),
    commit_count: Type.Integer(),
    sidebar: Type.String(),
    footer: Type.String(),
  },
  { $id: 'WikiPage' },
)
export type WikiPage = Static<typeof WikiPage>

export const WikiCommitList = Type.Object(
  { commits: Type.Array(WikiCommit), count: Type.Integer() },
  { $id: 'WikiCommitList' },
)
export type WikiCommitList = Static<typeof WikiCommitList>

export const CreateWikiPageOptions = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: PATH_LENGTH })),
    content_base64: Type.Optional(
      Type.String({ maxLength: FILES_BODY_BYTES, description: 'The page in Markdown, as base64' }),
    ),
    message: Type.Optional(Type.String({ maxLength: TEXT_LENGTH, description: 'Of the commit' })),
  },
  { $id: 'CreateWikiPageOptions' },
)
export type CreateWikiPageOptions = Static<typeof CreateWikiPageOptions>
