import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { IssueKinds } from '../issue.policy.ts'
import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { invalidField } from '../../../../core/platform/errors.ts'

/** The position of an issue in creation order. */
export interface Position {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly id: number
}

export const cursorMember = Type.Optional(
  Type.String({
    maxLength: NAME_LENGTH,
    description: '`start` for the first part of the list, then X-Next-Cursor of the answer before; replaces page',
  }),
)

/** The value of the header X-Next-Cursor after this issue. */
export const presentCursor = ({ createdAt, id }: Position): string =>
  Buffer.from(`${createdAt}.${id}`).toString('base64url')

const START = 'start'
const FORM = /^(\d{1,15})\.(\d{1,15})$/

/** Undefined for the first page. Throws Invalid. */
export function readCursor(text: string): Position | undefined {
  if (text === START) return undefined
  const found = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const position = found && { createdAt: Number(found[1]), id: Number(found[2]) }
  if (position === null || presentCursor(position) !== text)
    throw invalidField('cursor', 'not one that a list has answered')
  return position
}

/** The filters of a list on the columns of issues. Times are epoch milliseconds and inclusive. */
export interface IssueFilter {
  readonly state: 'open' | 'closed' | 'all'
  readonly kinds: IssueKinds
  readonly authorId?: UserId | undefined
  readonly assigneeId?: UserId | undefined
  readonly mentionedId?: UserId | undefined
  /** The account has an open request for a review, itself or as a member of a team. */
  readonly requestedOfId?: UserId | undefined
  readonly reviewedById?: UserId | undefined
  /** Pull requests only: drafts, or pull requests that are not drafts. */
  readonly isDraft?: boolean | undefined
  readonly since?: number | undefined
  readonly before?: number | undefined
  readonly texts?: TextQuery | undefined
  /** Only issues after this position. */
  readonly after?: Position | undefined
}

/** Matches when one text of the issue contains all words, or the issue has the number. */
export interface TextQuery {
  /** Folded words; at least one. */
  readonly words: readonly string[]
  readonly number: number | undefined
}

/** A set of rows, and the number of issues that have one of them. */
export interface Named {
  readonly ids: readonly number[]
  readonly count: number
}

export const ISSUE_SORTS = [
  'latest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
] as const
export type IssueSort = (typeof ISSUE_SORTS)[number]
