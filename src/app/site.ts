import type { Config } from '../core/config/index.ts'
import type { Site } from '../core/platform/site.ts'
import { trimEndOf } from '../core/platform/trim.ts'

export interface SiteAddresses {
  readonly site: Site
  setRootUrl(url: string): void
  /** The port the SSH server got. */
  setSshPort(port: number): void
}

/** Addresses for answers; the root URL and the SSH port come from the configuration or from the listening server. */
export function createSite(config: Config): SiteAddresses {
  let root = trimEndOf(config.server.root_url, '/') || `http://${config.server.host}:${config.server.port}`
  const { domain, user } = config.ssh
  let port = config.ssh.public_port || config.ssh.port
  const sshPrefix = (): string => {
    const host = domain || new URL(root).hostname
    return port === 22 ? `${user}@${host}:` : `ssh://${user}@${host}:${port}/`
  }
  let prefix = sshPrefix()
  return {
    setSshPort(listening) {
      if (config.ssh.public_port !== 0) return
      port = listening
      prefix = sshPrefix()
    },
    setRootUrl(url) {
      if (config.server.root_url !== '') return
      root = trimEndOf(url, '/')
      prefix = sshPrefix()
    },
    site: {
      rootUrl: () => root,
      noReplyDomain: config.service.no_reply_address,
      sshPrefix() {
        return prefix
      },
    },
  }
}
