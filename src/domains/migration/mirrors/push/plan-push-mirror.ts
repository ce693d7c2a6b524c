import { randomInt } from 'node:crypto'
import { flag } from '../../../../core/db/flag.ts'
import { badRequest, unauthenticated } from '../../../../core/platform/errors.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import { generateSshKeyPair } from '../../../../core/platform/ssh/key-pair.ts'
import { readMirrorInterval } from '../mirror-interval.ts'
import type { NewPushMirrorRow } from './push-mirror.store.ts'
import type { RemoteAccess } from '../remote-access.ts'
import { parseRemoteAddress, type RemoteAddress } from '../remote-address.ts'

export interface NewPushMirror {
  readonly address: string
  readonly username: string
  readonly password: string
  /** Duration text, required; `0` disables scheduled pushes. */
  readonly interval: string
  readonly isOnCommit: boolean
  /** Push by SSH with a new key pair. */
  readonly isSsh: boolean
}

interface PlanDeps {
  readonly access: RemoteAccess
  /** Milliseconds. */
  readonly minInterval: number
}

type Plan = Omit<NewPushMirrorRow, 'repo_id' | 'next_sync_at' | 'created_at'>
type FoundAddress = Extract<RemoteAddress, { kind: 'remote' }>

const NAME_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const NAME_LENGTH = 10

/** Validates a new push mirror without connecting to the remote. Throws as `PushMirrors.create`. */
export async function planPushMirror({ access, minInterval }: PlanDeps, input: NewPushMirror): Promise<Plan> {
  const interval = readMirrorInterval(input.interval, minInterval)
  if (typeof interval !== 'number') throw badRequest(interval.message)
  if (input.isSsh && (input.username !== '' || input.password !== ''))
    throw badRequest('use_ssh is mutually exclusive with remote_username and remote_password')
  const address = readAddress(input)
  await requireReachable(access, address.url)
  const given =
    input.username !== '' || input.password !== ''
      ? { username: input.username, password: input.password }
      : address.credentials
  const pair = input.isSsh ? generateSshKeyPair('ingot push mirror') : undefined
  return {
    remote_name: `remote_mirror_${Array.from({ length: NAME_LENGTH }, () => NAME_ALPHABET[randomInt(NAME_ALPHABET.length)]!).join('')}`,
    remote_url: address.url,
    credentials: access.seal(given),
    public_key: pair?.publicKey ?? '',
    private_key: access.sealKey(pair?.privateKey ?? ''),
    interval,
    is_on_commit: flag(input.isOnCommit),
  }
}

function readAddress({ address: text, isSsh }: NewPushMirror): FoundAddress {
  const address = parseRemoteAddress(text)
  if (address.kind === 'local')
    throw text === '' || (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^file:/i.test(text))
      ? badRequest('Invalid Url ')
      : unauthenticated('Permission denied')
  const allowed = isSsh ? ['ssh'] : ['http', 'https']
  if (!allowed.includes(address.scheme)) throw badRequest('Invalid mirror protocol')
  return address
}

async function requireReachable(access: RemoteAccess, url: string): Promise<void> {
  try {
    await access.open(url, undefined)
  } catch (error) {
    if (isOutgoingError(error, 'refused')) throw unauthenticated(`Permission denied: ${error.message}`)
    throw isOutgoingError(error) ? badRequest('Invalid Url ') : error
  }
}
