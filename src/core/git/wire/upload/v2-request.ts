import { DELIM, encodePkt, FLUSH, pktText } from '../pkt/pkt-line.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { protocolError } from '../wire-error.ts'
import { createHash } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { GitRepo } from '../../repo.ts'
import { type WireRefs, isBelow, type WireRef } from '../repo.ts'

/** Bytes of one request that are buffered; larger requests are passed on to git as they arrive. */
const MAX_BUFFERED = 1024 * 1024

const COMBINE = 'filter combine:'
/** Separators and escapes allowed in a `combine:` filter: enough for a few of each. */
const MAX_COMBINED = 8

/** One command of protocol v2, as far as it was read. */
export interface V2Request {
  readonly command: string
  readonly capabilities: readonly string[]
  readonly args: readonly string[]
  /** The bytes read so far, ready for a git process. */
  readonly bytes: Buffer
  /** False if it is too large to buffer: the rest is still unread. */
  readonly complete: boolean
}

/** Reads the next command; undefined if the client is done (a lone flush, or the end of the stream). */
export async function readV2Request(reader: PktReader): Promise<V2Request | undefined> {
  const capabilities: string[] = []
  const args: string[] = []
  const bytes: Buffer[] = []
  let buffered = 0
  let target = capabilities
  for (;;) {
    const pkt = await reader.read()
    if (pkt === undefined) {
      if (buffered === 0) return undefined
      throw protocolError('the request ends before its flush packet')
    }
    if (pkt.kind === 'data') {
      requireSimpleFilter(pkt.data)
      target.push(pktText(pkt.data))
      bytes.push(encodePkt(pkt.data))
      buffered += pkt.data.length + 4
      if (buffered > MAX_BUFFERED) return finish(capabilities, args, bytes, false)
    } else if (pkt.kind === 'delim') {
      if (target === args) throw protocolError('unexpected delimiter packet')
      target = args
      bytes.push(DELIM)
    } else if (pkt.kind === 'flush') {
      if (buffered === 0) return undefined
      bytes.push(FLUSH)
      return finish(capabilities, args, bytes, true)
    } else throw protocolError('unexpected response-end packet')
  }
}

/**
 * Throws a protocol error for a combined filter with too many parts. For each part git tracks all objects it has seen:
 * 9,000 parts took 2 GB for a repository of 20,000 files.
 */
export function requireSimpleFilter(data: Buffer): void {
  if (data.toString('latin1', 0, COMBINE.length) !== COMBINE) return
  const signs = data.toString('latin1').match(/[+%]/g)?.length ?? 0
  if (signs > MAX_COMBINED) throw protocolError('too many filters are combined')
}

function finish(capabilities: readonly string[], args: string[], bytes: Buffer[], complete: boolean): V2Request {
  const commands = capabilities.filter((line) => line.startsWith('command='))
  const [command] = commands
  if (command === undefined) throw protocolError('no command requested')
  if (commands.length > 1) throw protocolError('command given twice')
  return {
    command: command.slice('command='.length),
    capabilities: capabilities.filter((line) => line !== command),
    args,
    bytes: Buffer.concat(bytes),
    complete,
  }
}

/**
 * True for a fetch whose answer depends only on the request, the objects and the refs, and that has no common commits:
 * clones of every kind (whole, shallow, partial).
 */
export function isCloneRequest(request: V2Request): boolean {
  if (request.command !== 'fetch' || !request.complete) return false
  return request.args.includes('done') && !request.args.some((arg) => arg.startsWith('have '))
}

/** True if the answer can only begin with the section `packfile`, so that progress may be sent before it is known. */
export function answersWithPackOnly(request: V2Request): boolean {
  const other = /^(deepen|shallow|want-ref|packfile-uris|sideband-all|wait-for-done)/
  return isCloneRequest(request) && !request.args.some((arg) => other.test(arg))
}

