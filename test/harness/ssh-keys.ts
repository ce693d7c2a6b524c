import { randomBytes } from 'node:crypto'

const TYPE = 'ssh-ed25519'

/**
 * The public half of an ed25519 key without private half: the length and name of the type, then the length and 32 bytes
 * of the key.
 */
export function newKey(): string {
  const wire = Buffer.concat([
    Buffer.of(0, 0, 0, TYPE.length),
    Buffer.from(TYPE),
    Buffer.of(0, 0, 0, 32),
    randomBytes(32),
  ])
  return `${TYPE} ${wire.toString('base64')}`
}
