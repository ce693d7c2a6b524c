import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Application = { user_id: Type.Integer(), application_id: Type.Integer(), name: Type.String() }
const Grant = { ...Application, scope: Type.String() }

/** `name` is the name of the application. */
export const oauthEvents = {
  'oauth.application_created': Type.Object(Application),
  'oauth.application_deleted': Type.Object(Application),
  /** Every edit generates a new secret. */
  'oauth.application_edited': Type.Object(Application),
  'oauth.grant_given': Type.Object(Grant),
  'oauth.grant_revoked': Type.Object(Grant),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof oauthEvents> {}
}
