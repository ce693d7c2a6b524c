export { commandLine } from '../../core/access/viewer.ts'
export { type GpgKey, findGpgKeysByKeyIds } from './keys/gpg-key.store.ts'
export type { GpgKeys } from './keys/gpg-keys.service.ts'
export { CreateKeyOption } from './keys/keys.model.ts'
export {
  type StoredKey,
  type UserKey,
  claimPublicKey,
  deleteUnusedPublicKey,
  listProvenKeys,
} from './keys/public-key.store.ts'
export { type KeyRules, readSshKey } from './keys/read-ssh-key.ts'
export type { SshKeys } from './keys/ssh-keys.service.ts'
export { mayCreateFor, ownsOrCreatesIn } from './orgs/create-right.ts'
export { leavingProjections } from './orgs/leaving.projection.ts'
export { presentOrganization, presentTeam } from './orgs/orgs.present.ts'
export type { Orgs } from './orgs/orgs.service.ts'
export {
  listTeamMemberIds,
  listTeamMembers,
  deleteTeamRepo,
  deleteTeamReposOf,
  hasTeamRepo,
  insertTeamRepo,
  listTeamsByIds,
  listTeamsOfRepo,
} from './orgs/teams/teams.store.ts'
export { Team as TeamModel } from './orgs/orgs.model.ts'
export { type Team, findTeamById, findTeamByName } from './orgs/teams/team.store.ts'
export type { TeamOf } from './orgs/teams/teams.service.ts'
export type { DiskQuota } from './quota/quota.service.ts'
export type { QuotaSubject } from './quota/quota.policy.ts'
export { ONE_TIME_CODE_REFUSED } from './sign-in/authenticate.service.ts'
export type { FailedAttempt } from './sign-in/failed-attempts.ts'
export { type KeyHolder, type KeyLogins, viewerOfKey, viewerOfKeyOwner } from './sign-in/key-logins.service.ts'
export type { KeyUse } from './sign-in/key-use.ts'
export type { SignInRecords, SourcedActor } from './sign-in/sign-in-records.service.ts'
export type { TokenRepos } from './sign-in/tokens/token-repos.ts'
export { HOME, pathTo, queryFields, redirectToSignIn, signInPath } from './sign-in/web/browser.ts'
export { type CookieJar, createCookieJar } from './sign-in/web/cookies.ts'
export { Html, safeHtml, sendPage } from './sign-in/web/page.ts'
export type { Sessions } from './sign-in/web/web.service.ts'
export { plainTextErrors } from './sign-in/web/web-replies.ts'
export { requireOtherAdmin } from './users/accounts/edit-user.ts'
export { deleteUser, subtractStarsOnRepo } from './users/accounts/user-deletion.store.ts'
export { loadActingUser, reloadActingUser } from './users/acting-user.ts'
export { listBlockers } from './users/blocks/block.store.ts'
export { requireNoBlockBetween, requireUnblocked } from './users/blocks/require-unblocked.ts'
export { commitIdentity, isHttpUrl, ownerNameProblem, repoNameProblem } from './users/users.policy.ts'
export { listEmails } from './users/emails/email.store.ts'
export { getKnownOwner, getOwnerInView, isOwnerInView, movedOwner } from './users/owner-lookup.ts'
export { type Preferences, loadPreferences } from './users/settings/user-settings.store.ts'
export { recountUsers, userCounters } from './users/user-counters.store.ts'
export { listMentionable, usersInOrder } from './users/user-list.store.ts'
export { User as UserModel } from './users/user.model.ts'
export { avatarUrl, presentGhost, presentOther, presentUser, presentVirtualById } from './users/user.present.ts'
export {
  OWNER_COLUMNS,
  type User,
  addToUserCounter,
  countUsers,
  findRenamedUserId,
  findUserByEmail,
  findUserById,
  findUserByName,
  knownUser,
  listUsersByIds,
  lockUserToDelete,
  lockUsers,
  setUserAvatar,
  toOwner,
  toUser,
} from './users/user.store.ts'
export type { UserTable } from './users/user.table.ts'
export type { Users } from './users/users.service.ts'
