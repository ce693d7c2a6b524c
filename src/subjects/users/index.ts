/** For commands, which import subjects alone. */
export { commandLine } from '../../access/viewer.ts'
export { loadActingUser, reloadActingUser } from './acting-user.ts'
export { type BlockOperationDeps, blockOperations } from './blocks/blocks.operations.ts'
export { commitIdentity } from './commit-identity.policy.ts'
export { requireFreeName, requireOwnerName } from './accounts/create-user.ts'
export { listEmails } from './emails/email.store.ts'
export { requireOtherAdmin } from './accounts/last-admin.ts'
export { isEmailAddress, isHttpUrl, ownerNameProblem, repoNameProblem } from './names.policy.ts'
export { getKnownOwner, getOwnerInView, isOwnerInView, movedOwner } from './owner-lookup.ts'
export { renameOwner } from './accounts/rename-user.ts'
export { listBlockers } from './blocks/block.store.ts'
export { requireNoBlockBetween, requireUnblocked } from './blocks/require-unblocked.ts'
export { recountUsers, userCounters } from './user-counters.store.ts'
export { deleteUser, subtractStarsOnRepo } from './accounts/user-deletion.store.ts'
export { listMentionable, usersInOrder } from './user-list.store.ts'
export { loadPreferences, type Preferences } from './settings/user-settings.store.ts'
export { User as UserModel } from './user.model.ts'
export type { UserTexts } from './user-texts.ts'
export { avatarUrl, presentGhost, presentOther, presentUser, presentVirtualById } from './user.present.ts'
export {
  addToUserCounter,
  countUsers,
  findLogin,
  findRenamedUserId,
  findUserByEmail,
  findUserById,
  findUserByName,
  insertUser,
  knownUser,
  listUsersByIds,
  lockUsers,
  lockUserToDelete,
  OWNER_COLUMNS,
  toOwner,
  toUser,
  updateUser,
  type User,
} from './user.store.ts'
export type { UserTable } from './user.table.ts'
export type { Users } from './users.service.ts'
