import { type Static, Type } from '@sinclair/typebox'

export const ChangedFile = Type.Object(
  {
    filename: Type.String(),
    previous_filename: Type.Optional(Type.String({ description: 'The name before a rename' })),
    status: Type.String({ description: 'added, deleted, renamed, copied, unchanged (no line differs) or changed' }),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changes: Type.Integer(),
    html_url: Type.String(),
    contents_url: Type.String(),
    raw_url: Type.String(),
  },
  { $id: 'ChangedFile' },
)
export type ChangedFile = Static<typeof ChangedFile>
