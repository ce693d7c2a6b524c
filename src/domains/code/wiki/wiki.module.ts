import { defineModule } from '../../../core/module.ts'
import { wikiEvents } from './wiki.events.ts'
import { createWikiGuard, type WikiGuard } from './wiki.guards.ts'
import { wikiOperations } from './wiki.operations.ts'
import { createWikis, type Wikis } from './wikis.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly wikis: Wikis
  }
  interface Guards {
    readonly wiki: WikiGuard
  }
}

/** Wikis of repositories. */
export const module = defineModule({
  name: 'wiki',
  needs: ['quota', 'repoReconcilers', 'signer'],
  create({ config, database, git, clock, log, events, processes, site }, { quota, repoReconcilers, signer }, guards) {
    const wikis = createWikis({
      locks: processes.locks,
      database,
      git,
      clock,
      log,
      events,
      quota,
      signer,
      noReplyDomain: site.noReplyDomain,
      maxPageBytes: config.api.default_max_blob_size,
    })
    repoReconcilers.register((forEachRepo) => forEachRepo(wikis.reconcile))
    const wiki = createWikiGuard(guards.repo)
    return {
      services: { wikis },
      guards: { wiki },
      operations: wikiOperations({ wikiGuard: wiki, wikis, site }),
      events: wikiEvents,
    }
  },
})
