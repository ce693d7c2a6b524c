import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createAdminServices } from './app/admin.ts'
import { createAroundServices } from './app/around.ts'
import { createAvatarServices } from './app/avatars.ts'
import { type Background, createBackground } from './app/background.ts'
import { createCode } from './app/code.service.ts'
import { corsSettings } from './app/cors.ts'
import { lockDataDir, openDataDir } from './app/data-dir.ts'
import type { AreaDeps } from './app/deps.ts'
import { createGitDoors, type GitDoors, openGitHttp } from './app/git-doors.ts'
import { createSshDoor } from './app/git-ssh.ts'
import { createHookServices } from './app/hooks.ts'
import { createKeyServices, trustedAuthorities } from './app/keys.ts'
import { createLfsServices, type LfsServices, openLfs } from './app/lfs.ts'
import { createMirrorServices } from './app/mirrors.ts'
import { allOperations } from './app/operations.ts'
import { createOrgServices } from './app/orgs.ts'
import { createQuotaServices } from './app/quota.ts'
import { createReleaseServices, type ReleaseServices } from './app/releases.ts'
import { codeSettings, disabledUnits, repoRules } from './app/repo-rules.ts'
import { createRepoSurroundings } from './app/repo-surroundings.ts'
import { createRepoServices } from './app/repos.ts'
import { closeWithin } from './app/shutdown.ts'
import { createAuthentication, createSignInServices, openSignIn, type SignInServices } from './app/sign-in.ts'
import { loadSigner } from './app/signing.ts'
import { prepareMetrics, registerSystem } from './app/system.ts'
import { createUserServices } from './app/users.ts'
import { openWebDoors } from './app/web-doors.ts'
import { createWikiServices } from './app/wikis.ts'
import type { Config } from './config/index.ts'
import { type Database, dialectFor, openDatabase } from './db/database.ts'
import { migrateOrClose } from './db/migrate.ts'
import { createGit, type Git } from './git/index.ts'
import type { Operation } from './http/operation.ts'
import { createPipeline } from './http/pipeline.ts'
import { createServer } from './http/server.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { createLogger, type Logger } from './platform/logger.ts'
import { INGOT_VERSION } from './platform/version.ts'
import { createSite } from './site.ts'
import { createMarkup } from './subjects/markup/markup.service.ts'
import { createOrgGuards } from './subjects/orgs/org.guards.ts'
import { createTeamGuard } from './subjects/orgs/team.guards.ts'
import type { AgitProposals } from './subjects/pushes/agit.ts'
import { createRepoCreationGuards } from './subjects/repos/creation/create-repo.guards.ts'
import type { RepoFiles } from './subjects/repos/repo-files.ts'
import { createRepoByIdGuard, createRepoGuard } from './subjects/repos/repo.guards.ts'
import { createRepos } from './subjects/repos/repos.service.ts'
import { createTrackerGuard } from './subjects/repos/tracker.guards.ts'
import { suspendUnits } from './subjects/repos/unit-suspension.store.ts'
import { createKeyLogins, type KeyLogins } from './subjects/sign-in/key-logins.ts'
import { TokenUse } from './subjects/sign-in/token-use.ts'
import { createUserGuards } from './subjects/users/user.guards.ts'
import { createWikiGuard } from './subjects/wiki/wiki.guards.ts'

/** What tests and commands may put in place of the real thing. */
export interface AppOverrides {
  readonly clock?: Clock
  readonly log?: Logger
  readonly database?: Database
  /** Keeps the pull requests that are made by a push alone. */
  readonly proposals?: AgitProposals
  /** Refuse to start while another process has the data directory. */
  readonly exclusive?: boolean
}

export interface Core
  extends Omit<AreaDeps, 'schedule'>, LfsServices, Pick<ReleaseServices, 'attachmentBlobs'>, SignInServices {
  readonly repoFiles: RepoFiles
  readonly database: Database
  readonly git: Git
  readonly gitDoors: GitDoors
  readonly clock: Clock
  readonly log: Logger
  readonly dataDir: string
  readonly keyLogins: KeyLogins
  readonly tokenUse: TokenUse
  /** Where the server is reached; set once it listens when the configuration does not say. */
  setRootUrl(url: string): void
  setSshPort(port: number): void
  close(): Promise<void>
}

export interface App extends Core {
  /** Events, jobs and scheduled tasks; the serve command starts it. */
  readonly background: Background
  readonly http: FastifyInstance
  readonly operations: readonly Operation[]
  /** Opens the doors that the configuration names; gives the URL of the HTTP server. */
  listen(): Promise<string>
}

