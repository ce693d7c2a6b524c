import type { GitCommand } from '../engine/command.ts'

export type CheckDepth = 'reachable' | 'everything'

const DEADLINE = 6 * 60 * 60 * 1000
const MAX_LINES = 20

/**
 * What `git fsck` finds wrong, line by line and at most twenty; empty for a sound repository. `reachable` looks whether
 * everything that is reachable from refs exists, `everything` reads and hashes each object too.
 */
export const checkRepo = async (command: GitCommand, depth: CheckDepth): Promise<string[]> =>
  (await findTwice(() => runFsck(command, depth))).slice(0, MAX_LINES)

/**
 * Looks again when something is found, and gives what both looks found. A sound repository may change under a look: git
 * lists the objects, then follows refs that were moved to newer ones, or opens packs that maintenance has replaced.
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
