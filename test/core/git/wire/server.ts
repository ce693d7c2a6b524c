import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createGit, type Git, type GitRepo, type ObjectFormat } from '../../../../src/core/git/index.ts'
import {
  createReceivePack,
  createUploadPack,
  PackCache,
  type PushPolicy,
  type ReceivePack,
  serviceHeader,
  type UploadPack,
  type UploadPackOptions,
  WireError,
} from '../../../../src/core/git/wire/index.ts'
import { systemClock } from '../../../../src/core/platform/clock.ts'
import { sha256Hex } from '../../../../src/core/platform/crypto/crypto.ts'
import { createLogger } from '../../../../src/core/platform/logger.ts'

export interface WireServerOptions {
  readonly dir: string
  readonly cache?: boolean
  readonly policy?: PushPolicy
  readonly maxPackBytes?: number
  readonly upload?: Partial<UploadPackOptions>
  /** Milliseconds for one transfer. */
  readonly deadlineMs?: number
}

interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly encoding: string
  readonly chunked: boolean
}

export interface WireServer {
  readonly url: string
  readonly git: Git
  readonly upload: UploadPack
  readonly receive: ReceivePack
  readonly cache: PackCache | undefined
  readonly requests: ReceivedRequest[]
  readonly errors: unknown[]
  policy: PushPolicy
  maxPackBytes: number
  /** Requests that are being answered. */
  active(): number
  repo(name: string, format?: ObjectFormat): Promise<GitRepo>
  close(): Promise<void>
}

export const allowAll: PushPolicy = {
  preReceive: (push) => Promise.resolve({ verdicts: push.commands.map(() => ({ ok: true as const })) }),
}

/** A bare loopback server around the wire: no accounts, no rules but the test's. */
export async function startWireServer(options: WireServerOptions): Promise<WireServer> {
  const cache =
    options.cache === true
      ? await PackCache.open({
          dir: join(options.dir, 'cache'),
          maxBytes: 1 << 30,
          maxAgeMs: 3_600_000,
          clock: systemClock,
        })
      : undefined
  const errors: unknown[] = []
  const log = createLogger('silent')
  const limits = options.deadlineMs === undefined ? {} : { deadline: options.deadlineMs }
  const git = await createGit({ root: join(options.dir, 'repos'), log, clock: systemClock, limits })
  const repos = new Map<string, GitRepo>()
  const common = { agent: 'ingot/test', idleMs: 20_000, deadlineMs: options.deadlineMs ?? 60_000 }
  const upload = createUploadPack({
    ...common,
    hiddenRefs: ['refs/ingot/'],
    maxFetches: 8,
    maxFetchesPerKey: 4,
    ...(cache && { cache }),
    ...options.upload,
  })
  const receive = createReceivePack({
    ...common,
    reservedRefs: ['refs/pull/', 'refs/ingot/'],
    maxPushes: 8,
    maxPushesPerKey: 4,
    onError: (error) => errors.push(error),
  })
  const state = { active: 0 }
  const server = createServer((request, response) => {
    state.active++
    answer(request, response)
      .catch((error: unknown) => {
        errors.push(error)
        response.destroy()
      })
      .finally(() => state.active--)
  })
  const handle: WireServer = {
    url: '',
    git,
    upload,
    receive,
    cache,
    requests: [],
    errors,
    policy: options.policy ?? allowAll,
    maxPackBytes: options.maxPackBytes ?? 1 << 30,
    active: () => state.active,
    async repo(name, format = 'sha1') {
      await git.createRepo(storageOf(name), { objectFormat: format, defaultBranch: 'main' })
      const repo = git.open({ storage: storageOf(name), objectFormat: format })
      repos.set(name, repo)
      return repo
    },
    close: () =>
      new Promise((resolve) => {
        git.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    handle.requests.push(describeRequest(request))
    const [, name = '', path = ''] = /^\/([^/]+)\.git\/(.*)$/.exec(url.pathname) ?? []
    const repo = repos.get(name)
    if (!repo) {
      response.writeHead(404).end()
      return
    }
    const protocol = request.headers['git-protocol'] as string | undefined
    if (path === 'info/refs') {
      const service = url.searchParams.get('service') ?? ''
      const body = await (service === 'git-upload-pack' ? upload : receive).advertise(repo, protocol)
      response.writeHead(200, { 'content-type': `application/x-${service}-advertisement` })
      response.end(Buffer.concat([serviceHeader(service), body]))
      return
    }
    response.writeHead(200, { 'content-type': `application/x-${path}-result` })
    const client = String(request.socket.remotePort)
    const exchange = { repo, client, input: inputOf(request), output: response, protocol, signal: signalOf(response) }
    try {
      if (path === 'git-upload-pack') await upload.serveRequest(exchange)
      else await receive.serveRequest({ ...exchange, policy: handle.policy, maxPackBytes: handle.maxPackBytes })
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    response.end()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(handle, { url: `http://127.0.0.1:${port}` })
}

const storageOf = (name: string): string => `te/${sha256Hex(name).slice(0, 20)}`

const describeRequest = ({ method = '', url = '', headers }: IncomingMessage): ReceivedRequest => ({
  method,
  url,
  encoding: headers['content-encoding'] ?? '',
  chunked: headers['transfer-encoding'] === 'chunked',
})

const inputOf = (request: IncomingMessage): Readable =>
  request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request

/** Aborts when the connection is closed. */
function signalOf(response: ServerResponse): AbortSignal {
  const abort = new AbortController()
  response.on('close', () => abort.abort())
  return abort.signal
}

const isRefusal = (error: unknown): boolean =>
  error instanceof WireError && (error.kind === 'protocol' || error.kind === 'refused')
