import { BlockList, isIP } from 'node:net'
import { addRange, classifyAddress, inRanges, plainAddress } from './address.ts'
import { lookup as systemLookup } from 'node:dns/promises'
import { OutgoingError } from './outgoing-error.ts'

/** Decides to which hosts the server may connect on behalf of users. */
export interface HostRules {
  /** `host` as in a URL, without brackets; `address` is its current address. */
  allows(host: string, address: string): boolean
}

/**
 * Reads a comma list of `external` (public addresses), `private`, `loopback`, `*` (everything), addresses, address
 * ranges (`10.0.0.0/8`) and host names, in which `*` stands for any characters; an empty list is `external`
 * (behaviour/orgs-webhooks-actions#delivery). A host name that is allowed may resolve to any address. Throws an error
 * that names an invalid entry.
 */
export function parseHostRules(list: string): HostRules {
  const entries = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
  if (entries.length === 0) entries.push('external')
  const classes = new Set<string>()
  const ranges = new BlockList()
  const names: RegExp[] = []
  for (const entry of entries) {
    if (entry === '*') return { allows: () => true }
    if (entry === 'external') classes.add('public')
    else if (entry === 'private' || entry === 'loopback') classes.add(entry)
    else if (!addRange(ranges, entry)) names.push(hostPattern(entry))
  }
  return {
    allows(host, address) {
      const plain = plainAddress(address)
      return (
        classes.has(classifyAddress(plain)) ||
        inRanges(ranges, plain) ||
        names.some((name) => name.test(host.toLowerCase().replace(/\.$/, '')))
      )
    },
  }
}

/**
 * Reads a comma list of host names, in which `*` stands for any characters; an empty list is every host. Throws an
 * error that names an invalid entry.
 */
export function parseHostNames(list: string): (host: string) => boolean {
  const names = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
    .map(hostPattern)
  return (host) => names.length === 0 || names.some((name) => name.test(host.toLowerCase().replace(/\.$/, '')))
}

function hostPattern(entry: string): RegExp {
  if (!/^[a-z0-9_*.-]+$/.test(entry))
    throw new Error(`${JSON.stringify(entry)} is no host name, address or address range`)
  return new RegExp(
    `^${entry
      .split('*')
      .map((part) => part.replaceAll(/[.]/g, '\\.'))
      .join('.*')}$`,
  )
}

export type Lookup = (host: string) => Promise<readonly string[]>

/** Turns host names into addresses that may be connected to. Callers connect to these and resolve nothing again. */
export type HostGuard = ReturnType<typeof createHostGuard>

/**
 * `allowed` is a comma list as parseHostRules reads it, the value of `setting`, which errors name. Throws for a list
 * that is not valid.
 */
export function createHostGuard(allowed: string, setting: string, lookup: Lookup = resolveName) {
  const rules = readRules(allowed, setting)
  return {
    /**
     * The allowed addresses of a host, in the order of the resolver. `host` is in the form of URL.hostname. Throws
     * OutgoingError: refused when there is none, unreachable when the name does not exist.
     */
    async resolve(host: string): Promise<readonly [string, ...string[]]> {
      const name = host.replace(/^\[(.*)\]$/, '$1')
      const [first, ...rest] = (isIP(name) ? [name] : await lookupName(lookup, name)).filter((address) =>
        rules.allows(name, address),
      )
      if (first === undefined)
        throw new OutgoingError('refused', `connections to ${name} are not allowed by ${setting}`)
      return [first, ...rest]
    },
  }
}

function readRules(allowed: string, setting: string): ReturnType<typeof parseHostRules> {
  try {
    return parseHostRules(allowed)
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error })
  }
}

async function lookupName(lookup: Lookup, name: string): Promise<readonly string[]> {
  try {
    return await lookup(name)
  } catch (error) {
    throw new OutgoingError('unreachable', `host ${name} was not found`, { cause: error })
  }
}

const resolveName: Lookup = async (host) =>
  (await systemLookup(host, { all: true, verbatim: true })).map(({ address }) => address)
