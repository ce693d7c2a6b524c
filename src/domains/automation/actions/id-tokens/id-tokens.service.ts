import type { Core } from '../../../../core/module.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { loadTaskFacts } from '../tasks/task-facts.store.ts'
import { claimsOf, ID_TOKENS, mayGetIdTokens } from './id-token.policy.ts'
import { createIdTokenKeys } from './id-token-keys.service.ts'

/** Lifetime of a token, in seconds: it proves who asks, it is no session. */
const LIFETIME = 300
/** Seconds by which the clocks of the services that verify a token may be behind. */
const EARLY = 60

export type IdTokens = ReturnType<typeof createIdTokens>

/** ID tokens of running jobs by OpenID Connect (behaviour/actions#id-tokens). */
export function createIdTokens({
  database,
  clock,
  secrets,
  site,
}: Pick<Core, 'clock' | 'database' | 'secrets' | 'site'>) {
  const keys = createIdTokenKeys({ database, clock, secrets })
  const issuer = (): string => site.rootUrl() + ID_TOKENS
  return {
    issuer,
    listPublicKeys: keys.listPublic,
    /** A token for an audience, by default the owner of the repository. Throws Forbidden for a job that gets none. */
    async issue(taskId: number, audience: string): Promise<string> {
      const facts = await loadTaskFacts(database.read, taskId)
      const repo = facts && (await repoQueries.findById(database.read, facts.repoId))
      if (facts === undefined || repo === undefined || !mayGetIdTokens(facts))
        throw forbidden('the job has no permission id-token: write')
      const { SignJWT } = await import('jose')
      const { id, key } = await keys.current()
      const now = Math.floor(clock.now() / 1000)
      return new SignJWT(claimsOf(facts, repo))
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: id })
        .setIssuer(issuer())
        .setAudience(audience || `${site.rootUrl()}/${repo.owner.name}`)
        .setJti(randomHex(16))
        .setIssuedAt(now)
        .setNotBefore(now - EARLY)
        .setExpirationTime(now + LIFETIME)
        .sign(key)
    },
  }
}
