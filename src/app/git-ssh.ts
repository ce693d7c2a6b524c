import { join } from 'node:path'
import type { Config } from '../config/index.ts'
import type { Git } from '../git/index.ts'
import type { Logger } from '../platform/logger.ts'
import type { Site } from '../platform/site.ts'
import { INGOT_VERSION } from '../platform/version.ts'
import { startSshServer } from '../subjects/git-ssh/ssh-server.ts'
import type { LfsTokens } from '../subjects/lfs/lfs-tokens.ts'
import type { Repos } from '../subjects/repos/repos.service.ts'
import type { KeyLogins } from '../subjects/sign-in/key-logins.ts'
import type { Wikis } from '../subjects/wiki/wikis.service.ts'
import type { GitDoors } from './git-doors.ts'

interface GitSshParts {
  readonly config: Config
  readonly dataDir: string
  readonly git: Git
  readonly gitDoors: GitDoors
  readonly keyLogins: KeyLogins
  readonly lfsTokens: LfsTokens
  readonly log: Logger
  readonly wikis: Wikis
  readonly repos: Repos
  readonly site: Site
  setSshPort(port: number): void
}

export interface SshDoor {
  listen(): Promise<void>
  /** Lets transfers finish for at most this many seconds. */
  close(seconds: number): Promise<void>
}

/** Git over SSH, unless the configuration turns it off. */
export function createSshDoor({
  config,
  dataDir,
  git,
  gitDoors,
  keyLogins,
  lfsTokens,
  log,
  repos,
  setSshPort,
  site,
  wikis,
}: GitSshParts): SshDoor {
  const { ssh } = config
  let server: Awaited<ReturnType<typeof startSshServer>> | undefined
  return {
    async listen() {
      if (!ssh.enabled) return
      server = await startSshServer({
        host: ssh.host,
        port: ssh.port,
        user: ssh.user,
        keyDir: join(dataDir, 'ssh'),
        software: `Ingot_${INGOT_VERSION.replace(/\+.*/, '')}`,
        loginGraceMs: ssh.login_grace_time * 1000,
        maxUnauthenticated: ssh.max_unauthenticated,
        maxUnauthenticatedPerAddress: ssh.max_unauthenticated_per_address,
        services: {
          ...gitDoors,
          git,
          keyLogins,
          lfsTokens: config.lfs.enabled ? lfsTokens : undefined,
          log,
          repos,
          rootUrl: site.rootUrl,
          wikis,
        },
      })
      setSshPort(server.port)
      log.info({ host: ssh.host, port: server.port }, 'serving git over SSH')
    },
    close: async (seconds) => server?.close(seconds * 1000),
  }
}
