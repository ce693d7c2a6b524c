import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gitLogin } from '../api.ts'
import type { Trial } from '../figure.ts'
import { gitUrl, type Run } from '../run.ts'
import { cpuOf } from '../system/process-tree.ts'
import { cpuOfUploadPack } from '../system/upload-pack.ts'

const NAMES = {
  clone: 'full clone',
  again: 'full clone, again',
  cpu: 'full clone, CPU of the server',
  cpuAgain: 'full clone again, CPU of the server',
} as const
const MAX_TIMES = 1.1
const MAX_CPU = 1 / 5
const MAX_CPU_AGAIN = 1 / 10

/**
 * Wall time of a clone beside one from disk, and what it costs the server beside `git upload-pack` on the same pack.
 */
export const clones: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const { tempDir, seed } = run
    const url = gitUrl(run, seed.large)
    const clone = (from: string, name: string, env = {}) =>
      tempDir.run('git', ['clone', '--quiet', '--bare', from, join(tempDir.dir, name)], { env })
    const remove = (name: string): void => rmSync(join(tempDir.dir, name), { recursive: true, force: true })
    const first = await withCpu(run, () => clone(url, 'clone-1.git', gitLogin(run.target)))
    const again = await withCpu(run, () => clone(url, 'clone-2.git', gitLogin(run.target)))
    remove('clone-2.git')
    // The first clone holds the pack that the server sends, so both sides have equal work.
    const path = join(tempDir.dir, 'clone-1.git')
    const disk = { name: 'git clone file://', value: await clone(pathToFileURL(path).href, 'clone-3.git') }
    remove('clone-3.git')
    const plain = { name: 'git upload-pack', value: await cpuOfUploadPack(tempDir, path) }
    remove('clone-1.git')
    return [
      { name: NAMES.clone, measured: first.ms, unit: 'ms', beside: disk, max: MAX_TIMES },
      { name: NAMES.again, measured: again.ms, unit: 'ms', beside: disk, max: MAX_TIMES },
      { name: NAMES.cpu, measured: first.cpu, unit: 'ms', beside: plain, max: MAX_CPU },
      { name: NAMES.cpuAgain, measured: again.cpu, unit: 'ms', beside: plain, max: MAX_CPU_AGAIN },
    ]
  },
}

async function withCpu({ own }: Run, work: () => Promise<number>): Promise<{ ms: number; cpu: number | undefined }> {
  const before = own && cpuOf(own.server.child.pid!)
  const ms = await work()
  return { ms, cpu: own && cpuOf(own.server.child.pid!) - before! }
}
