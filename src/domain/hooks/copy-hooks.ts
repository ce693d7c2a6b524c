import { copyRepoWebhooks } from '../../db/stores/webhook.store.ts'
import type { Clock } from '../../platform/clock.ts'
import { isRepoAdmin } from '../../policy/repo-access.ts'
import { loadRepoAccess } from '../access/index.ts'
import type { TemplateCopier } from '../repos/index.ts'

/**
 * Takes a template's webhooks over into what is made after it. They hold addresses and secrets that administrators of the
 * template alone may read: for everybody else there is nothing to take.
 */
export const webhookCopier = (clock: Clock): TemplateCopier => ({
  item: 'webhooks',
  async copy(tx, template, repoId, viewer) {
    if (isRepoAdmin(await loadRepoAccess(tx, viewer, template))) await copyRepoWebhooks(tx, template.id, repoId, clock.now())
  },
})
