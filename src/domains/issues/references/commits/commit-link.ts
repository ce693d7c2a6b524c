import type { Commit } from '../../../../core/git/index.ts'
import { escapeHtml } from '../../../../core/platform/html.ts'
import type { Repo } from '../../../repositories/index.ts'

/** The maximum length of a commit's subject. */
const MAX_SUBJECT = 1000

/** The body of a `commit_ref` entry: a link with the first line of the message (behaviour/issues#timeline). */
export function commitLink(
  { fullName }: Pick<Repo, 'fullName'>,
  { oid, message }: Pick<Commit, 'message' | 'oid'>,
): string {
  const subject = message.trimStart().split('\n', 1)[0]!.trim().slice(0, MAX_SUBJECT)
  return `<a href="/${escapeHtml(fullName)}/commit/${oid}">${escapeHtml(subject)}</a>`
}
