import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { copyDefaultWebhooks } from './webhook.store.ts'

/** A new repository starts with a copy of the site's default webhooks. */
export const repoWebhookProjections: Projections = {
  'repo.created': (tx, { repoId, at }) => copyDefaultWebhooks(tx, asId(repoId), at),
}
