import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import type { HostGuard } from './host-guard.ts'

export interface AgentOptions {
  readonly guard: HostGuard
  /** Accept certificates that no authority signed; only for installations that ask for it. */
  readonly skipTlsVerify?: boolean
}

/** Connects to addresses that the guard allows and to no others. */
export async function createAgent({ guard, skipTlsVerify = false }: AgentOptions): Promise<Agent> {
  const undici = await import('undici')
  // NOTE: a host that is an address never reaches the resolver of node:net; it is resolved here, before anything
  // connects.
  const connect = async (target: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    try {
      const addresses = await guard.resolve(target.hostname)
      const connector = undici.buildConnector({
        rejectUnauthorized: !skipTlsVerify,
        timeout: 10_000,
        lookup: pinned(addresses),
        autoSelectFamily: true,
      })
      connector(
        {
          ...target,
          hostname: addresses.length === 1 ? addresses[0] : target.hostname,
          ...(!target.servername && isIP(target.hostname) === 0 && { servername: target.hostname }),
        },
        done,
      )
    } catch (error) {
      done(error as Error, null)
    }
  }
  return new undici.Agent({
    connect: (target, done) => void connect(target, done),
    keepAliveTimeout: 4_000,
    maxHeaderSize: 32 * 1024,
  })
}

/** A resolver that answers with the checked addresses alone. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, { all }, done) => (all ? done(null, entries) : done(null, entries[0]!.address, entries[0]!.family))
}
