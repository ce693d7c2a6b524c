import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { OneOf } from '../../../core/http/answer/text.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { LdapOptions, LdapView } from './ldap/ldap.model.ts'
import { OidcOptions, OidcView } from './oidc/oidc.model.ts'

const Count = (description: string) => Type.Integer({ description })

const SyncReport = Type.Object(
  {
    finished_at: Type.String({ format: 'date-time' }),
    complete: Type.Boolean({ description: 'The directory gave all entries; otherwise no account was deactivated' }),
    entries: Count('Entries of the directory that the filter selects'),
    created: Count('New accounts'),
    updated: Count('Changed accounts'),
    deactivated: Count('Accounts that the directory no longer knows'),
    skipped: Count('People without an account, and accounts that could not be changed'),
    problems: Type.Array(Type.String(), { description: 'The first reasons' }),
  },
  { description: 'What the last synchronization did' },
)

/** In answers and requests the settings are in the member with the name of the kind. */
export const AuthSource = Type.Object(
  {
    id: Type.Integer({ description: 'As in `source_id` of users' }),
    name: Type.String(),
    kind: Type.String({ description: 'ldap or oidc' }),
    is_active: Type.Boolean({ description: 'Its accounts can sign in' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    last_sync: Nullable(SyncReport),
    ldap: Type.Optional(LdapView),
    oidc: Type.Optional(OidcView),
  },
  { $id: 'AuthSource', description: 'A sign-in source. Secrets are never returned.' },
)
export type AuthSource = Static<typeof AuthSource>

const Name = Type.String({ maxLength: NAME_LENGTH })

export const CreateAuthSourceOption = Type.Object(
  {
    name: Name,
    kind: OneOf('ldap', 'oidc'),
    is_active: Type.Optional(Type.Boolean({ default: true })),
    ldap: Type.Optional(LdapOptions),
    oidc: Type.Optional(OidcOptions),
  },
  { $id: 'CreateAuthSourceOption' },
)
export type CreateAuthSourceOption = Static<typeof CreateAuthSourceOption>

export const EditAuthSourceOption = Type.Object(
  {
    name: Type.Optional(Name),
    is_active: Type.Optional(Type.Boolean()),
    ldap: Type.Optional(LdapOptions),
    oidc: Type.Optional(OidcOptions),
  },
  { $id: 'EditAuthSourceOption', description: 'Absent members are unchanged, those of the settings too' },
)
export type EditAuthSourceOption = Static<typeof EditAuthSourceOption>

export const TestAuthSourceOption = Type.Object(
  {
    login: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Whom to look for' })),
    password: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Checked as at a sign-in' })),
  },
  { $id: 'TestAuthSourceOption' },
)

const TeamName = Type.Object({ organization: Type.String(), team: Type.String() })

export const AuthSourceTest = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String(),
    person: Nullable(
      Type.Object(
        {
          login_name: Type.String(),
          subject: Type.String(),
          email: Type.String(),
          full_name: Type.String(),
          is_admin: Nullable(Type.Boolean({ description: 'null: the source does not decide' })),
          is_restricted: Nullable(Type.Boolean({ description: 'null: the source does not decide' })),
          ssh_keys: Nullable(Type.Array(Type.String())),
          teams: Nullable(Type.Array(TeamName)),
        },
        { description: 'What the source says of the person' },
      ),
    ),
  },
  { $id: 'AuthSourceTest' },
)
export type AuthSourceTest = Static<typeof AuthSourceTest>
