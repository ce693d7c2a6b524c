import type { Email } from './email.model.ts'
import type { EmailAddress, OwnedEmailAddress } from './email.store.ts'

/** COMPAT: the user's own list names no user (test/accounts/users/emails.test.ts). */
export const presentOwnEmail = (address: EmailAddress): Email => present(address, 0, '')

export const presentEmail = (address: OwnedEmailAddress): Email => present(address, address.userId, address.userName)

const present = ({ email, isActivated, isPrimary }: EmailAddress, userId: number, userName: string): Email => ({
  email,
  verified: isActivated,
  primary: isPrimary,
  user_id: userId,
  username: userName,
})
