import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Core } from '../../../core/module.ts'
import type { User } from '../../accounts/index.ts'
import type { PackageVersion } from './package.store.ts'

interface PackageChange {
  readonly actor: Actor
  readonly owner: User
  /** Versions of one package; not empty. */
  readonly versions: readonly PackageVersion[]
  /** The whole package was deleted. */
  readonly isWhole?: boolean
}

/** Appends the event of a change of versions in its transaction. */
export function appendPackageEvent(
  { events, clock }: Pick<Core, 'events' | 'clock'>,
  tx: Tx,
  kind: 'package.created' | 'package.deleted',
  { actor, owner, versions, isWhole = false }: PackageChange,
): Promise<void> {
  const { type, name, version, repoId = 0 } = versions[0]!
  const named = versions.map((one) => ({
    id: one.id,
    package_id: one.packageId,
    version: one.version,
    creator_id: one.creatorId,
    created_at: one.createdAt,
  }))
  return events.append(
    tx,
    kind,
    { actor, repoId: 0, at: clock.now() },
    { owner_id: owner.id, type, name, version: isWhole ? '' : version, repo_id: repoId, versions: named },
  )
}
