import { PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import { listOf, members, type Members, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import type { SourceReaction, SourceUser } from '../source.ts'

/**
 * Readers of single values of any service: missing or malformed values become empty, never an error. Texts and lists
 * are cut far above what services allow.
 */
const MAX_LINE = 1_000
/** NOTE: more than the API takes, so that the writers find longer texts and warn of them. */
const MAX_TEXT = 2 * PAGE_LENGTH
/** Maximum number of members of one object, such as the labels of an issue. */
const MAX_MEMBERS = 1_000
/** Identifiers and numbers of issues are stored in columns of this size. */
const MAX_NUMBER = 2_147_483_647
/** Later times are no valid times of the contract. */
const MAX_TIME = Date.UTC(9999, 0, 1)

export const GHOST: SourceUser = { id: -1, login: 'Ghost', email: '' }

/** A name, a title or an address. */
export const lineOf = (value: unknown): string => textOf(value, MAX_LINE)
export const bodyOf = (value: unknown): string => textOf(value, MAX_TEXT)

/** A whole number, also as text; 0 for anything else and for negative numbers. */
export function countOf(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0
}

/** The number of an issue; 0 for an invalid value. */
export function issueNumberOf(value: unknown): number {
  const number = countOf(value)
  return number <= MAX_NUMBER ? number : 0
}

/** The number at the end of an address, such as `https://host/owner/name/issues/7`. */
export const numberAtEnd = (value: unknown): number => issueNumberOf(/(\d{1,16})\/?$/.exec(lineOf(value))?.[1])

export const isTrue = (value: unknown): boolean => value === true || value === 'true'

/** Epoch milliseconds; undefined for an invalid time, or one that stands for none. */
export function parseTime(value: unknown): number | undefined {
  const time = timeOf(value)
  return time !== undefined && time < MAX_TIME ? time : undefined
}

export const membersOf = (value: unknown): readonly Members[] => listOf(value).slice(0, MAX_MEMBERS).map(members)

/** The lines of a list; empty ones are omitted. */
export const linesOf = (value: unknown): readonly string[] =>
  listOf(value).slice(0, MAX_MEMBERS).map(lineOf).filter(Boolean)

/** A user of Gitea, GitHub and Gogs; null stands for a deleted account. */
export function userOf(value: unknown, loginMember = 'login'): SourceUser {
  const user = members(value)
  const login = lineOf(user[loginMember])
  if (login === '') return GHOST
  return { id: countOf(user['id']) || (login === 'Ghost' ? -1 : 0), login, email: lineOf(user['email']) }
}

export const usersOf = (value: unknown, loginMember?: string): readonly SourceUser[] =>
  membersOf(value)
    .map((user) => userOf(user, loginMember))
    .filter((user) => user !== GHOST)

/** Times of an object. One without a time of its creation gets the time of the import. */
export function timesOf(
  object: Members,
  now: number,
): { readonly createdAt: number; readonly updatedAt: number; readonly closedAt: number | undefined } {
  const createdAt = parseTime(object['created_at']) ?? parseTime(object['updated_at']) ?? now
  return {
    createdAt,
    updatedAt: parseTime(object['updated_at']) ?? createdAt,
    closedAt: parseTime(object['closed_at']),
  }
}

export const readReactions = (value: unknown): readonly SourceReaction[] =>
  membersOf(value)
    .filter(({ content }) => lineOf(content) !== '')
    .map(({ user, content, created_at: at }) => ({
      user: userOf(user),
      content: lineOf(content),
      createdAt: parseTime(at),
    }))

/** Values that could be read. */
export const present = <T>(values: readonly (T | undefined)[]): readonly T[] =>
  values.filter((value) => value !== undefined)
