import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import { badRequest, conflict } from '../../../../core/platform/errors.ts'

const MAX_ID = 255

/** Another client holds the lock of a state. */
export class StateLocked extends Error {
  /** The lock info of the holder, as JSON. */
  readonly holder: string

  constructor(holder: string) {
    super('the state is locked')
    this.name = 'StateLocked'
    this.holder = holder
  }
}

interface LockInfo {
  readonly id: string
  /** JSON, which `package.metadata` contains while the lock is held. */
  readonly text: string
}

/** Throws BadRequest for invalid lock info. */
export function readLock(text: string): LockInfo {
  const info = members(parseJson(text)?.value)
  const id = idOf(info['ID'])
  if (id === '') throw badRequest('the lock info has no ID')
  return { id, text: JSON.stringify(info) }
}

const idOf = (value: unknown): string => {
  const id = textOf(value)
  return id.length > MAX_ID ? '' : id
}

const holderOf = (metadata: string): string => idOf(members(parseJson(metadata)?.value)['ID'])

/** Throws StateLocked if a lock with another ID is held. */
export function requireFree(metadata: string, id: string | null): void {
  if (metadata !== '' && holderOf(metadata) !== id) throw new StateLocked(metadata)
}

/** Like `requireFree`, but a client that names a lock must hold it: somebody else may have released it. */
export function requireLock(metadata: string, id: string | null): void {
  requireFree(metadata, id)
  if (metadata === '' && id !== null) throw conflict('the lock was released')
}
