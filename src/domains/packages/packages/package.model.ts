import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { Repository } from '../../repositories/index.ts'
import { UserModel as User } from '../../accounts/index.ts'

export const Package = Type.Object(
  {
    id: Type.Integer(),
    owner: User,
    /** Null without a link, and when the viewer may not see the repository. */
    repository: Nullable(Type.Unsafe<Repository>(Repository)),
    creator: User,
    type: Type.String(),
    name: Type.String(),
    version: Type.String(),
    html_url: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Package' },
)
export type Package = Static<typeof Package>

export const PackageFile = Type.Object(
  {
    id: Type.Integer(),
    size: Type.Integer({ description: 'Bytes' }),
    Size: Type.Integer({ description: 'The same as size, for clients of Forgejo' }),
    name: Type.String(),
    md5: Type.String(),
    sha1: Type.String(),
    sha256: Type.String(),
    sha512: Type.String(),
  },
  { $id: 'PackageFile' },
)
export type PackageFile = Static<typeof PackageFile>
