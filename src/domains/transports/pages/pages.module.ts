import { defineModule } from '../../../core/module.ts'
import { runPage, runsPage } from './actions/runs.page.ts'
import { apiPages } from './api.page.ts'
import { issuePage } from './issues/issue.page.ts'
import { issuesPage, pullsPage } from './issues/issues.page.ts'
import { labelsPage, milestonePage, milestonesPage } from './issues/milestones.page.ts'
import { notificationsPage } from './notifications.page.ts'
import { packagePage } from './package.page.ts'
import { pullPage } from './issues/pull.page.ts'
import { commitPage, commitsPage, homePage } from './pages.page.ts'
import { ownerPage, virtualOwnerPages } from './owner.page.ts'
import type { PageMaker } from './layout.ts'
import { type Page, registerPages } from './pages.routes.ts'
import { ownerProjectPage, repoProjectPage } from './project.page.ts'
import { branchesPage, tagsPage } from './refs.page.ts'
import { releasePage, releasesPage } from './releases.page.ts'
import { repoPage } from './repo.page.ts'
import { sourcePage } from './source.page.ts'
import { createSources } from './sources.service.ts'
import { createTexts } from './texts.service.ts'
import { wikiPage } from './wiki.page.ts'

const CODE = ['repository'] as const

/** Pages for which credentials need these scopes. */
const needing = (scopes: Page['scopes'], makers: Readonly<Record<string, PageMaker>>): Record<string, Page> =>
  Object.fromEntries(Object.entries(makers).map(([path, make]) => [path, { make, scopes }]))

/** Pages for people who open an `html_url`, and the page that `go get` requests. */
export const module = defineModule({
  name: 'pages',
  needs: [
    'artifacts',
    'branches',
    'commitViews',
    'commits',
    'issueLists',
    'issues',
    'jobLogs',
    'labels',
    'markup',
    'milestones',
    'packageAttestations',
    'packages',
    'projectCards',
    'projectColumns',
    'projects',
    'pullDiffs',
    'pulls',
    'releases',
    'repos',
    'reviewComments',
    'reviews',
    'runs',
    'stepSummaries',
    'tags',
    'threads',
    'timeline',
    'users',
    'webAccess',
    'wikis',
  ],
  create({ clock, config, database, git, rateLimits, site }, services) {
    const { api, repository, server, service, ssh } = config
    const { commitViews, markup, repos, webAccess } = services
    const deps = {
      ...services,
      database,
      site,
      sources: createSources({ database, git, commitViews }),
      texts: createTexts({ markup, clock }),
      settings: {
        documentationUrl: server.documentation_url,
        exploreNeedsSignIn: service.explore_require_signin_view,
        hasHttp: !repository.disable_http_git,
        hasReference: api.enable_swagger,
        hasSsh: ssh.enabled,
      },
    }
    const pages = {
      home: { make: homePage(deps), scopes: CODE },
      owner: { make: ownerPage(deps), scopes: CODE },
      virtualOwners: needing(CODE, virtualOwnerPages(site)),
      notifications: { make: notificationsPage(deps), scopes: ['notification'] as const },
      ofPackage: { make: packagePage(deps), scopes: ['package'] as const },
      ofProject: { make: ownerProjectPage(deps), scopes: CODE },
      ofRepo: {
        ...needing(CODE, {
          ...apiPages(deps),
          '': repoPage(deps),
          '/src/*': sourcePage(deps),
          '/commits/*': commitsPage(deps),
          '/commit/*': commitPage(deps),
          '/actions': runsPage(deps),
          '/actions/runs/*': runPage(deps),
          '/projects/*': repoProjectPage(deps),
          '/branches': branchesPage(deps),
          '/tags': tagsPage(deps),
          '/releases': releasesPage(deps),
          '/releases/tag/*': releasePage(deps),
          '/wiki': wikiPage(deps),
          '/wiki/*': wikiPage(deps),
        }),
        ...needing(['issue'], {
          '/issues': issuesPage(deps),
          '/issues/*': issuePage(deps),
          '/labels': labelsPage(deps),
          '/milestones': milestonesPage(deps),
          '/milestone/*': milestonePage(deps),
        }),
        ...needing(['issue', 'repository'], { '/pulls': pullsPage(deps), '/pulls/*': pullPage(deps) }),
      },
    }
    const goGet = {
      repos,
      defaultBranch: repository.default_branch,
      cloneBy: repository.go_get_clone_url_protocol,
      site,
    }
    return {
      routes(http) {
        registerPages(http, { pages, webAccess, goGet, rateLimit: rateLimits.anonymous, rootUrl: site.rootUrl })
      },
    }
  },
})
