import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { framed } from '../../../src/core/platform/ssh/signature.ts'
import type { AgentKey } from './agent.ts'

export type SecurityKeyType = 'sk-ssh-ed25519@openssh.com' | 'sk-ecdsa-sha2-nistp256@openssh.com'

export interface SecurityKey extends AgentKey {
  readonly line: string
}

/** How a token may lie or fail. */
export interface Behaviour {
  /** The application it signs for, when it is not that of the key. */
  readonly application?: string
  /** Bit 0: user presence; bit 2: user verification. */
  readonly flags?: number
  /** Signs something else than it was asked to. */
  readonly isWrong?: boolean
  /** Says another algorithm than that of the key. */
  readonly algorithm?: string
  /** Cuts its signature off after so many bytes. */
  readonly length?: number
}

const APPLICATION = 'ssh:'

/** A hardware token in software (OpenSSH PROTOCOL.u2f): signs over the application, flags, a counter and the data. */
export function securityKey(type: SecurityKeyType, behaviour: Behaviour = {}): SecurityKey {
  const { flags = 1, application = APPLICATION, isWrong = false, algorithm = type, length } = behaviour
  const isEd25519 = type.startsWith('sk-ssh')
  const { publicKey, privateKey } = isEd25519
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = [x, y].map((text) => Buffer.from(text, 'base64url'))
  const members = isEd25519
    ? [framed(point[0]!)]
    : [framed('nistp256'), framed(Buffer.concat([Buffer.of(4), ...point]))]
  const blob = Buffer.concat([framed(type), ...members, framed(APPLICATION)])
  let counter = 0
  return {
    blob,
    line: `${type} ${blob.toString('base64')}`,
    sign(data) {
      const state = Buffer.alloc(5)
      state[0] = flags
      state.writeUInt32BE(++counter, 1)
      const signed = Buffer.concat([sha256(application), state, sha256(isWrong ? 'another session' : data)])
      const made = isEd25519
        ? sign(null, signed, privateKey)
        : asTwoNumbers(sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' }))
      const wire = Buffer.concat([framed(algorithm), framed(made), state])
      return wire.subarray(0, length ?? wire.length)
    },
  }
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
const asTwoNumbers = (signature: Buffer): Buffer =>
  Buffer.concat([signature.subarray(0, 32), signature.subarray(32)].map((part) => framed(shortest(part))))

/** RFC 4251 §5, mpint. */
function shortest(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0)
  const magnitude = number.subarray(start)
  return magnitude[0]! & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude
}
