import type { Viewer } from '../../../core/access/viewer.ts'
import type { Core, Services } from '../../../core/module.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { User } from '../../accounts/index.ts'

const MAX_ADDRESS = 2048

/** Finds the repositories that packages name as their source. */
export const createFindRepo =
  ({ repos, site }: Pick<Services, 'repos'> & Pick<Core, 'site'>) =>
  /** The repository of the owner with this address, if the viewer can see it. */
  async (viewer: Viewer, owner: User, address: string): Promise<RepoId | undefined> => {
    const name = repoNameOf(address, owner.name, site.rootUrl())
    if (name === undefined) return undefined
    try {
      return (await repos.getInView(viewer, owner.name, name)).repo.id
    } catch (error) {
      if (isDomainError(error)) return undefined
      throw error
    }
  }

function repoNameOf(address: string, owner: string, rootUrl: string): string | undefined {
  const url = address.length > MAX_ADDRESS ? null : URL.parse(address.replace(/^git\+/, ''))
  if (url === null) return undefined
  const root = new URL(rootUrl)
  const isSsh = url.protocol === 'ssh:' && url.hostname === root.hostname
  if (!isSsh && (url.origin !== root.origin || !url.pathname.startsWith(root.pathname))) return undefined
  const path = isSsh ? url.pathname : url.pathname.slice(root.pathname.replace(/\/$/, '').length)
  const [start, sent, name, ...more] = path
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
    .split('/')
  if (start !== '' || sent?.toLowerCase() !== owner.toLowerCase() || more.length > 0) return undefined
  return name
}
