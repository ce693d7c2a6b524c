import type { Db } from '../../../core/db/database.ts'
import { listAttachments } from '../formats/container/attachments.store.ts'
import { DIGEST } from '../formats/container/manifest.policy.ts'
import type { Candidate } from './candidates.store.ts'
import { DAY, type Standing } from './cleanup.policy.ts'

type StandingOf = (one: Candidate) => Standing

/** The format's decisions on all versions of packages. */
export async function loadStandings(
  db: Db,
  type: string,
  candidates: readonly Candidate[],
  now: number,
): Promise<StandingOf> {
  if (type === 'container') return loadImageStandings(db, candidates, now)
  if (type === 'terraform') return currentStates(candidates)
  return () => 'plain'
}

/**
 * The tag `latest` is kept. A manifest with a subject is kept as long as the subject, and deleted after it. A manifest
 * without a tag is kept for a day, because indexes and referrers are pushed in parts.
 */
async function loadImageStandings(db: Db, candidates: readonly Candidate[], now: number): Promise<StandingOf> {
  const ids = [...new Set(candidates.map(({ packageId }) => packageId))]
  const attachments = new Map(
    (await listAttachments(db, ids)).map((one) => [`${one.packageId} ${one.version}`, one.hasSubject]),
  )
  return ({ packageId, version, changedAt }) => {
    const hasSubject = attachments.get(`${packageId} ${version}`)
    if (hasSubject === true) return 'attached'
    const isYoung = changedAt > now - DAY
    if (hasSubject === false) return isYoung ? 'attached' : 'orphan'
    return version === 'latest' || (DIGEST.test(version) && isYoung) ? 'kept' : 'plain'
  }
}

/** The newest version of a state is the state. */
function currentStates(candidates: readonly Candidate[]): StandingOf {
  const newest = new Map<number, number>()
  for (const { packageId, id } of candidates) newest.set(packageId, Math.max(id, newest.get(packageId) ?? 0))
  return ({ packageId, id }) => (newest.get(packageId) === id ? 'kept' : 'plain')
}
