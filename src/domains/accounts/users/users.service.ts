import type { Actor, SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { createUser, type CreateUserDeps, type NewUser } from './accounts/create-user.ts'
import { editUser, type UserEdit } from './accounts/edit-user.ts'
import { getOwnerInView } from './owner-lookup.ts'
import { renameOwner } from './accounts/rename-user.ts'
import { visibleUsers } from './visible-users.policy.ts'
import { listUsers, type UserFilter, type UserOrder } from './user-list.store.ts'
import { countUsers, findUserById, findUserByName, knownUser, listUsersByIds, type User } from './user.store.ts'

export interface Users {
  /** A user or organization that the viewer may see. Throws NotFound, or Moved after a rename. */
  getInView(viewer: Viewer, name: string): Promise<User>
  /** The account of the viewer, read again. Throws NotFound when it was deleted. */
  getOwn(viewer: SignedIn): Promise<User>
  findByName(name: string): Promise<User | undefined>
  findById(id: UserId): Promise<User | undefined>
  /** The users of these ids that exist, in one query. */
  mapByIds(ids: readonly UserId[]): Promise<Map<UserId, User>>
  create(actor: Actor, input: NewUser): Promise<User>
  /** Throws Invalid, BadRequest (password, e-mail) and Forbidden (the last administrator). */
  edit(actor: Actor, user: User, edit: UserEdit): Promise<User>
  /** Renames a user or organization; the old name redirects to the new one. Throws Invalid for a bad or taken name. */
  rename(actor: Actor, owner: User, newName: string): Promise<User>
  /** All individuals, for administrators. */
  list(filter: UserFilter, order: UserOrder, paging: Paging): Promise<Page<User>>
  /** Individuals that the viewer may see, by a part of login, full name or visible address, in order of login. */
  search(viewer: Viewer, filter: Pick<UserFilter, 'keyword' | 'id'>, paging: Paging): Promise<Page<User>>
  count(): Promise<number>
}

export function createUsers(deps: CreateUserDeps): Users {
  const { read } = deps.database
  return {
    getInView: (viewer, name) => getOwnerInView(read, viewer, name),
    async getOwn({ account }) {
      const user = knownUser(account) ?? (await findUserById(read, account.id))
      if (user === undefined) throw notFound('the account was deleted')
      return user
    },
    findByName: (name) => findUserByName(read, name),
    findById: (id) => findUserById(read, id),
    mapByIds: async (ids) => new Map((await listUsersByIds(read, ids)).map((user) => [user.id, user])),
    create: (actor, input) => createUser(deps, actor, input),
    edit: (actor, user, edit) => editUser(deps, actor, user, edit),
    rename: (actor, owner, newName) => renameOwner(deps, actor, owner, newName),
    list: (filter, order, paging) => listUsers(read, filter, { matchesHiddenEmails: true, order }, paging),
    search: (viewer, filter, paging) => listUsers(read, filter, visibleUsers(viewer), paging),
    count: () => countUsers(read),
  }
}
