import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'

const GitObject = Type.Object({ type: Type.String(), sha: Type.String(), url: Type.String() }, { $id: 'GitObject' })

export const Reference = Type.Object(
  { ref: Type.String(), url: Type.String(), object: GitObject },
  { $id: 'Reference' },
)
export type Reference = Static<typeof Reference>

const GitEntry = Type.Object(
  {
    path: Type.String(),
    mode: Type.String(),
    type: Type.String(),
    size: Type.Integer(),
    sha: Type.String(),
    url: Type.String(),
  },
  { $id: 'GitEntry' },
)

export const GitTreeResponse = Type.Object(
  {
    sha: Type.String(),
    url: Type.String(),
    tree: Type.Array(GitEntry),
    truncated: Type.Boolean(),
    page: Type.Integer(),
    total_count: Type.Integer(),
  },
  { $id: 'GitTreeResponse' },
)
export type GitTreeResponse = Static<typeof GitTreeResponse>

export const GitBlobResponse = Type.Object(
  {
    content: Nullable(Type.String()),
    encoding: Nullable(Type.String()),
    url: Type.String(),
    sha: Type.String(),
    size: Type.Integer(),
    /** Only for the pointer of an LFS object. */
    lfs_oid: Type.Optional(Type.String()),
    lfs_size: Type.Optional(Type.Integer()),
  },
  { $id: 'GitBlobResponse' },
)
export type GitBlobResponse = Static<typeof GitBlobResponse>
