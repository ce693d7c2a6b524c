import { readLoose } from '../engine/read/loose-object.ts'
import type { GitRepo } from '../repo.ts'
import type { ConnectivityOptions } from './receive/quick-connectivity.ts'
import { startGit } from './git-child.ts'

/**
 * Returns the objects that are not commits. All exist, in the repository or in the quarantine; git is asked only if it
 * has packed the new objects.
 */
export async function findNonCommits(
  repo: GitRepo,
  oids: readonly string[],
  quarantine: string | undefined,
  options: ConnectivityOptions,
): Promise<ReadonlySet<string>> {
  const others = new Set<string>()
  const unknown: string[] = []
  for (const oid of new Set(oids)) {
    const type = (quarantine && (await readLoose(quarantine, oid))?.type) ?? (await repo.objects.findInfo(oid))?.type
    if (type === undefined) unknown.push(oid)
    else if (type !== 'commit') others.add(oid)
  }
  for (const oid of await askTypes(unknown, options)) others.add(oid)
  return others
}

async function askTypes(oids: readonly string[], options: ConnectivityOptions): Promise<readonly string[]> {
  if (oids.length === 0) return []
  const child = startGit(['cat-file', '--batch-check=%(objecttype) %(objectname)'], options)
  const asking = child.write(Buffer.from(oids.map((oid) => `${oid}\n`).join(''))).then(() => child.closeInput())
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  await asking
  await child.exited
  const lines = Buffer.concat(chunks).toString('latin1').trimEnd().split('\n')
  return lines.filter((line) => !line.startsWith('commit ')).map((line) => line.split(' ')[1] ?? '')
}
