import type { Config } from '../config/index.ts'
import type { Site } from '../platform/site.ts'

export interface SiteAddresses {
  readonly site: Site
  setRootUrl(url: string): void
  /** The port the SSH server got. */
  setSshPort(port: number): void
}

/** Addresses for answers; the root URL and the SSH port come from the configuration or from the listening server. */
export function createSite(config: Config): SiteAddresses {
  let root = config.server.root_url.replace(/\/+$/, '') || `http://${config.server.host}:${config.server.port}`
  const { domain, user } = config.ssh
  let port = config.ssh.public_port || config.ssh.port
  return {
    setSshPort(listening) {
      if (config.ssh.public_port === 0) port = listening
    },
    setRootUrl(url) {
      if (config.server.root_url === '') root = url.replace(/\/+$/, '')
    },
    site: {
      rootUrl: () => root,
      noReplyDomain: config.service.no_reply_address,
      sshPrefix() {
        const host = domain || new URL(root).hostname
        return port === 22 ? `${user}@${host}:` : `ssh://${user}@${host}:${port}/`
      },
    },
  }
}
