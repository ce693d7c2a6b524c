import { type Members, textOf } from '../../../core/platform/json-members.ts'
import { sshFingerprint } from '../../../core/platform/ssh/key.ts'
import { send, type Sending, type ServerContext } from './server-context.ts'

/** Access to something: members, keys. The keys of the maps are the same on both servers. */
interface Access {
  /** Kind of the entries in the journal, which records what the import has added. */
  readonly kind: string
  /** Access at the other server, and the request that grants it on this one. */
  readonly theirs: ReadonlyMap<string, Sending>
  /** Access on this server, and the request that removes it. */
  ours(): Promise<ReadonlyMap<string, Omit<Sending, 'method'>>>
}

/** Grants access, and records in the journal what did not exist before. */
export async function grantAccess(context: ServerContext, { kind, theirs, ours }: Access): Promise<void> {
  const own = await ours()
  for (const [source_id, sending] of theirs) {
    const isNew = !own.has(source_id)
    if (!isNew && sending.method === 'POST') continue
    if (isNew) await context.journal.put({ kind, source_id, target: sending.path, state: 'done' })
    if (!(await send(context, sending)) && isNew) await context.journal.delete({ kind, source_id })
  }
}

/** Removes access that an earlier run has imported and that no longer exists on the other server. */
export async function removeAccess(context: ServerContext, { kind, theirs, ours }: Access): Promise<void> {
  const removed = (await context.journal.list(kind)).filter(({ source_id }) => !theirs.has(source_id))
  const own = removed.length > 0 ? await ours() : new Map<string, never>()
  for (const { source_id } of removed) {
    const found = own.get(source_id)
    if (found !== undefined) {
      if (!(await send(context, { ...found, method: 'DELETE' }))) continue
      context.report.deleted(found.what)
    }
    await context.journal.delete({ kind, source_id })
  }
}

const MAX_KEY = 20_000

/** The fingerprint of a public key in one line, as `ssh-keygen -l` shows it. */
export function fingerprintOfLine(key: unknown): string {
  const [, blob = ''] = textOf(key, MAX_KEY).trim().split(/\s+/, 2)
  return sshFingerprint(Buffer.from(blob, 'base64'))
}

/** A deploy key with another right is another key. */
export const deployKey = ({ key, read_only }: Members): string =>
  `${fingerprintOfLine(key)} (${read_only === false ? 'read and write' : 'read only'})`
