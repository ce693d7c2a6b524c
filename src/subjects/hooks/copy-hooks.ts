import { isRepoAdmin } from '../../access/repo-access.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TemplateCopier } from '../forks/generate-repo.ts'
import { loadRepoAccess } from '../repos/lookup.ts'
import { copyRepoWebhooks } from './webhook.store.ts'

/**
 * Takes a template's webhooks over into what is made after it. They hold addresses and secrets that administrators of
 * the template alone may read: for everybody else there is nothing to take.
 */
export const webhookCopier = (clock: Clock): TemplateCopier => ({
  item: 'webhooks',
  async copy(tx, template, repoId, viewer) {
    if (isRepoAdmin(await loadRepoAccess(tx, viewer, template)))
      await copyRepoWebhooks(tx, template.id, repoId, clock.now())
  },
})
