interface Person {
  readonly id: number
  readonly name: string
  readonly fullName: string
  readonly email: string
  readonly isEmailHidden: boolean
}

/** The public address of a user who hides its e-mail; the id identifies the account. */
export const noReplyAddress = (user: Pick<Person, 'id' | 'name'>, domain: string): string =>
  `${user.id}+${user.name.toLowerCase()}@${domain}`

/** The author of commits that the server writes for a user (behaviour/repositories#creating). */
export function commitIdentity(user: Person, noReplyDomain: string): { name: string; email: string } {
  return {
    name: user.fullName.trim() || user.name,
    email: user.isEmailHidden || user.email === '' ? noReplyAddress(user, noReplyDomain) : user.email,
  }
}
