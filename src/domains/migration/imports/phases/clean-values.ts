import { NAME_LENGTH, PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { issueRules } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceUser } from '../source.ts'

/** A text that every database stores: without NUL and halves of surrogate pairs. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** Cuts a text to the bound of the API and calls `onCut` then. */
export function boundedText(text: string, limit: number, onCut: () => void): string {
  const clean = cleanText(text)
  if (clean.length <= limit) return clean
  onCut()
  return clean.slice(0, limit).toWellFormed()
}

/** A body of at most `PAGE_LENGTH` characters. `what` names its object in the warning, such as `issue 5`. */
export const boundedBody = ({ warn }: Pick<PhaseContext, 'warn'>, what: string, text: string): string =>
  boundedText(text, PAGE_LENGTH, () => warn(`the text of ${what} was cut to ${PAGE_LENGTH} characters`))

/** A title as the API cuts it. */
export const cutTitle = (text: string): string => issueRules.normalizeTitle(cleanText(text))

/** A title, which is `what` if the source has none, such as `issue 5`. */
export function boundedTitle({ warn }: Pick<PhaseContext, 'warn'>, what: string, text: string): string {
  const title = cutTitle(text)
  if (title !== cleanText(text).trim()) warn(`the title of ${what} was cut`)
  return title || what
}

/** A time that has passed, in whole milliseconds; `fallback` without one, and now for a later one. */
export function pastTime(value: number | undefined, now: number, fallback: number = now): number {
  if (value === undefined || !Number.isFinite(value) || value < 0) return Math.min(fallback, now)
  return Math.min(Math.floor(value), now)
}

export function warnOfFuture(
  { warn }: Pick<PhaseContext, 'warn'>,
  what: string,
  times: readonly number[],
  now: number,
): void {
  if (times.some((time) => time > now)) warn(`times of ${what} that are in the future were imported as now`)
}

/** The first millisecond of the year 10000, which no wire format has. */
const END_OF_TIME = 253_402_300_800_000

/** A due date; undefined for none and for one that the wire format does not have. */
export const dueTime = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 && value < END_OF_TIME ? Math.floor(value) : undefined

interface AuthorRow {
  readonly userId: UserId
  readonly author: { readonly original_author: string; readonly original_author_id: number }
}

/** The columns of the author of an object; an author without a name is a deleted account. */
export function authorOf(context: Pick<PhaseContext, 'author' | 'mapped'>, user: SourceUser): AuthorRow {
  const { userId, original_author: login, original_author_id: id } = context.author(user)
  if (context.mapped(user) !== undefined) return { userId, author: { original_author: '', original_author_id: 0 } }
  const name = cleanText(login).trim().slice(0, NAME_LENGTH).toWellFormed()
  const author = { original_author: name || 'Ghost', original_author_id: Number.isSafeInteger(id) ? id : 0 }
  return { userId, author }
}
