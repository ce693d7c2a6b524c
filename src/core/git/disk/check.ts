import type { GitCommand } from '../engine/command.ts'

export type CheckDepth = 'reachable' | 'everything'

const DEADLINE = 6 * 60 * 60 * 1000
const MAX_LINES = 20

/**
 * Returns up to twenty lines of errors from `git fsck`; an empty list for a sound repository. `reachable` checks that
 * every object reachable from a ref exists; `everything` also reads and hashes each object.
 */
export const checkRepo = async (command: GitCommand, depth: CheckDepth): Promise<string[]> =>
  (await findTwice(() => runFsck(command, depth))).slice(0, MAX_LINES)

/**
 * Checks again when errors are found and returns the errors that both checks report. A sound repository may change
 * during a check: git lists the objects, then follows refs that have moved to newer ones, or opens packs that
 * maintenance has replaced.
 */
async function findTwice(look: () => Promise<readonly string[]>): Promise<string[]> {
  const first = await look()
  if (first.length === 0) return []
  const second = new Set(await look())
  return first.filter((line) => second.has(line))
}

async function runFsck(command: GitCommand, depth: CheckDepth): Promise<string[]> {
  const args = ['fsck', '--no-dangling', '--no-progress', depth === 'reachable' ? '--connectivity-only' : '--full']
  const { code, stdout, stderr } = await command.run(args, {
    deadline: DEADLINE,
    maxMemory: Number.POSITIVE_INFINITY,
    paced: true,
    codes: Array.from({ length: 256 }, (_, n) => n),
  })
  if (code === 0) return []
  const lines = `${stderr}\n${stdout.toString('utf8')}`
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return lines.length === 0 ? [`git fsck ended with ${code}`] : lines
}
