import { join } from 'node:path'
import { INGOT_VERSION } from '../../../core/platform/version.ts'
import { defineModule, type Listener } from '../../../core/module.ts'
import { type SshServer, type SshServerOptions, startSshServer } from './ssh-server.ts'

declare module '../../../core/module.ts' {
  interface Tuning {
    readonly ssh: Partial<typeof LIMITS>
  }
}

const LIMITS = {
  /** The time in milliseconds within which a client must authenticate. */
  loginGraceMs: 30_000,
  /** The maximum number of unauthenticated connections; further ones are closed. */
  maxUnauthenticated: 100,
  /** The same for one client address. */
  maxUnauthenticatedPerAddress: 20,
}

/** Git over SSH. */
export const module = defineModule({
  name: 'git-ssh',
  needs: [
    'branchWriters',
    'gitTransport',
    'keyLogins',
    'keyTargets',
    'lfsTokens',
    'pushes',
    'repos',
    'signInRecords',
    'wikis',
  ],
  create(core, { branchWriters, gitTransport, keyLogins, keyTargets, lfsTokens, pushes, repos, signInRecords, wikis }) {
    const { config, dataDir, git, log, site } = core
    const { ssh } = config
    if (!ssh.enabled) return {}
    const listener = createListener({
      host: ssh.host,
      port: ssh.port,
      user: ssh.user,
      keyDir: join(dataDir, 'ssh'),
      software: `Ingot_${INGOT_VERSION.replace(/\+.*/, '')}`,
      ...LIMITS,
      ...core.tuning.ssh,
      services: {
        branchWriters,
        git,
        keyLogins,
        keyTargets,
        lfsTokens: config.lfs.enabled ? lfsTokens : undefined,
        log,
        pushes,
        repos,
        rootUrl: site.rootUrl,
        signInRecords,
        transport: gitTransport,
        wikis,
      },
      onListening(port) {
        core.setSshPort(port)
        log.info({ host: ssh.host, port }, 'serving git over SSH')
      },
    })
    return { listeners: [listener] }
  },
})

function createListener({ onListening, ...options }: SshServerOptions & { onListening(port: number): void }): Listener {
  let server: SshServer | undefined
  return {
    async listen() {
      server = await startSshServer(options)
      onListening(server.port)
    },
    close: async (seconds) => server?.close(seconds * 1000),
  }
}
