import type { Config } from './config/index.ts'
import type { Site } from './present/site.ts'

/** Addresses as they stand in answers; the root URL is known at once or when the server listens. */
export function createSite(config: Config): { site: Site; setRootUrl(url: string): void } {
  let root = config.server.root_url.replace(/\/+$/, '') || `http://${config.server.host}:${config.server.port}`
  const { domain, port, user } = config.ssh
  return {
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
