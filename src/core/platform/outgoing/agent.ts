import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import type { HostGuard } from './host-guard.ts'
import { openTunnel, type OutgoingProxy } from './tunnel.ts'

const CONNECT_MS = 10_000

export interface AgentOptions {
  readonly guard: HostGuard
  /** Accept certificates that no authority signed; only for installations that ask for it. */
  readonly skipTlsVerify?: boolean
  readonly proxy?: OutgoingProxy
}

/** Connects to addresses that the guard allows and to no others, through the proxy where it serves the host. */
export async function createAgent({ guard, skipTlsVerify = false, proxy }: AgentOptions): Promise<Agent> {
  const undici = await import('undici')
  // NOTE: a host that is an address never reaches the resolver of node:net; it is resolved here, before anything
  // connects.
  const connect = async (target: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    try {
      const addresses = await guard.resolve(target.hostname)
      const connector = undici.buildConnector({
        rejectUnauthorized: !skipTlsVerify,
        timeout: CONNECT_MS,
        lookup: pinned(addresses),
        autoSelectFamily: true,
      })
      const named = {
        ...target,
        ...(!target.servername && isIP(target.hostname) === 0 && { servername: target.hostname }),
      }
      if (proxy?.serves(target.hostname) !== true)
        return connector({ ...named, hostname: addresses.length === 1 ? addresses[0] : target.hostname }, done)
      const isTls = target.protocol === 'https:'
      const port = Number(target.port) || (isTls ? 443 : 80)
      const socket = await openTunnel(proxy, { address: addresses[0], port, timeout: CONNECT_MS })
      if (isTls) connector({ ...named, httpSocket: socket }, done)
      else done(null, socket)
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
