import { Type } from '@sinclair/typebox'

/** A repository by its names, in objects of which it is a part. */
export const RepositoryMeta = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    owner: Type.String({ description: 'Login name' }),
    full_name: Type.String(),
  },
  { $id: 'RepositoryMeta' },
)
