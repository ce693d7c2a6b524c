/** A team that members of a group belong to. */
export interface TeamName {
  readonly organization: string
  readonly team: string
}

/** The teams that a source decides about, for one person. */
export interface TeamChanges {
  readonly join: readonly TeamName[]
  readonly leave: readonly TeamName[]
}

const MAX_FULL_NAME = 100

/** What an account stores of a full name. */
export const fullNameOf = (text: string): string => [...text].slice(0, MAX_FULL_NAME).join('')

/** The profile of a person at a sign-in source. Undefined members do not change. */
export interface ExternalProfile {
  /** Identifies the person at the source and never changes. */
  readonly subject: string
  readonly loginName: string
  /** Empty if the source has none. */
  readonly email: string
  readonly fullName: string
  readonly isAdmin?: boolean | undefined
  readonly isRestricted?: boolean | undefined
  /** Lines as of `authorized_keys`. */
  readonly sshKeys?: readonly string[] | undefined
  readonly teams?: TeamChanges | undefined
}
