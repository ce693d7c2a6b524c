import { countUsers, findUserByName, type User } from '../../db/stores/user.store.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Viewer } from '../../policy/viewer.ts'
import { getOwnerInView } from '../access/index.ts'
import { createUser, type CreateUserDeps, type NewUser } from './create-user.ts'

export interface Users {
  /** A user or organization that the viewer may see. Throws NotFound, or Moved after a rename. */
  getInView(viewer: Viewer, name: string): Promise<User>
  findByName(name: string): Promise<User | undefined>
  create(actorId: UserId | 0, input: NewUser): Promise<User>
  count(): Promise<number>
}

export function createUsers(deps: CreateUserDeps): Users {
  const { read } = deps.database
  return {
    getInView: (viewer, name) => getOwnerInView(read, viewer, name),
    findByName: (name) => findUserByName(read, name),
    create: (actorId, input) => createUser(deps, actorId, input),
    count: () => countUsers(read),
  }
}
