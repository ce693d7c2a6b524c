import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { copyDefaultWebhooks } from './webhook.store.ts'

/** Copies the site's default webhooks to a new repository. */
export const repoWebhookProjections: Projections = {
  'repo.created': (tx, { repoId, at }) => copyDefaultWebhooks(tx, asId(repoId), at),
}
