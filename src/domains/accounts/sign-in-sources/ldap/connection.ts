import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure, type ConnectionOptions } from 'node:tls'
import type { Client, Entry, SearchOptions } from 'ldapts'
import { type DomainError, isDomainError, unavailable } from '../../../../core/platform/errors.ts'
import type { LdapSettings } from './ldap.model.ts'

/** Milliseconds. */
export interface DirectoryTimes {
  /** Time limit of opening the connection, including TLS. */
  readonly connect: number
  /** Time limit of the answer to one request. */
  readonly answer: number
}

interface Search {
  readonly base: string
  /** Only the entry `base` itself. */
  readonly baseOnly?: boolean
  readonly filter: string
  readonly attributes: readonly string[]
  /** Attributes whose values are bytes. */
  readonly binary?: readonly string[]
}

/** A connection to a directory. Every function throws unavailable when the directory does not answer as it should. */
export interface Directory {
  /** Returns false for a name or a password that the directory refuses. */
  bind(name: string, password: string): Promise<boolean>
  /** At most `limit` entries; the directory may have more. */
  find(search: Search, limit: number): Promise<Entry[]>
  /** All entries, in pages of at most `size`. Throws too when the directory does not give all of them. */
  pages(search: Search, size: number): AsyncIterable<Entry[]>
  /** The names of all entries. Throws as `pages`, and for more than some thousands. */
  names(search: Omit<Search, 'attributes'>): Promise<string[]>
}

/** Result codes with which a directory refuses a bind because of the name, the password or the account. */
const REFUSED = new Set([19, 32, 34, 48, 49, 53])
/** The library takes these names of a bind for mechanisms of SASL. */
const MECHANISMS = new Set(['EXTERNAL', 'PLAIN', 'DIGEST-MD5', 'SCRAM-SHA-1'])
const NAMES_PAGE = 500
const MAX_NAMES = 10_000
/** Maximum number of entries of one list; a directory that returns more lies or repeats itself. */
const MAX_ENTRIES = 2_000_000

/** Connects, runs `work`, and always closes the connection. */
export async function withDirectory<T>(
  settings: LdapSettings,
  times: DirectoryTimes,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  // 60 ms and 13 MB, at the first use.
  const { Client } = await import('ldapts')
  const sockets = new Set<Socket>()
  const client = new Client(clientOptions(settings, times, sockets))
  try {
    if (settings.security === 'starttls') await startTls(client, settings, times.connect)
    return await work(directoryOf(client))
  } finally {
    await client.unbind().catch(() => undefined)
    for (const socket of sockets) socket.destroy()
  }
}

/**
 * NOTE: the library connects again by itself when a connection has ended: without TLS after StartTLS, and without the
 * account. A password would be sent unencrypted, and a search would be anonymous. So each client gets one connection.
 */
function clientOptions(settings: LdapSettings, { connect, answer }: DirectoryTimes, sockets: Set<Socket>) {
  const { host, security } = settings
  const port = settings.port || (security === 'ldaps' ? 636 : 389)
  const scheme = security === 'ldaps' ? 'ldaps' : 'ldap'
  const once = <Connect extends (...args: never[]) => Socket>(open: Connect): Connect => {
    let isUsed = false
    return ((...args: Parameters<Connect>) => {
      if (isUsed) throw new Error('the connection ended')
      isUsed = true
      const socket = open(...args)
      sockets.add(socket)
      return socket
    }) as Connect
  }
  return {
    url: `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    timeout: answer,
    connectTimeout: connect,
    createConnection: once(connectPlain as (...args: never[]) => Socket) as typeof connectPlain,
    createSecureConnection: once(connectSecure as (...args: never[]) => Socket) as unknown as typeof connectSecure,
    ...(security === 'ldaps' && { tlsOptions: tlsOptions(settings) }),
  }
}

const tlsOptions = ({ host, ca_certificates: ca }: LdapSettings): ConnectionOptions => ({
  host,
  minVersion: 'TLSv1.2',
  ...(isIP(host) === 0 && { servername: host }),
  ...(ca !== '' && { ca }),
})

/** NOTE: the library waits for the handshake without a limit. */
async function startTls(client: Client, settings: LdapSettings, milliseconds: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('StartTLS was not answered in time')), milliseconds)
  const starting = client.startTLS(tlsOptions(settings))
  starting.catch(() => undefined)
  try {
    await Promise.race([starting, promise])
  } catch (error) {
    throw failed(error)
  } finally {
    clearTimeout(timer)
  }
}

function directoryOf(client: Client): Directory {
  const directory: Directory = {
    async bind(name, password) {
      // NOTE: a bind without a password succeeds and proves nothing (RFC 4513, 5.1.2).
      if (password === '' || MECHANISMS.has(name)) return false
      try {
        await client.bind(name, password)
        return true
      } catch (error) {
        if (REFUSED.has(codeOf(error))) return false
        throw failed(error)
      }
    },

    async find(search, limit) {
      try {
        const { searchEntries } = await client.search(search.base, optionsOf(search, { sizeLimit: limit }))
        return searchEntries.slice(0, limit)
      } catch (error) {
        if (codeOf(error) === NO_SUCH_OBJECT) return []
        throw failed(error)
      }
    },

    async *pages(search, pageSize) {
      let count = 0
      try {
        // NOTE: no `sizeLimit`: with it the library takes an incomplete answer for a complete one.
        const options = optionsOf(search, { paged: { pageSize } })
        for await (const { searchEntries } of client.searchPaginated(search.base, options)) {
          count += searchEntries.length
          if (count > MAX_ENTRIES) throw new Error(`the answer has more than ${MAX_ENTRIES} entries`)
          yield searchEntries
        }
      } catch (error) {
        throw failed(error)
      }
    },

    async names(search) {
      const found: string[] = []
      for await (const entries of directory.pages({ ...search, attributes: ['1.1'] }, NAMES_PAGE)) {
        found.push(...entries.map(({ dn }) => dn))
        if (found.length > MAX_NAMES) throw unavailable(`the directory: more than ${MAX_NAMES} entries match`)
      }
      return found
    },
  }
  return directory
}

const NO_SUCH_OBJECT = 32

const optionsOf = ({ baseOnly, filter, attributes, binary = [] }: Search, more: SearchOptions): SearchOptions => ({
  scope: baseOnly === true ? 'base' : 'sub',
  filter,
  attributes: [...attributes],
  explicitBufferAttributes: [...binary],
  ...more,
})

/** 0 for errors without the code of a directory, such as those of a connection. */
function codeOf(error: unknown): number {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'number' ? code : 0
}

/** The message is for administrators. */
function failed(error: unknown): DomainError {
  if (isDomainError(error)) return error
  const { message, constructor } = error as Error
  const code = codeOf(error)
  // Messages of result codes are empty or texts of the directory.
  const reason = code === 0 ? message : `${constructor.name.replace(/Error$/, '')} (${code}) ${message}`
  return unavailable(`the directory: ${reason.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON)}`).causedBy(error)
}

const MAX_REASON = 300
