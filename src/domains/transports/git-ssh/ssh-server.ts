import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net'
import { conflict } from '../../../core/platform/errors.ts'
import { boundedUserAgent } from '../../../core/platform/request-source.ts'
import { handleConnection } from './connection.ts'
import type { SshServices } from './session.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { utils as SshUtils } from 'ssh2'
import { writeDurably } from '../../../core/platform/files/durable.ts'

const TYPES = ['ed25519', 'ecdsa'] as const

/**
 * The host keys of the server in `dir`, generated at the first start and never replaced. OpenSSH private keys, mode
 * 0600.
 */
async function loadHostKeys(dir: string, utils: typeof SshUtils): Promise<string[]> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  return Promise.all(TYPES.map((type) => loadHostKey(join(dir, `ssh_host_${type}_key`), type, utils)))
}

async function loadHostKey(path: string, type: (typeof TYPES)[number], utils: typeof SshUtils): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const made = generateKey(
    () =>
      (type === 'ed25519' ? utils.generateKeyPairSync('ed25519') : utils.generateKeyPairSync('ecdsa', { bits: 256 }))
        .private,
    utils,
  )
  await writeDurably(path, made)
  return made
}

const ATTEMPTS = 20

/**
 * NOTE: about one in 250 Ed25519 keys that the library generates cannot be parsed, neither by itself nor by OpenSSH: it
 * drops a leading zero byte.
 */
export function generateKey(make: () => string, utils: Pick<typeof SshUtils, 'parseKey'>): string {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const key = make()
    if (!(utils.parseKey(key) instanceof Error)) return key
  }
  throw new Error('no usable SSH host key could be made')
}

interface ConnectionLimits {
  /** The maximum number of unauthenticated connections, in total and from one address. */
  readonly maxUnauthenticated: number
  readonly maxUnauthenticatedPerAddress: number
}

/** Limits the number of connections that have not authenticated, so that they cannot exhaust the server. */
class UnauthenticatedConnections {
  readonly #limits: ConnectionLimits
  readonly #byAddress = new Map<string, number>()
  #count = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Counts a connection; returns the function that uncounts it, or undefined when there are too many. */
  add(address: string): (() => void) | undefined {
    const from = this.#byAddress.get(address) ?? 0
    if (this.#count >= this.#limits.maxUnauthenticated || from >= this.#limits.maxUnauthenticatedPerAddress)
      return undefined
    this.#count++
    this.#byAddress.set(address, from + 1)
    let isRemoved = false
    return () => {
      if (isRemoved) return
      isRemoved = true
      this.#remove(address)
    }
  }

  #remove(address: string): void {
    this.#count--
    const remaining = (this.#byAddress.get(address) ?? 1) - 1
    if (remaining === 0) this.#byAddress.delete(address)
    else this.#byAddress.set(address, remaining)
  }
}

export interface SshServerOptions extends ConnectionLimits {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The user name of every client. */
  readonly user: string
  /** The directory of the host keys. */
  readonly keyDir: string
  /** The software version that the server announces: `Ingot_26.11.0`. */
  readonly software: string
  /** The time in milliseconds within which a client must authenticate. */
  readonly loginGraceMs: number
  readonly services: SshServices
}

export interface SshServer {
  readonly port: number
  /** Accepts no new clients, lets transfers finish for at most `ms`, then disconnects the rest. */
  close(ms: number): Promise<void>
}

const KEEPALIVE = { keepaliveInterval: 30_000, keepaliveCountMax: 4 }

interface Client {
  readonly socket: Socket
  readonly signedIn: () => void
  sessions: number
}

/**
 * Listens for SSH clients. Throws conflict when the port is in use. NOTE: the library is loaded only if the server is
 * enabled.
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { default: ssh2 } = await import('ssh2')
  const hostKeys = await loadHostKeys(options.keyDir, ssh2.utils)
  const unauthenticated = new UnauthenticatedConnections(options)
  /** Keyed by the address and port of the client. */
  const clients = new Map<string, Client>()
  const serving = new Set<Promise<void>>()
  let closing = false

  const protocol = new ssh2.Server({ hostKeys, ident: options.software, ...KEEPALIVE })
  const listener = createServer({ noDelay: true }, (socket) => {
    const remove = unauthenticated.add(socket.remoteAddress ?? '')
    if (remove === undefined || closing) return socket.destroy()
    const grace = setTimeout(() => socket.destroy(), options.loginGraceMs)
    const signedIn = (): void => {
      clearTimeout(grace)
      remove()
    }
    const name = endpoint(socket.remoteAddress, socket.remotePort)
    clients.set(name, { socket, signedIn, sessions: 0 })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      signedIn()
      clients.delete(name)
    })
    protocol.injectSocket(socket)
    readOneChunkPerTurn(socket)
  })

  protocol.on('connection', (connection, { ip, port, header }) => {
    const client = clients.get(endpoint(ip, port))
    if (client === undefined) return connection.end()
    const { services, user } = options
    handleConnection(connection, {
      services,
      utils: ssh2.utils,
      user,
      source: { address: ip, userAgent: boundedUserAgent(header.versions.software) },
      onSignedIn: client.signedIn,
      onSession: (served) => track(client, served),
    })
  })

  function track(client: Client, served: Promise<void>): void {
    client.sessions++
    const done: Promise<void> = served.finally(() => {
      serving.delete(done)
      client.sessions--
      if (closing && client.sessions === 0) client.socket.end()
    })
    serving.add(done)
  }

  await listen(listener, options)
  return {
    port: (listener.address() as AddressInfo).port,
    async close(ms) {
      closing = true
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      for (const { socket, sessions } of clients.values()) if (sessions === 0) socket.destroy()
      const late = setTimeout(() => {
        for (const { socket } of clients.values()) socket.destroy()
      }, ms)
      await Promise.all(serving)
      for (const { socket } of clients.values()) socket.destroySoon()
      await closed
      clearTimeout(late)
    },
  }
}

/**
 * Reads one chunk in each turn of the event loop: the data of a push is decrypted in this thread, and libuv would read
 * up to 32 chunks of each client before it serves anybody else.
 */
export function readOneChunkPerTurn(socket: Socket): void {
  socket.on('data', () => {
    socket.pause()
    setImmediate(() => socket.resume())
  })
}

const endpoint = (address: string | undefined, port: number | undefined): string => `${address} ${port}`

function listen(server: NetServer, { host, port }: SshServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(
        conflict(
          `port ${port} of ${host} is in use by another program, so the SSH server cannot start. Choose another with ssh.port, or set ssh.enabled = false.`,
        ),
      )
    })
    server.listen({ host, port }, () => resolve())
  })
}
