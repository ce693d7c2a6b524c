import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, URL_LENGTH } from '../../../../core/http/body/limits.ts'

export const OAuth2Application = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    client_id: Type.String(),
    client_secret: Type.String({ description: 'In the answers that make it; empty ever after.' }),
    confidential_client: Type.Boolean(),
    skip_secondary_authorization: Type.Boolean(),
    redirect_uris: Type.Array(Type.String()),
    created: Type.String({ format: 'date-time' }),
  },
  { $id: 'OAuth2Application' },
)
export type OAuth2Application = Static<typeof OAuth2Application>

export const CreateOAuth2ApplicationOptions = Type.Object(
  {
    name: Type.String({ maxLength: 255 }),
    redirect_uris: Type.Array(Type.String({ maxLength: URL_LENGTH }), {
      maxItems: LIST_ITEMS,
      'x-field': 'RedirectURIs',
      description: 'Where users may be sent back to; compared exactly, but for the port of loopback addresses.',
    }),
    confidential_client: Type.Optional(Type.Boolean({ description: 'It can keep a secret; others must use PKCE.' })),
    skip_secondary_authorization: Type.Optional(
      Type.Boolean({ description: 'Do not ask users again who agreed once.' }),
    ),
  },
  { $id: 'CreateOAuth2ApplicationOptions' },
)
export type CreateOAuth2ApplicationOptions = Static<typeof CreateOAuth2ApplicationOptions>
