import { defineModule } from '../../../core/module.ts'
import { createSources } from '../pages/sources.service.ts'
import { registerFeeds } from './feeds.routes.ts'

/** RSS and Atom feeds of accounts and repositories. */
export const module = defineModule({
  name: 'feeds',
  needs: ['activities', 'commitViews', 'orgs', 'releases', 'repos', 'tags', 'users', 'webAccess'],
  create({ database, git, site }, services) {
    const sources = createSources({ database, git, commitViews: services.commitViews })
    return {
      routes(http) {
        registerFeeds(http, { ...services, site, sources })
      },
    }
  },
})
