import { Type, type Static } from '@sinclair/typebox'

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
