import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import { decideAccountState } from '../../access/viewer.ts'
import type { KeyHolder, KeyLogins, KeyTarget } from '../sign-in/index.ts'
import type { RepoPath } from './command-line.ts'

/** A refusal in words for the client (behaviour/git-data-and-transport#git-over-ssh). */
export class SshRefusal extends Error {
  override readonly name = 'SshRefusal'
}

export type Intent = 'read' | 'push'

/**
 * Which repository a key holder means, and whether it may; names of before a rename lead to the repository silently.
 * What is hidden from the holder is missing. A user's push is judged ref by ref later. Throws SshRefusal.
 */
export async function admit(
  keyLogins: KeyLogins,
  holder: KeyHolder,
  path: RepoPath,
  intent: Intent,
): Promise<KeyTarget> {
  if (holder.kind === 'user') requireUsable(holder.user)
  const target = await keyLogins.findTarget(holder, path.owner, path.name)
  if (target === undefined)
    throw new SshRefusal(`Cannot find repository: ${path.owner}/${path.name}${path.isWiki ? '.wiki' : ''}`)
  const { repo, access } = target
  const mode = unitMode(access, path.isWiki ? 'repo.wiki' : 'repo.code')
  if (mode < AccessMode.read && path.isWiki) throw new SshRefusal('repository wiki is disabled')
  if (mode < AccessMode.read) throw new SshRefusal(`${whoHolds(target)} is not authorized to read ${repo.fullName}.`)
  if (intent === 'read') return target
  if (holder.kind === 'deploy') requireWrite(target, path.isWiki)
  if (repo.isArchived) throw new SshRefusal(`Repo: ${repo.fullName} is archived.`)
  if (repo.isMirror && !path.isWiki) throw new SshRefusal(`Mirror Repository ${repo.fullName} is read-only`)
  return target
}

export function requireWrite(target: KeyTarget, isWiki = false): void {
  if (unitMode(target.access, isWiki ? 'repo.wiki' : 'repo.code') >= AccessMode.write) return
  throw new SshRefusal(`${whoHolds(target)} is not authorized to write to ${target.repo.fullName}.`)
}

function whoHolds({ key, viewer, isForeign }: KeyTarget): string {
  if (key.kind === 'user') return `User: ${viewer.account.id}:${viewer.account.name} with Key: ${key.id}:${key.title}`
  if (key.kind === 'certificate')
    return `User: ${viewer.account.id}:${viewer.account.name} with Certificate: ${key.title}`
  return `${isForeign ? 'Public (Deploy) Key' : 'Deploy Key'}: ${key.id}:${key.title}`
}

function requireUsable(account: Parameters<typeof decideAccountState>[0]): void {
  const state = decideAccountState(account)
  if (state === 'prohibited') throw new SshRefusal('Your account is disabled.')
  if (state === 'must-change-password') throw new SshRefusal('You must change your password first.')
}
