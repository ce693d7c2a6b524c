/** The address on another site to which an address of this server redirects in the end; undefined for none. */
type RedirectTargetFinder = (url: URL) => Promise<string | undefined>

/**
 * Forms lead by redirects to other sites, which the content security policy of their page must allow: a later module
 * that redirects signed-in users there registers what finds the target.
 */
export interface RedirectTargets {
  register(finder: RedirectTargetFinder): void
  readonly find: RedirectTargetFinder
}

export function createRedirectTargets(): RedirectTargets {
  const finders: RedirectTargetFinder[] = []
  return {
    register: (finder) => void finders.push(finder),
    async find(url) {
      for (const finder of finders) {
        const target = await finder(url)
        if (target !== undefined) return target
      }
      return undefined
    },
  }
}
