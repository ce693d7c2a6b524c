import type { Database } from '../../db/database.ts'
import { isOrgMember, isOrgOwner } from '../../db/stores/ties.store.ts'
import type { User } from '../../db/stores/user.store.ts'
import { notFound } from '../../platform/errors.ts'
import type { Viewer } from '../../policy/viewer.ts'
import { getOwnerInView } from '../access/index.ts'

export interface OrgInView {
  readonly org: User
  readonly isMember: boolean
  readonly isOwner: boolean
}

export interface Orgs {
  /** The organization with the viewer's part in it. Throws NotFound for users, hidden and missing ones, Moved after a rename. */
  getInView(viewer: Viewer, name: string): Promise<OrgInView>
}

export function createOrgs({ database }: { database: Database }): Orgs {
  const { read } = database
  return {
    async getInView(viewer, name) {
      const org = await getOwnerInView(read, viewer, name)
      if (org.kind !== 'organization') throw notFound('organization does not exist')
      if (viewer.kind === 'anonymous') return { org, isMember: false, isOwner: false }
      const isMember = await isOrgMember(read, org.id, viewer.account.id)
      return { org, isMember, isOwner: isMember && (await isOrgOwner(read, org.id, viewer.account.id)) }
    },
  }
}
