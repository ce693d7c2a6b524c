import type { Commit } from '../../../../core/git/index.ts'
import { type Repo, escapeHtml } from '../../../repositories/index.ts'

/** Characters of the first line of a message. */
const MAX_SUBJECT = 1000

/** The body of a `commit_ref` entry: a link with the first line of the message (behaviour/issues#timeline). */
export function commitLink({ fullName }: Pick<Repo, 'fullName'>, { oid, message }: Commit): string {
  const subject = message.trimStart().split('\n', 1)[0]!.trim().slice(0, MAX_SUBJECT)
  return `<a href="/${escapeHtml(fullName)}/commit/${oid}">${escapeHtml(subject)}</a>`
}
