import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A new key for logging in elsewhere. */
export interface SshKeyPair {
  /** One line as in authorized_keys. */
  readonly publicKey: string
  /** The file that OpenSSH reads, not encrypted. */
  readonly privateKey: string
}

const TYPE = 'ssh-ed25519'
const BLOCK = 8
const LINE = 70

/** Ed25519, in the format of PROTOCOL.key of OpenSSH. `comment` is shown to people. */
export function generateSshKeyPair(comment: string): SshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d, x } = privateKey.export({ format: 'jwk' })
  const [seed, point] = [Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]
  const publicBlob = Buffer.concat([field(TYPE), field(point)])
  const check = randomBytes(4)
  const secret = pad(Buffer.concat([check, check, publicBlob, field(Buffer.concat([seed, point])), field(comment)]))
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    count(1),
    field(publicBlob),
    field(secret),
  ])
  const lines = file.toString('base64').match(new RegExp(`.{1,${LINE}}`, 'g'))!
  return {
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
  }
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([count(bytes.length), bytes])
}

/** Pads with the bytes 1, 2, 3, … to a whole block. */
const pad = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes,
    Buffer.from(Array.from({ length: (BLOCK - (bytes.length % BLOCK)) % BLOCK }, (_, index) => index + 1)),
  ])
