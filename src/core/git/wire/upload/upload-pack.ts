import { gitEnv } from '../../engine/command.ts'
import type { GitRepo } from '../../repo.ts'
import {
  advertiseUpload,
  type BundleUrl,
  type Exchange,
  protocolEnv,
  protocolVersion,
  type ProtocolVersion,
} from '../protocol.ts'
import { type ByteSink, sinkTo, encodePkt, FLUSH, pktText, SideBand } from '../pkt/pkt-line.ts'
import {
  answersWithPackOnly,
  fetchKey,
  isCloneRequest,
  packBytes,
  answerLsRefs,
  parseLsRefs,
  readV2Request,
  requireSimpleFilter,
  type V2Request,
} from './v2-request.ts'
import { Limiter } from '../limiter.ts'
import { type GitChild, startGit } from '../git-child.ts'
import type { PackCache } from './pack-cache.ts'
import { PktReader } from '../pkt/pkt-reader.ts'
import { readRefs } from '../repo.ts'
import { protocolError, WireError } from '../wire-error.ts'
import { runProcess } from '../../../platform/process/process.ts'
import type { ObjectFormat } from '../../engine/object/format.ts'

const CAPABILITY = encodePkt('bundle-uri\n')

/** The advertisement of protocol v2 with the command `bundle-uri` if there is a bundle (gitprotocol-v2(5)). */
async function withBundleUri(capabilities: Buffer, bundleUrl: BundleUrl | undefined): Promise<Buffer> {
  if ((await bundleUrl?.()) === undefined) return capabilities
  return Buffer.concat([capabilities.subarray(0, -FLUSH.length), CAPABILITY, FLUSH])
}

/** A list of one bundle, or an empty list if it was removed after it was advertised. */
function answerBundleUri(url: string | undefined): Buffer {
  const list = ['bundle.version=1', 'bundle.mode=all', ...(url === undefined ? [] : [`bundle.clone.uri=${url}`])]
  return Buffer.concat([...list.map((line) => encodePkt(line)), FLUSH])
}

export interface UploadPackOptions {
  readonly agent: string
  /** Refs that are neither shown nor accepted by name; prefixes that end with a slash. */
  readonly hiddenRefs: readonly string[]
  /** If absent, every fetch is computed again. */
  readonly cache?: PackCache
  /** Fetches computed at once, in total, and of one repository and of one caller. */
  readonly maxFetches: number
  readonly maxFetchesPerKey: number
  /** Called with the client's prefixes before refs are listed; creates the refs that exist only on demand. */
  readonly beforeRefs?: (repo: GitRepo, prefixes: readonly string[]) => Promise<void>
  /** Milliseconds without a byte from or to the client. */
  readonly idleMs: number
  /** Milliseconds for one whole fetch. */
  readonly deadlineMs: number
}

const KEEP_ALIVE_MS = 5000
const PACKFILE = encodePkt('packfile\n')

export type UploadPack = ReturnType<typeof createUploadPack>

export function createUploadPack(options: UploadPackOptions) {
  const server = new FetchServer(options)
  return {
    /** The first response: capabilities in v2, refs in v0 and v1. Without HTTP's `# service` header. */
    advertise: (repo: GitRepo, protocol: string | undefined, bundleUrl?: BundleUrl): Promise<Buffer> =>
      server.advertise(repo, protocolVersion(protocol), bundleUrl),
    /** Answers one request of a stateless transport (HTTP POST). Fails with WireError. */
    async serveRequest(exchange: Exchange): Promise<void> {
      const version = protocolVersion(exchange.protocol)
      if (version !== 2) await server.relay(exchange, version, true)
      else await server.converse(exchange)
    },
    /** Serves a whole connection including the advertisement (SSH). Fails with WireError. */
    async serveConnection(exchange: Exchange): Promise<void> {
      const version = protocolVersion(exchange.protocol)
      if (version !== 2) return server.relay(exchange, version, false)
      await sinkTo(
        exchange.output,
        options.idleMs,
        exchange.signal,
      )(await server.advertise(exchange.repo, 2, exchange.bundleUrl))
      return server.converse(exchange)
    },
  }
}

type FetchSource = Pick<Exchange, 'repo' | 'client'>

class FetchServer {
  readonly #options: UploadPackOptions
  readonly #limiter: Limiter
  readonly #v2Capabilities: V2Capabilities

  constructor(options: UploadPackOptions) {
    this.#options = options
    this.#limiter = new Limiter(options.maxFetches, options.maxFetchesPerKey)
    this.#v2Capabilities = createV2Capabilities(options.agent)
  }

