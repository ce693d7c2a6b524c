import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Core } from '../../../core/module.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import { appendPackageEvent } from './package-event.ts'
import { deletePackage, listVersions } from './package.store.ts'

/** The maximum number of versions in an event. */
const REPORTED: Paging = { page: 1, limit: 100, offset: 0 }

interface PackageDeletion {
  readonly actor: Actor
  readonly owner: User
  readonly type: string
  readonly name: string
}

/** Deletes a package with all versions. Throws NotFound. */
export async function deleteWholePackage(
  deps: Pick<Core, 'events' | 'clock'>,
  tx: Tx,
  { actor, owner, type, name }: PackageDeletion,
): Promise<void> {
  const { items: versions } = await listVersions(tx, { filter: { ownerId: owner.id, type, name }, paging: REPORTED })
  if (versions[0] === undefined) throw errors.packageNotFound()
  await deletePackage(tx, versions[0].packageId)
  await appendPackageEvent(deps, tx, 'package.deleted', { actor, owner, versions, isWhole: true })
}
