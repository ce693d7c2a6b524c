import { type Static, Type } from '@sinclair/typebox'
import { RepositoryMeta } from '../../../core/access/repo-meta.model.ts'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { Timestamp } from '../../../core/http/answer/text.ts'

export const AccessToken = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    sha1: Type.String({ description: 'The value, in the answer that creates the token; empty ever after.' }),
    token_last_eight: Type.String(),
    scopes: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time' }),
    expires_at: Nullable(
      Type.String({ format: 'date-time', description: 'From then on the token is refused; null: never.' }),
    ),
    repositories: Nullable(
      Type.Array(RepositoryMeta, { description: 'The only repositories that it may access; null: all.' }),
    ),
  },
  { $id: 'AccessToken' },
)
export type AccessToken = Static<typeof AccessToken>

const RepoTarget = Type.Object(
  { owner: Type.String({ maxLength: NAME_LENGTH }), name: Type.String({ maxLength: NAME_LENGTH }) },
  { $id: 'RepoTargetOption' },
)

export const CreateAccessTokenOption = Type.Object(
  {
    name: Type.String({ maxLength: 255 }),
    scopes: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })),
    expires_at: Type.Optional(Timestamp({ description: 'From then on the token is refused; without it never.' })),
    repositories: Type.Optional(
      Type.Array(Type.Union([Type.String({ maxLength: NAME_LENGTH }), RepoTarget]), {
        maxItems: LIST_ITEMS,
        description:
          'owner/name of the only repositories the token may reach; without it all. Everything else looks missing ' +
          'to it.',
      }),
    ),
  },
  { $id: 'CreateAccessTokenOption' },
)
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>

export const CurrentAccessToken = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time' }),
    user: Type.Object({ id: Type.Integer(), login: Type.String() }, { $id: 'UserMeta' }),
  },
  { $id: 'CurrentAccessToken' },
)
export type CurrentAccessToken = Static<typeof CurrentAccessToken>

export const TwoFactorStatus = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Signing in with the password asks for a one-time code.' }),
    pending: Type.Boolean({ description: 'A secret was made and waits for its first code.' }),
    recovery_codes_left: Type.Integer(),
  },
  { $id: 'TwoFactorStatus' },
)
export type TwoFactorStatus = Static<typeof TwoFactorStatus>

export const TwoFactorEnrolment = Type.Object(
  {
    secret: Type.String({ description: 'Base32, to be typed into an authenticator app.' }),
    url: Type.String({ description: 'otpauth://totp/..., to be shown to it as a QR code.' }),
  },
  { $id: 'TwoFactorEnrolment' },
)

export const TwoFactorRecovery = Type.Object(
  { recovery_codes: Type.Array(Type.String(), { description: 'Each works once in place of a code; shown only now.' }) },
  { $id: 'TwoFactorRecovery' },
)

export const ConfirmTwoFactorOption = Type.Object(
  { code: Type.String({ maxLength: 32, description: 'The code that the authenticator app shows' }) },
  { $id: 'ConfirmTwoFactorOption' },
)