  async advertise(repo: GitRepo, version: ProtocolVersion, bundleUrl: BundleUrl | undefined): Promise<Buffer> {
    if (version === 2) return withBundleUri(await this.#v2Capabilities(repo, this.#env(2)), bundleUrl)
    const { agent, hiddenRefs: hidden } = this.#options
    return advertiseUpload({ repo, refs: await readRefs(repo), version, agent, hidden })
  }

  /** v2: one command after the other until the client is done. */
  async converse(exchange: Exchange): Promise<void> {
    const reader = new PktReader(exchange.input, { idleMs: this.#options.idleMs })
    const sink = sinkTo(exchange.output, this.#options.idleMs, exchange.signal)
    try {
      for (let request = await readV2Request(reader); request; request = await readV2Request(reader)) {
        await this.#answer(exchange, request, reader, sink)
      }
    } catch (error) {
      if (error instanceof WireError && error.kind === 'refused') return
      if (error instanceof WireError && error.kind === 'protocol') await sink(encodePkt(`ERR ${error.message}\n`))
      throw error
    }
  }

  async #answer(exchange: Exchange, request: V2Request, reader: PktReader, sink: ByteSink): Promise<void> {
    const { repo, signal } = exchange
    const { cache } = this.#options
    const format =
      request.capabilities.find((line) => line.startsWith('object-format='))?.slice('object-format='.length) ?? 'sha1'
    if (format !== repo.objectFormat) {
      throw protocolError(`mismatched object format: server ${repo.objectFormat}; client ${format}`)
    }
    if (request.command === 'ls-refs') {
      await sink(await this.#listRefs(repo, request))
    } else if (request.command === 'bundle-uri' && exchange.bundleUrl) {
      await sink(answerBundleUri(await exchange.bundleUrl()))
    } else if (cache && isCloneRequest(request) && (await isWorthKeeping(repo, cache))) {
      await this.#answerCached(exchange, request, cache, sink)
    } else {
      await this.#compute(exchange, request, { sink, signal, rest: request.complete ? undefined : reader })
    }
  }

  async #listRefs(repo: GitRepo, request: V2Request): Promise<Buffer> {
    const { hiddenRefs, beforeRefs } = this.#options
    if (!request.complete) throw protocolError('the ls-refs request is too large')
    const wanted = parseLsRefs(request.args)
    if (wanted.prefixes.length > 0) await beforeRefs?.(repo, wanted.prefixes)
    return answerLsRefs(wanted, await readRefs(repo), hiddenRefs)
  }

  async #answerCached(place: FetchSource, request: V2Request, cache: PackCache, sink: ByteSink): Promise<void> {
    const { repo, client } = place
    const key = await fetchKey(repo, await readRefs(repo), request)
    const mustWait = !cache.has(key) && this.#limiter.wouldWait([repo.path, client])
    const stream = cache.answer(key, (into, signal) =>
      this.#compute(place, request, { sink: into, signal, rest: undefined }),
    )
    if (!mustWait || !answersWithPackOnly(request)) {
      for await (const chunk of stream.read(0, KEEP_ALIVE_MS)) if (chunk.length > 0) await sink(chunk)
      return
    }
    const band = new SideBand(sink)
    await sink(PACKFILE)
    await band.progress('Waiting for other transfers to finish...\n')
    await relayAfterHeader(stream.read(0, KEEP_ALIVE_MS), band, sink)
  }

  /** Runs `git upload-pack` for one v2 command. */
  async #compute(
    { repo, client }: FetchSource,
    request: V2Request,
    to: { sink: ByteSink; signal: AbortSignal; rest: PktReader | undefined },
  ): Promise<void> {
    const leave = await this.#limiter.enter([repo.path, client], to.signal)
    const child = this.#start(repo, 2, ['--stateless-rpc'], to.signal)
    try {
      const feeding = to.rest ? feedUntilFlush(child, request.bytes, to.rest) : feed(child, request.bytes)
      const [, sent] = await Promise.all([feeding, drain(child, to.sink)])
      if ((await child.exited) === 0) return
      if (!sent) await to.sink(encodePkt('ERR upload-pack: the server could not make the pack\n'))
      throw new WireError('refused', child.stderr())
    } finally {
      child.kill()
      await child.exited.catch(() => {})
      leave()
    }
  }

  /** v0 and v1: git speaks the protocol, the server relays bytes. */
  async relay(exchange: Exchange, version: ProtocolVersion, stateless: boolean): Promise<void> {
    const { repo, client, input, output, signal } = exchange
    const leave = await this.#limiter.enter([repo.path, client], signal)
    const child = this.#start(repo, version, stateless ? ['--stateless-rpc'] : [], signal)
    try {
      const reader = new PktReader(input)
      const over = child.exited.then(() => undefined)
      const feeding = carry(reader, child, over)
      await Promise.all([Promise.race([feeding, over]), drain(child, sinkTo(output, this.#options.idleMs, signal))])
      await child.exited
    } finally {
      child.kill()
      await child.exited.catch(() => {})
      leave()
    }
  }

  #start(repo: GitRepo, version: ProtocolVersion, flags: readonly string[], signal: AbortSignal): GitChild {
    const env = this.#env(version)
    const timeout = `--timeout=${Math.ceil(this.#options.idleMs / 1000)}`
    return startGit(['upload-pack', '--strict', timeout, ...flags, repo.path], {
      env,
      signal,
      deadlineMs: this.#options.deadlineMs,
    })
  }

  #env(version: ProtocolVersion): Record<string, string> {
    const hidden = this.#options.hiddenRefs.map((prefix) => ['uploadpack.hideRefs', prefix.slice(0, -1)] as const)
    const settings = [
      ['uploadpack.allowFilter', 'true'],
      // Relayed requests are not parsed, so the limit on their parts does not apply; see requireSimpleFilter.
      ...(version === 2 ? [] : [['uploadpackfilter.combine.allow', 'false'] as const]),
      ['uploadpack.allowAnySHA1InWant', 'true'],
      ['uploadpack.keepAlive', String(KEEP_ALIVE_MS / 1000)],
      ['lsrefs.unborn', 'advertise'],
      // Limits the memory of one process: larger files are sent whole.
      ['core.bigFileThreshold', '32m'],
      ['pack.windowMemory', '64m'],
      ...hidden,
    ] as const
    return { ...gitEnv(undefined, settings), ...protocolEnv(version) }
  }
}

async function isWorthKeeping(repo: GitRepo, cache: PackCache): Promise<boolean> {
  const bytes = await packBytes(`${repo.path}/objects`)
  return bytes <= cache.maxEntryBytes && cache.hasRoom(bytes)
}

async function feed(child: GitChild, bytes: Buffer): Promise<void> {
  await child.write(bytes)
  child.closeInput()
}

async function feedUntilFlush(child: GitChild, bytes: Buffer, rest: PktReader): Promise<void> {
  await child.write(bytes)
  for (;;) {
    const pkt = await rest.read()
    if (pkt === undefined) throw protocolError('the request ends before its flush packet')
    if (pkt.kind === 'flush') break
    if (pkt.kind !== 'data') throw protocolError('unexpected special packet')
    requireSimpleFilter(pkt.data)
    await child.write(encodePkt(pkt.data))
  }
  await feed(child, Buffer.from('0000'))
}

/** Relays client to git until the client ends or git has exited. */
async function carry(reader: PktReader, child: GitChild, over: Promise<undefined>): Promise<void> {
  for (;;) {
    const chunk = await Promise.race([reader.chunk(), over])
    if (chunk === undefined) return child.closeInput()
    await child.write(chunk)
  }
}

/** Returns true if there was any output. */
async function drain(child: GitChild, sink: ByteSink): Promise<boolean> {
  let any = false
  for await (const chunk of child.stdout) {
    any = true
    await sink(chunk)
  }
  return any
}

/** Continues an answer whose first packet, `packfile`, the client already has. */
async function relayAfterHeader(answer: AsyncIterable<Buffer>, band: SideBand, sink: ByteSink): Promise<void> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of answer) {
    if (chunk.length === 0) await band.keepAlive()
    else if (head === undefined) await sink(chunk)
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < PACKFILE.length) continue
      if (!head.subarray(0, PACKFILE.length).equals(PACKFILE)) {
        await band.fatal(head.toString('utf8', 4))
        return band.end()
      }
      await sink(head.subarray(PACKFILE.length))
      head = undefined
    }
  }
}

