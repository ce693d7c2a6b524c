import { defineModule } from '../../../core/module.ts'
import { assigneeOperations, repoTeamOperations } from './assignees.operations.ts'
import { collaboratorBlockProjections, repoCreatorProjections } from './collaborators.projection.ts'
import { type Collaboration, createCollaboration } from './collaboration.service.ts'
import { collaboratorEvents } from './collaborators.events.ts'
import { collaboratorOperations } from './collaborators.operations.ts'
import { deployKeyOperations } from './deploy-keys/deploy-keys.operations.ts'
import { createDeployKeys } from './deploy-keys/deploy-keys.service.ts'
import { teamRepoOperations } from './team-repos.operations.ts'
import { createRepoTeams, createTeamRepos, type TeamRepos } from './team-repos.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly collaboration: Collaboration
    readonly teamRepos: TeamRepos
  }
}

/** Access to a repository in addition to its owner: collaborators, teams and deploy keys. */
export const module = defineModule({
  name: 'collaborators',
  needs: ['repos'],
  create({ config, database, clock, events, site }, { repos }, guards) {
    const core = { database, clock, events }
    const collaboration = createCollaboration(core)
    const deployKeys = createDeployKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } })
    const teamDeps = { ...core, autoWatch: config.service.auto_watch_new_repos }
    const repoTeams = createRepoTeams(teamDeps)
    const teamRepos = createTeamRepos(teamDeps)
    return {
      services: { collaboration, teamRepos },
      operations: [
        ...assigneeOperations({ guards, collaboration, site }),
        ...collaboratorOperations({ guards, collaboration, site }),
        ...deployKeyOperations({ guards, deployKeys, repos, site }),
        ...repoTeamOperations({ guards, repoTeams, site }),
        ...teamRepoOperations({ guards, repos, site, teamRepos }),
      ],
      events: collaboratorEvents,
      projections: { ...collaboratorBlockProjections(events), ...repoCreatorProjections },
    }
  },
})
