import { runProcess } from '../../../platform/process/process.ts'
import type { ObjectFormat } from '../../engine/object/format.ts'
import type { GitRepo } from '../../repo.ts'
import { encodePkt, FLUSH, pktText } from '../pkt/pkt-line.ts'
import { PktReader } from '../pkt/pkt-reader.ts'
import { WireError } from '../wire-error.ts'

/** Returns the capability advertisement of protocol v2 for repositories of this object format, with a final flush. */
export type V2Capabilities = (repo: GitRepo, env: Readonly<Record<string, string>>) => Promise<Buffer>

/**
 * The advertisement of the installed git, with `agent` as its agent. It depends on the repository's object format
 * alone, so that git runs once for each format; after a failure it runs again.
 */
export function createV2Capabilities(agent: string): V2Capabilities {
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
