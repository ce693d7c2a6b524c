import type { Actor, SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { createUser, type CreateUserDeps, type NewUser, renameOwner } from './accounts/create-user.ts'
import { editUser, type UserEdit } from './accounts/edit-user.ts'
import { getOwnerInView } from './owner-lookup.ts'
import { visibleUsers } from './users.policy.ts'
import { listUsers, type UserFilter, type UserOrder } from './user-list.store.ts'
import { countUsers, findUserById, findUserByName, knownUser, listUsersByIds, type User } from './user.store.ts'

export type Users = ReturnType<typeof createUsers>

export function createUsers(deps: CreateUserDeps) {
  const { read } = deps.database
  return {
    /** A user or organization that the viewer may see. Throws NotFound, or Moved after a rename. */
    getInView: (viewer: Viewer, name: string): Promise<User> => getOwnerInView(read, viewer, name),
    /** The account of the viewer, read again. Throws NotFound when it was deleted. */
    async getOwn({ account }: SignedIn): Promise<User> {
      const user = knownUser(account) ?? (await findUserById(read, account.id))
      if (user === undefined) throw errors.accountDeleted()
      return user
    },
    findByName: (name: string): Promise<User | undefined> => findUserByName(read, name),
    findById: (id: UserId): Promise<User | undefined> => findUserById(read, id),
    /** The existing users of these ids, in one query. */
    mapByIds: async (ids: readonly UserId[]): Promise<Map<UserId, User>> =>
      new Map((await listUsersByIds(read, ids)).map((user) => [user.id, user])),
    create: (actor: Actor, input: NewUser): Promise<User> => createUser(deps, actor, input),
    /** Throws Invalid, BadRequest (password, e-mail) and Forbidden (the last administrator). */
    edit: (actor: Actor, user: User, edit: UserEdit): Promise<User> => editUser(deps, actor, user, edit),
    /**
     * Renames a user or organization; the old name redirects to the new one. Throws Invalid for a bad or duplicate
     * name.
     */
    rename: (actor: Actor, owner: User, newName: string): Promise<User> => renameOwner(deps, actor, owner, newName),
    /** All individuals, for administrators. */
    list: (filter: UserFilter, order: UserOrder, paging: Paging): Promise<Page<User>> =>
      listUsers(read, filter, { matchesHiddenEmails: true, order }, paging),
    /** Individuals that the viewer may see, by a part of login, full name or visible address. */
    search: (
      viewer: Viewer,
      { order, ...filter }: Pick<UserFilter, 'keyword' | 'id'> & { readonly order: UserOrder },
      paging: Paging,
    ): Promise<Page<User>> => listUsers(read, filter, { ...visibleUsers(viewer), order }, paging),
    count: (): Promise<number> => countUsers(read),
  }
}
