import { defineModule } from '../../../core/module.ts'
import { createForkSyncs, createForks } from './forks.service.ts'
import { forkEvents } from './forks.events.ts'
import { forkOperations } from './forks.operations.ts'
import { createRepoGenerator } from './repo-generator.service.ts'
import { generateOperations, syncForkOperations } from './generate.operations.ts'
import { createUpstreams } from './upstreams.service.ts'

/** Forks, updating forks from their base, and repositories generated from templates. */
export const module = defineModule({
  name: 'forks',
  needs: [
    'branchRuleCopier',
    'labelCopier',
    'orgs',
    'pushes',
    'quota',
    'repoRules',
    'repos',
    'signer',
    'users',
    'webhookCopier',
  ],
  create({ config, database, git, clock, events, site }, services, guards) {
    const { orgs, pushes, quota, repoRules: rules, repos, signer, users } = services
    const { repository } = config
    const creating = { database, git, clock, events, quota, rules, signer }
    const copiers = [services.branchRuleCopier, services.labelCopier, services.webhookCopier]
    const generating = { ...creating, copiers, rootUrl: site.rootUrl, sshPrefix: site.sshPrefix }
    const forks = createForks({ ...creating, beyondLimit: repository.allow_fork_without_maximum_limit })
    const upstreams = createUpstreams({ database, git, clock, pushes, noReplyDomain: rules.noReplyDomain, signer })
    const forkSyncs = createForkSyncs({ database, git }, upstreams)
    const repoGenerator = createRepoGenerator(generating)
    return {
      operations: [
        ...forkOperations({ forks, guards, orgs, repos, site, users, isDisabled: repository.disable_forks }),
        ...generateOperations({ repoGenerator, guards, repos, site, upstreams }),
        ...syncForkOperations({ forkSyncs, guards }),
      ],
      events: forkEvents,
    }
  },
})
