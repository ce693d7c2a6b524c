import { zeroOid } from '../engine/object/format.ts'
import type { GitRepo } from '../repo.ts'
import { encodePkt, FLUSH } from './pkt/pkt-line.ts'
import { isBelow, type WireRef, type WireRefs } from './repo.ts'
import type { Readable, Writable } from 'node:stream'
import type { PushPolicy } from './receive/receive-request.ts'

export type ProtocolVersion = 0 | 1 | 2

/**
 * The version that a client requests by the `Git-Protocol` header or the `GIT_PROTOCOL` variable: `key=value` pairs
 * joined by colons, the highest known version wins (gitprotocol-http(5)). Anything else is version 0.
 */
export function protocolVersion(text: string | undefined): ProtocolVersion {
  let best: ProtocolVersion = 0
  for (const pair of (text ?? '').split(':')) {
    if (pair === 'version=2') best = 2
    else if (pair === 'version=1' && best === 0) best = 1
  }
  return best
}

/** GIT_PROTOCOL for a child process; contains none of the client's text. */
export const protocolEnv = (version: ProtocolVersion): Record<string, string> =>
  version === 0 ? {} : { GIT_PROTOCOL: `version=${version}` }

/**
 * Capabilities of upload-pack over stateless transports in v0 and v1, where alone `no-done` applies
 * (gitprotocol-capabilities(5)).
 */
const UPLOAD_CAPABILITIES = [
  'multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since deepen-not deepen-relative no-progress include-tag',
  'multi_ack_detailed allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done filter',
].join(' ')

const RECEIVE_CAPABILITIES =
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options'

export interface Advertiser {
  readonly repo: Pick<GitRepo, 'objectFormat'>
  readonly refs: WireRefs
  readonly version: ProtocolVersion
  /** `git/2.39.5`, `ingot/26.11.0`. */
  readonly agent: string
  /** Prefixes of refs that are not advertised. */
  readonly hidden: readonly string[]
}

/** The first response of upload-pack in v0 and v1: HEAD, then every ref with its peeled value. */
export function advertiseUpload(options: Advertiser): Buffer {
  const { repo, refs, hidden } = options
  const visible = refs.refs.filter((ref) => !isBelow(ref.name, hidden))
  const head = visible.find((ref) => ref.name === refs.head)
  const symref = head ? `symref=HEAD:${refs.head} ` : ''
  const capabilities = `${UPLOAD_CAPABILITIES} ${symref}object-format=${repo.objectFormat} agent=${options.agent}`
  const lines: WireRef[] = head ? [{ name: 'HEAD', oid: head.oid, peeled: head.peeled }] : []
  return advertisement(options, capabilities, [...lines, ...visible].flatMap(withPeeled))
}

/** The first response of receive-pack: every ref, without HEAD and peeled values. */
export function advertiseReceive(options: Advertiser): Buffer {
  const visible = options.refs.refs.filter((ref) => !isBelow(ref.name, options.hidden))
  const capabilities = `${RECEIVE_CAPABILITIES} object-format=${options.repo.objectFormat} agent=${options.agent}`
  return advertisement(options, capabilities, visible)
}

function withPeeled(ref: WireRef): WireRef[] {
  if (ref.peeled === undefined || ref.name === 'HEAD') return [ref]
  return [ref, { name: `${ref.name}^{}`, oid: ref.peeled }]
}

function advertisement(options: Advertiser, capabilities: string, refs: readonly WireRef[]): Buffer {
  const packets: Buffer[] = options.version === 1 ? [encodePkt('version 1\n')] : []
  const [first = { name: 'capabilities^{}', oid: zeroOid(options.repo.objectFormat) }, ...others] = refs
  packets.push(encodePkt(`${first.oid} ${first.name}\0${capabilities}\n`))
  for (const ref of others) packets.push(encodePkt(`${ref.oid} ${ref.name}\n`))
  return Buffer.concat([...packets, FLUSH])
}

/** The line before the advertisement over HTTP, except in v2 of upload-pack (gitprotocol-http(5)). */
export const serviceHeader = (service: string): Buffer => Buffer.concat([encodePkt(`# service=${service}\n`), FLUSH])

/** The URL of a bundle; undefined if there is none now. */
export type BundleUrl = () => Promise<string | undefined>

/** One exchange with one client. The caller inflates `input` and ends `output`. */
export interface Exchange {
  readonly repo: GitRepo
  /** Who transfers: the account, or the network of an anonymous client. */
  readonly client: string
  readonly input: Readable
  readonly output: Writable
  /** The `Git-Protocol` header or `GIT_PROTOCOL` variable as the client sent it. */
  readonly protocol: string | undefined
  /** Returns the bundle of the repository, called when a client of protocol v2 requests it; absent if there is none. */
  readonly bundleUrl?: BundleUrl
  /** Fires when the client has left. */
  readonly signal: AbortSignal
}

export interface ReceivePackOptions {
  readonly agent: string
  /** Refs that accept no push and are not advertised to pushers; prefixes that end with a slash. */
  readonly reservedRefs: readonly string[]
  readonly maxPushes: number
  /** The maximum of concurrent pushes to one repository, and of one caller. */
  readonly maxPushesPerKey: number
  readonly idleMs: number
  readonly deadlineMs: number
  /** Called for failures whose details the client must not see. */
  readonly onError: (error: unknown) => void
}

export interface PushExchange extends Exchange {
  readonly policy: PushPolicy
  /** Maximum bytes of the pack. */
  readonly maxPackBytes: number
}
