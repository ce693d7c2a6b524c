import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { UserModel } from '../../../accounts/index.ts'
import { Issue } from '../issue.model.ts'

const Name = Type.String({ maxLength: NAME_LENGTH, description: 'That of the path by default' })

export const IssueMeta = Type.Object(
  { owner: Type.Optional(Name), repo: Type.Optional(Name), index: Type.Optional(Type.Integer()) },
  { $id: 'IssueMeta' },
)
export type IssueMeta = Static<typeof IssueMeta>

/** An issue that another one depends on; one that the caller may not read has no user. */
export const IssueDependency = Type.Object(
  { ...Issue.properties, user: Nullable(UserModel) },
  { $id: 'IssueDependency' },
)
export type IssueDependency = Static<typeof IssueDependency>
