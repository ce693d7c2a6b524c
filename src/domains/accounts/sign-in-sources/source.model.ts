import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { OneOf } from '../../../core/http/answer/text.ts'
import { LdapOptions, LdapView } from './ldap/ldap.model.ts'

/** In answers and requests the settings are in the member with the name of the kind. */
export const AuthSource = Type.Object(
  {
    id: Type.Integer({ description: 'As in `source_id` of users' }),
    name: Type.String(),
    kind: Type.String({ description: 'Such as ldap' }),
    is_active: Type.Boolean({ description: 'Its accounts can sign in' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    ldap: Type.Optional(LdapView),
  },
  { $id: 'AuthSource', description: 'A sign-in source. Secrets are never returned.' },
)
export type AuthSource = Static<typeof AuthSource>

const Name = Type.String({ maxLength: NAME_LENGTH })

export const CreateAuthSourceOption = Type.Object(
  {
    name: Name,
    kind: OneOf('ldap'),
    is_active: Type.Optional(Type.Boolean({ default: true })),
    ldap: Type.Optional(LdapOptions),
  },
  { $id: 'CreateAuthSourceOption' },
)
export type CreateAuthSourceOption = Static<typeof CreateAuthSourceOption>

export const EditAuthSourceOption = Type.Object(
  { name: Type.Optional(Name), is_active: Type.Optional(Type.Boolean()), ldap: Type.Optional(LdapOptions) },
  { $id: 'EditAuthSourceOption', description: 'Absent members are unchanged, those of the settings too' },
)
export type EditAuthSourceOption = Static<typeof EditAuthSourceOption>
