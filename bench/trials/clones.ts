import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gitLogin } from '../api.ts'
import type { Trial } from '../figure.ts'
import { gitUrl, type Place } from '../place.ts'
import { cpuOf } from '../process-tree.ts'
import { cpuOfUploadPack } from '../upload-pack.ts'

const NAMES = {
  clone: 'full clone',
  again: 'full clone, again',
  cpu: 'full clone, CPU of the server',
  cpuAgain: 'full clone again, CPU of the server',
} as const
const MOST_TIMES = 1.1
const MOST_CPU = 1 / 5
const MOST_CPU_AGAIN = 1 / 10

/**
 * Wall time of a clone beside one from disk, and what it costs the server beside `git upload-pack` on the same pack.
 */
export const clones: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(place) {
    const { workshop, stock } = place
    const url = gitUrl(place, stock.large)
    const clone = (from: string, name: string, env = {}) =>
      workshop.run('git', ['clone', '--quiet', '--bare', from, join(workshop.dir, name)], { env })
    const remove = (name: string): void => rmSync(join(workshop.dir, name), { recursive: true, force: true })
    const first = await withCpu(place, () => clone(url, 'clone-1.git', gitLogin(place.target)))
    const again = await withCpu(place, () => clone(url, 'clone-2.git', gitLogin(place.target)))
    remove('clone-2.git')
    // The first clone holds the pack that the server sends, so both sides have equal work.
    const path = join(workshop.dir, 'clone-1.git')
    const disk = { name: 'git clone file://', value: await clone(pathToFileURL(path).href, 'clone-3.git') }
    remove('clone-3.git')
    const plain = { name: 'git upload-pack', value: await cpuOfUploadPack(workshop, path) }
    remove('clone-1.git')
    return [
      { name: NAMES.clone, measured: first.ms, unit: 'ms', beside: disk, most: MOST_TIMES },
      { name: NAMES.again, measured: again.ms, unit: 'ms', beside: disk, most: MOST_TIMES },
      { name: NAMES.cpu, measured: first.cpu, unit: 'ms', beside: plain, most: MOST_CPU },
      { name: NAMES.cpuAgain, measured: again.cpu, unit: 'ms', beside: plain, most: MOST_CPU_AGAIN },
    ]
  },
}

async function withCpu({ own }: Place, work: () => Promise<number>): Promise<{ ms: number; cpu: number | undefined }> {
  const before = own && cpuOf(own.server.child.pid!)
  const ms = await work()
  return { ms, cpu: own && cpuOf(own.server.child.pid!) - before! }
}