/** The domain without any door: what the command line works on. */
export async function createCore(config: Config, overrides: AppOverrides = {}): Promise<Core> {
  const signer = await loadSigner(config)
  const authorities = trustedAuthorities(config)
  const dataDir = openDataDir(config.data_dir)
  const isServer = overrides.exclusive === true
  const lock = isServer ? lockDataDir(dataDir) : undefined
  const clock = overrides.clock ?? systemClock
  const log = overrides.log ?? createLogger(config.log.level)
  const database = overrides.database ?? openDatabase(dialectFor(config.database, dataDir))
  await migrateOrClose(database)
  if (isServer) await database.transaction((tx) => suspendUnits(tx, disabledUnits(config)))
  const git = await createGit({ root: join(dataDir, 'git'), log, clock })
  const { site, setRootUrl, setSshPort } = createSite(config)
  const { quota, ...quotaServices } = createQuotaServices({ config, database })
  const repoServices = createRepoServices({ quota, config, database, git, clock, log, rootUrl: site.rootUrl })
  const gitDoors = await createGitDoors({
    quota,
    ...repoServices,
    signer,
    config,
    git,
    database,
    clock,
    log,
    dataDir,
    version: INGOT_VERSION,
    isServer,
    proposals: overrides.proposals,
    rootUrl: () => site.rootUrl(),
  })
  const userServices = createUserServices({ config, database, clock, log })
  const { users } = userServices
  const orgServices = createOrgServices({ config, database, clock })
  const markup = createMarkup({ database, rootUrl: site.rootUrl })
  const repos = createRepos({ quota, database, git, clock, rules: repoRules(config), signer })
  const lfs = await createLfsServices({ quota, config, database, clock, dataDir, isServer })
  const code = createCode({
    database,
    git,
    clock,
    pushes: gitDoors.pushes,
    signer,
    lfs: config.lfs.enabled ? lfs.lfsObjects : undefined,
    archiveCache: gitDoors.archiveCache,
    settings: codeSettings(config),
  })
  const releaseServices = await createReleaseServices({ quota, config, database, git, clock, code, dataDir, isServer })
  const mirrorServices = createMirrorServices({
    quota,
    ...lfs,
    ...releaseServices,
    config,
    database,
    git,
    gitDoors,
    clock,
    log,
    dataDir,
  })
  const tokenUse = new TokenUse(database, log)
  const keyLogins = createKeyLogins({ database, clock, log, authorities })
  const guards = {
    ...createUserGuards(users),
    createRepo: createRepoCreationGuards({ orgs: orgServices.orgs, repos, users }),
    ...createOrgGuards(orgServices.orgs),
    repo: createRepoGuard(repos),
    wiki: createWikiGuard(repos),
    repoById: createRepoByIdGuard(repos),
    team: createTeamGuard(orgServices.teams),
    tracker: createTrackerGuard(repos),
  }
  return {
    ...createAdminServices({ quota, config, database, git, clock, rootUrl: site.rootUrl }),
    ...(await createAvatarServices({ config, database, clock, dataDir, isServer })),
    ...createHookServices({ config, database, clock, dataDir }),
    clock,
    code,
    config,
    database,
    dataDir,
    ...createKeyServices({ config, database, clock }),
    ...createWikiServices({ quota, config, database, git, clock, log, signer }),
    git,
    gitDoors,
    guards,
    keyLogins,
    log,
    ...lfs,
    ...orgServices,
    ...quotaServices,
    ...createSignInServices({ config, database, clock, dataDir, site }),
    ...repoServices,
    ...mirrorServices,
    ...releaseServices,
    markup,
    repos,
    setRootUrl,
    signer,
    setSshPort,
    site,
    tokenUse,
    ...userServices,
    ...createAroundServices({ quota, config, database, git, clock, log, signer, site }),
    ...createRepoSurroundings({ config, database, clock }),
    async close() {
      await Promise.all([mirrorServices.migrations.close(), mirrorServices.pushMirrors.close()])
      await Promise.all([tokenUse.flush(), keyLogins.flush()])
      await markup.close()
      git.close()
      await database.close()
      lock?.release()
    },
  }
}

/** The whole server, not yet listening. */
export async function createApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const core = await createCore(config, { ...overrides, exclusive: true })
  const { service, security, api, server } = config
  const settings = {
    queryTokens: !security.disable_query_auth_token,
    proxyHeaders: service.enable_reverse_proxy_authentication_api
      ? {
          user: security.reverse_proxy_authentication_user,
          email: security.reverse_proxy_authentication_email,
          fullName: security.reverse_proxy_authentication_full_name,
        }
      : undefined,
    requireSignIn: service.require_signin_view,
    paging: { defaultLimit: api.default_paging_num, maxLimit: api.max_response_items },
    rootUrl: core.site.rootUrl,
  }
  const { authenticate, checkPassword } = createAuthentication(core)
  const background = createBackground(core)
  const operations = allOperations({ ...core, schedule: background.schedule })
  const metrics = await prepareMetrics(core)
  const ssh = createSshDoor(core)
  const http = await createServer({
    log: core.log,
    operations,
    prepare: metrics.prepare,
    pipeline: createPipeline({ authenticate, users: core.users, settings }),
    settings: {
      bodyLimit: server.body_limit,
      receiveTimeoutMs: server.receive_timeout * 1000,
      trustProxy: server.trust_proxy,
      rootUrl: core.site.rootUrl,
      cors: corsSettings(config),
    },
  })
  openGitHttp(http, {
    config,
    git: core.git,
    log: core.log,
    repos: core.repos,
    users: core.users,
    wikis: core.wikis,
    doors: core.gitDoors,
    authenticate,
  })
  openLfs(http, { ...core, authenticate })
  openWebDoors(http, { ...core, authenticate })
  await openSignIn(http, { ...core, authenticate, checkPassword })
  registerSystem(http, { core, operations })
  return {
    ...core,
    background,
    http,
    operations,
    async listen() {
      const url = await http.listen({ host: server.host, port: server.port })
      core.setRootUrl(url)
      await ssh.listen()
      await metrics.listen()
      return url
    },
    async close() {
      await Promise.all([closeWithin(http, server.shutdown_timeout, core.log), ssh.close(server.shutdown_timeout)])
      await background.stop()
      await metrics.close()
      await core.close()
    },
  }
}
