import { startGit } from '../git-child.ts'

export interface ConnectivityOptions {
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

/** True when everything reachable from these objects is there (rev-list stops at what the refs of the repo reach). */
export async function isConnected(oids: readonly string[], options: ConnectivityOptions): Promise<boolean> {
  if (oids.length === 0) return true
  const child = startGit(['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'], options)
  await child.write(Buffer.from(oids.map((oid) => `${oid}\n`).join('')))
  child.closeInput()
  for await (const _ of child.stdout) continue
  return (await child.exited) === 0
}

/** True when a branch that moves from one commit to the other loses commits. */
export async function losesCommits(oldOid: string, newOid: string, options: ConnectivityOptions): Promise<boolean> {
  const child = startGit(['merge-base', '--is-ancestor', oldOid, newOid], options)
  child.closeInput()
  for await (const _ of child.stdout) continue
  return (await child.exited) !== 0
}