/** Returns the capability advertisement of protocol v2 for repositories of this object format, with a final flush. */
type V2Capabilities = (repo: GitRepo, env: Readonly<Record<string, string>>) => Promise<Buffer>

/**
 * The advertisement of the installed git, with `agent` as its agent. It depends only on the repository's object format,
 * so git runs once for each format; after a failure it runs again.
 */
function createV2Capabilities(agent: string): V2Capabilities {
  const cached = new Map<ObjectFormat, Promise<Buffer>>()
  return (repo, env) => {
    const found = cached.get(repo.objectFormat)
    if (found) return found
    const advertisement = askGit(repo, env, agent)
    cached.set(repo.objectFormat, advertisement)
    advertisement.catch(() => cached.delete(repo.objectFormat))
    return advertisement
  }
}

async function askGit(repo: GitRepo, env: Readonly<Record<string, string>>, agent: string): Promise<Buffer> {
  const { code, stdout, stderr } = await runProcess('git', ['upload-pack', '--advertise-refs', repo.path], { env })
  if (code !== 0) throw new WireError('failed', `git upload-pack: ${stderr.trim()}`)
  const reader = new PktReader(oneChunk(stdout))
  const packets: Buffer[] = []
  for (let pkt = await reader.read(); pkt?.kind === 'data'; pkt = await reader.read()) {
    const line = pktText(pkt.data)
    packets.push(encodePkt(line.startsWith('agent=') ? `agent=${agent}\n` : `${line}\n`))
  }
  return Buffer.concat([...packets, FLUSH])
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