/** The cache key of the answer to a clone request: equal exactly when the answer is. */
export async function fetchKey(repo: GitRepo, refs: WireRefs, request: V2Request): Promise<string> {
  const { ino, birthtimeMs } = await stat(repo.path)
  const hash = createHash('sha256').update(JSON.stringify([repo.path, ino, birthtimeMs]))
  const capabilities = request.capabilities.filter((line) => !/^(agent|session-id)=/.test(line))
  hash.update(JSON.stringify([[...capabilities].sort(), [...request.args].sort()]))
  if (request.args.some((arg) => /^(include-tag|deepen-not|want-ref)/.test(arg))) hash.update(refsDigest(refs))
  return hash.digest('hex')
}

const digests = new WeakMap<WireRefs, Buffer>()

/** Equal exactly when all refs are. */
function refsDigest(refs: WireRefs): Buffer {
  const cached = digests.get(refs)
  if (cached) return cached
  const hash = createHash('sha256')
  for (const ref of refs.refs) hash.update(`${ref.oid} ${ref.name}\n`)
  const digest = hash.digest()
  digests.set(refs, digest)
  return digest
}

const MAX_ALTERNATES = 5

/** Bytes of all packs that a repository reads from, including its alternates: about the size of a full clone. */
export async function packBytes(objectsDir: string, depth = 0): Promise<number> {
  const packs = join(objectsDir, 'pack')
  const names = await readdir(packs).catch(() => [])
  const sizes = await Promise.all(
    names.filter((name) => name.endsWith('.pack')).map((name) => fileSize(join(packs, name))),
  )
  const own = sizes.reduce((sum, size) => sum + size, 0)
  if (depth >= MAX_ALTERNATES) return own
  const list = await readFile(join(objectsDir, 'info', 'alternates'), 'utf8').catch(() => '')
  let others = 0
  for (const line of list.split('\n')) if (line !== '') others += await packBytes(resolve(objectsDir, line), depth + 1)
  return own + others
}

const fileSize = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.size,
    () => 0,
  )

export interface LsRefsRequest {
  readonly symrefs: boolean
  readonly peel: boolean
  readonly unborn: boolean
  /** Empty for all refs. */
  readonly prefixes: readonly string[]
}

/** With more prefixes all refs are sent, which the protocol allows: a client filters again anyway. */
const MAX_PREFIXES = 512

/** Parses the arguments of `ls-refs` (gitprotocol-v2(5)). */
export function parseLsRefs(args: readonly string[]): LsRefsRequest {
  const prefixes: string[] = []
  const flags = new Set<string>()
  for (const arg of args) {
    if (arg.startsWith('ref-prefix ')) prefixes.push(arg.slice('ref-prefix '.length))
    else if (arg === 'symrefs' || arg === 'peel' || arg === 'unborn') flags.add(arg)
    else throw protocolError(`unexpected line: '${arg}'`)
  }
  const shown = prefixes.length > MAX_PREFIXES ? [] : prefixes
  return { symrefs: flags.has('symrefs'), peel: flags.has('peel'), unborn: flags.has('unborn'), prefixes: shown }
}

/** The whole answer to `ls-refs`. */
export function answerLsRefs(request: LsRefsRequest, refs: WireRefs, hidden: readonly string[]): Buffer {
  const packets: Buffer[] = []
  const wanted = (name: string): boolean => request.prefixes.length === 0 || isBelow(name, request.prefixes)
  if (wanted('HEAD')) packets.push(...headLine(request, refs))
  for (const ref of refs.refs) {
    if (!wanted(ref.name) || isBelow(ref.name, hidden)) continue
    packets.push(encodePkt(`${ref.oid} ${ref.name}${peeled(request, ref)}\n`))
  }
  return Buffer.concat([...packets, FLUSH])
}

function headLine(request: LsRefsRequest, refs: WireRefs): Buffer[] {
  const target = request.symrefs ? ` symref-target:${refs.head}` : ''
  const head = refs.refs.find((ref) => ref.name === refs.head)
  if (head) return [encodePkt(`${head.oid} HEAD${target}\n`)]
  return request.unborn ? [encodePkt(`unborn HEAD symref-target:${refs.head}\n`)] : []
}

const peeled = (request: LsRefsRequest, ref: WireRef): string =>
  request.peel && ref.peeled !== undefined ? ` peeled:${ref.peeled}` : ''
