import { admit as admitToRepo, admitCaller, type RepoLevel } from '../../../core/access/admit.ts'
import type { KeyTarget, KeyTargets } from '../../repositories/index.ts'
import { type KeyHolder, viewerOfKey } from '../../accounts/index.ts'
import type { RepoPath } from './command-line.ts'

/** A refusal in words for the client (behaviour/git-data-and-transport#git-over-ssh). */
export class SshRefusal extends Error {
  override readonly name = 'SshRefusal'
}

export type Intent = 'read' | 'push'

/**
 * The repository of a path, when the key may do what is intended; former names are followed without a word. What is
 * hidden looks missing. A push with the key of a user needs read access only: refs are decided one by one. Throws
 * SshRefusal.
 */
export async function admit(
  keyTargets: KeyTargets,
  holder: KeyHolder,
  path: RepoPath,
  intent: Intent,
): Promise<KeyTarget> {
  if (holder.kind === 'user') requireUsable(holder)
  const target = await keyTargets.find(holder, path.owner, path.name)
  if (target === undefined)
    throw new SshRefusal(`Cannot find repository: ${path.owner}/${path.name}${path.isWiki ? '.wiki' : ''}`)
  requireLevel(target, path, { level: holder.kind === 'deploy' && intent === 'push' ? 'write' : 'read', intent })
  return target
}

/** Throws SshRefusal when the key may not write to the code. */
export const requireWrite = (target: KeyTarget, path: RepoPath): void =>
  requireLevel(target, path, { level: 'write', intent: 'push' })

function requireLevel(
  target: KeyTarget,
  { isWiki }: RepoPath,
  { level, intent }: { readonly level: RepoLevel; readonly intent: Intent },
): void {
  const { fullName } = target.repo
  const admission = admitToRepo(
    target.viewer,
    { kind: 'found', ...target },
    {
      level,
      unit: isWiki ? 'repo.wiki' : 'repo.code',
      ...(intent === 'push' && { archived: 'refuse' }),
      ...(intent === 'push' && !isWiki && { mirror: 'refuse' }),
    },
  )
  if (admission.kind === 'allowed') return
  switch (admission.kind === 'forbidden' ? admission.reason : 'unit') {
    case 'archived':
      throw new SshRefusal(`Repo: ${fullName} is archived.`)
    case 'mirror':
      throw new SshRefusal(`Mirror Repository ${fullName} is read-only`)
    case 'level':
      throw new SshRefusal(`${describeKey(target)} is not authorized to write to ${fullName}.`)
    default:
      if (isWiki) throw new SshRefusal('repository wiki is disabled')
      throw new SshRefusal(`${describeKey(target)} is not authorized to read ${fullName}.`)
  }
}

function describeKey({ key, viewer, isForeign }: KeyTarget): string {
  if (key.kind === 'user') return `User: ${viewer.account.id}:${viewer.account.name} with Key: ${key.id}:${key.title}`
  if (key.kind === 'certificate')
    return `User: ${viewer.account.id}:${viewer.account.name} with Certificate: ${key.title}`
  return `${isForeign ? 'Public (Deploy) Key' : 'Deploy Key'}: ${key.id}:${key.title}`
}

function requireUsable(holder: KeyHolder & { kind: 'user' }): void {
  const admission = admitCaller(viewerOfKey(holder), {})
  if (admission.kind !== 'forbidden') return
  throw new SshRefusal(
    admission.reason === 'password-change-required'
      ? 'You must change your password first.'
      : 'Your account is disabled.',
  )
}
