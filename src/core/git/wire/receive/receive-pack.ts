import { gitEnv } from '../../engine/command.ts'
import type { GitRepo } from '../../repo.ts'
import { advertiseReceive, type PushExchange, type ReceivePackOptions, protocolVersion } from '../protocol.ts'
import { sinkTo, encodePkt, LARGE_BAND, SideBand } from '../pkt/pkt-line.ts'
import { Limiter } from '../limiter.ts'
import { PktReader } from '../pkt/pkt-reader.ts'
import { PushSession } from './push-session.ts'
import { readReceiveRequest } from './receive-request.ts'
import { readRefs } from '../repo.ts'
import { discard } from './unpack.ts'
import { WireError } from '../wire-error.ts'

/** Maximum bytes of a refused request that are read and dropped before the response. */
const MAX_DISCARDED = 64 * 1024 * 1024

export type ReceivePack = ReturnType<typeof createReceivePack>

export function createReceivePack(options: ReceivePackOptions) {
  const limiter = new Limiter(options.maxPushes, options.maxPushesPerKey)

  /**
   * The first response, without HTTP's `# service` header. Version 2 does not exist for pushes and is answered as 0.
   */
  async function advertise(repo: GitRepo, protocol: string | undefined): Promise<Buffer> {
    const version = protocolVersion(protocol) === 1 ? 1 : 0
    const refs = await readRefs(repo)
    return advertiseReceive({ repo, refs, version, agent: options.agent, hidden: options.reservedRefs })
  }

  /** The first response for a repository that the push itself will create. */
  function advertiseNew(protocol: string | undefined): Buffer {
    const version = protocolVersion(protocol) === 1 ? 1 : 0
    return advertiseReceive({
      repo: { objectFormat: 'sha1' },
      refs: { head: '', refs: [] },
      version,
      agent: options.agent,
      hidden: [],
    })
  }

  async function receive(exchange: PushExchange, stateless: boolean): Promise<void> {
    const reader = new PktReader(exchange.input, { idleMs: options.idleMs })
    const sink = sinkTo(exchange.output, options.idleMs, exchange.signal)
    let hasBands = false
    try {
      const request = await readReceiveRequest(reader, exchange.repo.objectFormat, (capabilities) => {
        hasBands = capabilities.has('side-band-64k')
      })
      if (!request) return
      const leave = await limiter.enter([exchange.repo.path, exchange.client], exchange.signal)
      try {
        const env = gitEnv(exchange.repo.path)
        await new PushSession({ options, exchange, request, reader, sink, stateless, env }).run()
      } finally {
        leave()
      }
    } catch (error) {
      if (error instanceof WireError && error.kind === 'protocol') {
        if (stateless) await discard(reader, MAX_DISCARDED)
        // NOTE: git interprets the first byte after its commands as a band.
        if (hasBands) await new SideBand(sink, LARGE_BAND).fatal(error.message)
        else await sink(encodePkt(`ERR ${error.message}\n`))
      }
      throw error
    }
  }

  return {
    advertise,
    advertiseNew,
    /** Receives one push of a stateless transport (HTTP POST). Fails with WireError. */
    serveRequest: (exchange: PushExchange): Promise<void> => receive(exchange, true),
    /** Serves a whole connection including the advertisement (SSH). Fails with WireError. */
    async serveConnection(exchange: PushExchange): Promise<void> {
      await sinkTo(exchange.output, options.idleMs, exchange.signal)(await advertise(exchange.repo, exchange.protocol))
      await receive(exchange, false)
    },
  }
}
