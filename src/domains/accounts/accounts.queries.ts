import { findGpgKeysByKeyIds } from './keys/gpg-key.store.ts'
import { claimPublicKey, deleteUnusedPublicKey, listProvenKeys } from './keys/public-key.store.ts'
import { mayCreateFor, ownsOrCreatesIn } from './orgs/create-right.ts'
import { findTeamById, findTeamByName } from './orgs/teams/team.store.ts'
import {
  deleteTeamRepo,
  deleteTeamReposOf,
  hasTeamRepo,
  insertTeamRepo,
  listTeamMemberIds,
  listTeamMembers,
  listTeamsByIds,
  listTeamsOfRepo,
} from './orgs/teams/teams.store.ts'
import { requireOtherAdmin } from './users/accounts/edit-user.ts'
import { deleteUser, subtractStars } from './users/accounts/user-deletion.store.ts'
import { loadActingUser, reloadActingUser } from './users/acting-user.ts'
import { listBlockers } from './users/blocks/block.store.ts'
import { requireNoBlockBetween, requireUnblocked } from './users/blocks/require-unblocked.ts'
import { listConfirmedEmails, listEmails } from './users/emails/email.store.ts'
import { getKnownOwner, getOwnerInView, isOwnerInView, movedOwner } from './users/owner-lookup.ts'
import { loadPreferences } from './users/settings/user-settings.store.ts'
import { recountUsers, userCounters } from './users/user-counters.store.ts'
import { listMentionable, usersInOrder } from './users/user-list.store.ts'
import {
  OWNER_COLUMNS,
  addToUserCounter,
  countUsers,
  findRenamedUserId,
  findUserByEmail,
  findUserById,
  findUserByName,
  knownUser,
  listUserIdsByName,
  listUsersByIds,
  lockUserToDelete,
  lockUsers,
  setUserAvatar,
  toOwner,
  toUser,
} from './users/user.store.ts'

/** Queries and commands on users that run in the transaction of a caller in a later domain. */
export const userQueries = {
  findById: findUserById,
  findByName: findUserByName,
  findByEmail: findUserByEmail,
  findRenamedId: findRenamedUserId,
  listByIds: listUsersByIds,
  listIdsByName: listUserIdsByName,
  loadActing: loadActingUser,
  reloadActing: reloadActingUser,
  listConfirmedEmails,
  listEmails,
  listMentionable,
  loadPreferences,
  count: countUsers,
  lock: lockUsers,
  lockToDelete: lockUserToDelete,
  delete: deleteUser,
  requireOtherAdmin,
  setAvatar: setUserAvatar,
  addToCounter: addToUserCounter,
  subtractStars,
  counters: userCounters,
  recount: recountUsers,
} as const

/** Joins and conditions by which stores of later domains read users in their own statements. */
export const userRows = {
  ownerColumns: OWNER_COLUMNS,
  toOwner,
  toUser,
  knownUser,
  inOrder: usersInOrder,
} as const

/** Queries and commands on blocks between users that run in the transaction of a caller in a later domain. */
export const blockQueries = {
  listBlockers,
  requireUnblocked,
  requireNoBlockBetween,
} as const

/** Look-ups of owners of repositories (users or organizations) and of the right to create repositories for them. */
export const ownerQueries = {
  getKnown: getKnownOwner,
  getInView: getOwnerInView,
  isInView: isOwnerInView,
  findMoved: movedOwner,
  mayCreateFor,
  ownsOrCreatesIn,
} as const

/** Queries and commands on teams that run in the transaction of a caller in a later domain. */
export const teamQueries = {
  findById: findTeamById,
  findByName: findTeamByName,
  listByIds: listTeamsByIds,
  listMembers: listTeamMembers,
  listMemberIds: listTeamMemberIds,
  listOfRepo: listTeamsOfRepo,
  hasRepo: hasTeamRepo,
  insertRepo: insertTeamRepo,
  deleteRepo: deleteTeamRepo,
  deleteReposOf: deleteTeamReposOf,
} as const

/** Queries and commands on SSH and GPG keys that run in the transaction of a caller in a later domain. */
export const keyQueries = {
  claim: claimPublicKey,
  deleteUnused: deleteUnusedPublicKey,
  listProven: listProvenKeys,
  findGpgByKeyIds: findGpgKeysByKeyIds,
} as const
