import type { Tx } from '../../db/database.ts'
import type { UserId } from '../../platform/ids.ts'

/** Old names of users and organizations keep leading to them; a name that is in use again leads to no other account. */
export async function recordOwnerRename(
  tx: Tx,
  id: UserId,
  names: { readonly from: string; readonly to: string },
): Promise<void> {
  const from = names.from.toLowerCase()
  const to = names.to.toLowerCase()
  await tx.deleteFrom('user_redirect').where('lower_name', 'in', [from, to]).execute()
  if (from !== to) await tx.insertInto('user_redirect').values({ lower_name: from, user_id: id }).execute()
}
