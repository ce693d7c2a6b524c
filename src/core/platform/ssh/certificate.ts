import { sshFingerprint, SshKeyError, WireReader } from './key.ts'
import { framed, verifySshBlob } from './signature.ts'

/** A certificate over a public key (OpenSSH PROTOCOL.certkeys), its signature verified, its limits not. */
export interface SshCertificate {
  /** The certified key in wire form, without its certificate. */
  readonly key: Buffer
  /** Whom the authority says it is for, in its order. */
  readonly principals: readonly string[]
  /** The name that the authority gave it. */
  readonly name: string
  readonly isForUsers: boolean
  /** Seconds since the epoch; valid from the first on, until before the second. */
  readonly validFrom: bigint
  readonly validUntil: bigint
  /** Names of conditions that must not be ignored. */
  readonly criticalOptions: readonly string[]
  /** `SHA256:...` of the authority's key. */
  readonly authority: string
}

/** The kind of key in each kind of certificate, and the number of its members. */
const KINDS: Readonly<Record<string, { readonly type: string; readonly members: number }>> = {
  'ssh-rsa-cert-v01@openssh.com': { type: 'ssh-rsa', members: 2 },
  'ssh-ed25519-cert-v01@openssh.com': { type: 'ssh-ed25519', members: 1 },
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp256', members: 2 },
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp384', members: 2 },
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp521', members: 2 },
  'sk-ssh-ed25519-cert-v01@openssh.com': { type: 'sk-ssh-ed25519@openssh.com', members: 2 },
  'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'sk-ecdsa-sha2-nistp256@openssh.com', members: 3 },
}
const FOR_USERS = 1
const MAX_BYTES = 32 * 1024

/** Undefined for an invalid certificate, and for one that its authority did not sign. */
export function parseSshCertificate(wire: Buffer): SshCertificate | undefined {
  try {
    return wire.length > MAX_BYTES ? undefined : read(wire)
  } catch (error) {
    if (error instanceof SshKeyError) return undefined
    throw error
  }
}

function read(wire: Buffer): SshCertificate | undefined {
  const reader = new WireReader(wire)
  const kind = KINDS[reader.text()]
  if (kind === undefined) return undefined
  reader.bytes() // The nonce.
  const members = Array.from({ length: kind.members }, () => framed(reader.bytes()))
  reader.rest(8) // The serial number.
  const use = reader.rest(4).readUInt32BE()
  const name = reader.bytes().toString('utf8')
  const principals = readList(reader.bytes())
  const [validFrom, validUntil] = [reader.rest(8).readBigUInt64BE(), reader.rest(8).readBigUInt64BE()]
  const criticalOptions = readList(reader.bytes()).filter((_, index) => index % 2 === 0)
  reader.bytes() // Extensions: what is not known there may be ignored.
  reader.bytes() // Reserved.
  const authority = reader.bytes()
  const signature = reader.bytes()
  if (!reader.atEnd || !verifySshBlob(authority, signature, wire.subarray(0, wire.length - 4 - signature.length)))
    return undefined
  return {
    key: Buffer.concat([framed(kind.type), ...members]),
    principals,
    name,
    isForUsers: use === FOR_USERS,
    validFrom,
    validUntil,
    criticalOptions,
    authority: sshFingerprint(authority),
  }
}

/** Strings one after the other; options have a name and data in turn. */
function readList(packed: Buffer): string[] {
  const reader = new WireReader(packed)
  const found: string[] = []
  while (!reader.atEnd) found.push(reader.bytes().toString('utf8'))
  return found
}

export interface CertificateRules {
  /** Fingerprints of the authorities that are trusted. */
  readonly authorities: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Whether a certificate signs users in. NOTE: the server cannot limit its user to a program or an address, so that one
 * with any critical option is refused (PROTOCOL.certkeys: unknown critical options must be).
 */
export function isCertificateValid(
  { authority, isForUsers, validFrom, validUntil, criticalOptions, principals }: SshCertificate,
  { authorities, now }: CertificateRules,
): boolean {
  const seconds = BigInt(Math.floor(now / 1000))
  return (
    authorities.has(authority) &&
    isForUsers &&
    criticalOptions.length === 0 &&
    principals.length > 0 &&
    validFrom <= seconds &&
    seconds < validUntil
  )
}
