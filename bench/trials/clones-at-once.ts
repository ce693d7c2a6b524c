import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { gitLogin } from '../api.ts'
import { getter } from '../endpoints.ts'
import type { Figure, Trial } from '../figure.ts'
import { pace } from '../load/load.ts'
import { gitUrl } from '../run.ts'
import { treeOf } from '../system/process-tree.ts'

const CLONES = 8
const NAMES = {
  wall: '8 clones at once',
  packs: '8 clones at once, packs made',
  memory: '8 clones at once, memory',
  others: '8 clones at once, p99 of others',
} as const
const MAX = { packs: 1, memory: 300, others: 50 }
const SAMPLE_MS = 50
const MAKES_PACK = /^(?:\S*\/)?git\b.* pack-objects\b/

/** The same clone by several clients at once, one that was not asked for before, and what others notice of it. */
export const clonesAtOnce: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const { tempDir, target, seed, own } = run
    const path = (i: number): string => join(tempDir.dir, `crowd-${i}.git`)
    // Without tags it is another fetch than that of the clones before.
    const args = ['clone', '--quiet', '--bare', '--no-tags', gitUrl(run, seed.large)]
    const watch = own && watchTree(own.server.child.pid!)
    const begin = performance.now()
    const all = Promise.all(
      Array.from({ length: CLONES }, (_, i) => tempDir.run('git', [...args, path(i)], { env: gitLogin(target) })),
    )
    const others = await pace(getter(target)(`/repos/${target.login}/${seed.small}`), all)
    const wall = performance.now() - begin
    const seen = watch?.end()
    for (let i = 0; i < CLONES; i++) rmSync(path(i), { recursive: true, force: true })
    const figures: Figure[] = [
      { name: NAMES.wall, measured: wall, unit: 'ms' },
      { name: NAMES.packs, measured: seen?.packs, unit: 'packs', max: MAX.packs },
      { name: NAMES.memory, measured: seen?.memory, unit: 'MB', max: MAX.memory },
      { name: NAMES.others, measured: others.failures === 0 ? others.p99 : undefined, unit: 'ms', max: MAX.others },
    ]
    return figures
  },
}

/**
 * Processes that make packs, and the most memory: what the server holds, and what its children hold beside pages of
 * files.
 */
function watchTree(root: number): { end(): { packs: number; memory: number } } {
  const makers = new Set<number>()
  let memory = 0
  const sample = (): void => {
    const tree = treeOf(root)
    for (const { pid, command } of tree) if (MAKES_PACK.test(command)) makers.add(pid)
    memory = Math.max(
      memory,
      tree.reduce((sum, { pid, resident, anonymous }) => sum + (pid === root ? resident : anonymous), 0),
    )
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    end() {
      clearInterval(timer)
      return { packs: makers.size, memory }
    },
  }
}
