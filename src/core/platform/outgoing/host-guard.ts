import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { parseHostRules } from './host-rules.ts'
import { OutgoingError } from './outgoing-error.ts'

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
     * The allowed ones of the addresses of a host, in the order of the resolver. `host` as URL.hostname gives it. Throws
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
